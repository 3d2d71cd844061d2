// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the parser of function events (kernel/files/kernel/trace/fevent_parse.c),
 * compiled as it is. One table has the result of each production of the grammar,
 * one has lines with errors and the column of each. Generated prototypes, whose
 * structure is known before they are parsed, are a third test.
 *
 * Each line is in memory of exactly its size, without a NUL after it. So the
 * sanitizer notices when the parser reads beyond its end.
 */

#include "kernel_shim.h"
#include "../../kernel/files/kernel/trace/fevent_error.c"
#include "../../kernel/files/kernel/trace/fevent_reader.c"
#include "../../kernel/files/kernel/trace/fevent_print.c"
#include "../../kernel/files/kernel/trace/fevent_parse.c"
#include "fevent_same.h"

#define MAX_ARGS	6	/* as on x86_64 */

/* Words that are long, or a little too long. */
#define X4(x)		x x x x
#define X16(x)		X4(X4(x))
#define X64(x)		X4(X16(x))
#define X128(x)		X64(x) X64(x)
#define X512(x)		X4(X128(x))
#define X15(x)		X4(x) X4(x) X4(x) x x x
#define X127(x)		X64(x) X16(x) X16(x) X16(x) X15(x)
#define X511(x)		X128(x) X128(x) X128(x) X127(x)

static struct fevent_proto *parse_bytes(const char *line, size_t len, struct fevent_error *error)
{
	char *copy = malloc(len ?: 1);
	struct fevent_proto *proto;

	memset(error, 0xee, sizeof(*error));
	memcpy(copy, line, len);
	proto = fevent_parse(copy, len, MAX_ARGS, sample_typedef, error);
	free(copy);	/* the prototype may keep nothing of it */
	return proto;
}

/* A line that has to be well-formed. */
static struct fevent_proto *parse(const char *line)
{
	struct fevent_error error;
	struct fevent_proto *proto = parse_bytes(line, strlen(line), &error);

	cr_assert(not(IS_ERR(proto)), "'%s': %s at %u", line, fevent_err_text[error.err],
		  error.column);
	cr_assert(eq(u32, error.err, FEVENT_ERR_NONE), "'%s'", line);
	return proto;
}

/* Prints it into memory of exactly the size that it needs. */
static char *print(const struct fevent_proto *proto)
{
	int len = fevent_print(proto, NULL, 0);
	char *text = malloc(len + 1);

	cr_assert(eq(int, fevent_print(proto, text, len + 1), len));
	cr_assert(eq(sz, strlen(text), (size_t)len));
	return text;
}

/* Parsing the printed text must give the same prototype, and printing that the same text. */
static void round_trip(const char *line, const struct fevent_proto *proto)
{
	char *text = print(proto), *again;
	struct fevent_proto *copy = parse(text);
	const char *difference = fevent_difference(proto, copy);

	cr_assert(difference == NULL, "'%s' and '%s' differ: %s", line, text, difference);
	again = print(copy);
	cr_assert(eq(str, again, text), "'%s'", line);
	fevent_proto_free(copy);
	free(again);
	free(text);
}

/* Lines that are canonical themselves: printed, they are the same. */
static const char *const canonical[] = {
	/* LINE */
	"", "!vfs_read", "!net/rx", "vfs_read()",
	/* FUNC */
	"foo.isra.0()", "_()", "as()", "u32()", "unsigned()", "void()", "vfs_*() as vfs",
	"*() as all", "?[a-z]*() as x", "[!a-z]x() as x", "[]a]x() as x", "[!]a]x() as x",
	"a[[*?.!-]b() as x", "u8[4]() as x", "vfs_*(u32 x, x8 $jiffies) as vfs",
	"vfs_*(NULL, u32 x) as g/vfs",
	/* RETTYPE, MODULE */
	"void vfs_read()", "void vfs_*() as x", "ssize_t vfs_read()", "symbol vfs_read()",
	"string vfs_read()", "long long()", "ext4:ext4_sync_file()", "8021q:vlan_dev_init()",
	"int ext4:ext4_sync_file()", "int:foo()", "ext4:*() as x", "void ext4:*() as x",
	/* 'as' */
	"vfs_read() as read", "vfs_read() as vfs/read", "vfs_read() as vfs/vfs_read",
	"foo.isra.0() as foo_isra_1", "foo_isra() as foo", "foo() as foo_isra", "foo() as as",
	X127("x") "()", X511("x") "() as x", "f() as " X127("g") "/" X127("n"), X511("m") ":f()",
	/* ARGS */
	"vfs_read(...)", "vfs_read(NULL, NULL, u32 c, NULL, u32 e)",
	"vfs_read(u32 a, u32 b, u32 c, u32 d, u32 e, u32 f)",
	/* Positions: registers count, ADDRs and PATHs do not. */
	"f(u32 $x, u32 a)", "f(u32 a | u32 $x | u32 b)", "f(u32 $x, NULL, u32 b)",
	"f(a, b, c, d, e, f, g, h)", "f(u32 a, u32 b, u32 c, u32 d, u32 e, u32 f, g, u32 $h)",
	/* TYPE */
	"f(u8 a, u16 b, u32 c, u64 d)", "f(s8 a, s16 b, s32 c, s64 d)",
	"f(x8 a, x16 b, x32 c, x64 d)", "f(char a, short b, int c, long d, size_t e, ssize_t f)",
	"f(unsigned char a, unsigned short b, unsigned int c, unsigned long d)",
	"f(bool a, symbol b, string c, ustring d)",
	"f(u8[1] a, char[256] b, symbol[3] c, unsigned long[2] d)",
	/* A word is a TYPE only if a NAME or an ADDR follows. */
	"f(string)", "f(long, int, u8)", "f(unsigned)", "f(unsigned[2])", "f(unsigned->x)",
	"f(void)", "f(long[3])", "f(string->len)", "f(long long)", "f(unsigned long long)",
	"f(u32 NULL)", "f(NULLS)",
	/* MOD */
	"f(u32 a+4)", "f(u32 a[0])", "f(u32 a+0)", "f(u32 a+3[536870911])",
	"f(u64 a[268435455]+2147483647)", "f(u64 a[268435455]+1+2147483646[0]+7[268435455])",
	"f(string a[268435455], symbol b[268435455], char[4] c[2147483647])",
	"f(u32 a+1+2+3+4+5+6+7+8)",
	/* ADDR */
	"f(u32 0x1000)", "f(u32 0x0)", "f(u32[4] a=0x1)", "f(u32 $jiffies)", "f(u32 now=$jiffies)",
	"f(u32 $a.b.0)", "f(u32 a=$0b)", "f(string[2])", "f(string $banner, ustring u=$0)",
	/* PATH */
	"f(file)", "f(file->f_op)", "f(argv[0], x=argv[1])", "f(a.b.c.d.e.f.g.h.i)",
	"f(a[2147483647][2147483647])", "f(u32 x=count)", "f(u32 count=count, u8 a)",
	"f(char[16] comm=long->comm, string string=string)",
	"f(u32 a | symbol f=work->func | u32 b)", "f(a->NULL)", "f(NULL, u32 a, b->c)",
	"f(retval, durations, fault, common, _x)",
	/* The issue's. */
	"vfs_read(NULL, NULL, size_t count)", "ssize_t vfs_read(NULL, NULL, size_t count)",
	"vfs_read(symbol read+40[0]+16)", "do_IRQ(symbol ip[16])", "do_IRQ(x64[6] irq_stack[16])",
	"vfs_read(file->f_path.dentry->d_name.name, count)",
};

/* Others, and their canonical form */
static const struct {
	const char *line, *canonical;
} others[] = {
	/* LINE */
	{ " \t ", "" }, { "\r", "" }, { "# vfs_read(", "" }, { " #", "" }, { "# \xc3\xa4\x01", "" },
	{ " ! vfs_read ", "!vfs_read" }, { "!functions/vfs_read", "!vfs_read" },
	{ "! net / rx\r", "!net/rx" }, { " \tvfs_read (\t) \t\r", "vfs_read()" },
	{ "vfs_read()\r", "vfs_read()" },
	/* RETTYPE, MODULE */
	{ "unsigned  int vfs_read()", "unsigned int vfs_read()" },
	{ "ext4 :\text4_sync_file ()", "ext4:ext4_sync_file()" },
	{ "unsigned\tlong ext4 : ext4_sync_file()", "unsigned long ext4:ext4_sync_file()" },
	/* 'as' */
	{ "vfs_read()as vfs / read", "vfs_read() as vfs/read" },
	{ "vfs_read() as functions/read", "vfs_read() as read" },
	{ "vfs_read() as vfs_read", "vfs_read()" },
	{ "vfs_read() as functions/vfs_read", "vfs_read()" },
	{ "foo.isra.0() as foo_isra_0", "foo.isra.0()" },
	/* ARGS */
	{ "vfs_read( ... )", "vfs_read(...)" }, { "vfs_read(NULL)", "vfs_read()" },
	{ "vfs_read(NULL,NULL,NULL,NULL,NULL,NULL)", "vfs_read()" },
	{ "vfs_read(u32 a, NULL, NULL)", "vfs_read(u32 a)" },
	{ "vfs_read(NULL,u32 b)", "vfs_read(NULL, u32 b)" },
	{ "vfs_read(u32 a|x32 b|u8 c)", "vfs_read(u32 a | x32 b | u8 c)" },
	/* Positions: registers count, ADDRs and PATHs do not. */
	{ "f(u32 $x | u32 a)", "f(u32 $x, u32 a)" },
	{ "f(u32 a | u32 $x, u32 b)", "f(u32 a, u32 $x, u32 b)" },
	{ "f(u32 a | file | u32 b | inode, u32 c)", "f(u32 a | file | u32 b, inode, u32 c)" },
	{ "f(u32 a, file | u32 b)", "f(u32 a, file, u32 b)" },
	{ "f(NULL, u32 $x, u32 b)", "f(u32 $x, NULL, u32 b)" },
	{ "f(NULL, u32 $x | u32 b, NULL)", "f(u32 $x, NULL, u32 b)" },
	{ "f(u32 a, NULL, u32 $x, NULL, y, u32 d | z)",
	  "f(u32 a, u32 $x, y, NULL, NULL, u32 d, z)" },
	/* TYPE */
	{ "f(u8 [ 0x10 ] a, unsigned\tlong[2]\tb)", "f(u8[16] a, unsigned long[2] b)" },
	{ "f(u8[4]a)", "f(u8[4] a)" }, { "f(u8[4]$a)", "f(u8[4] $a)" },
	{ "f(u8[4]0x1)", "f(u8[4] 0x1)" },
	{ "f(loff_t a, loff_t[4] b, loff_t)", "f(s64 a, s64[4] b, loff_t)" },
	{ "loff_t f(loff_t)", "s64 f(loff_t)" },
	/* A word is a TYPE only if a NAME or an ADDR follows. */
	{ "f(unsigned = x)", "f(unsigned=x)" }, { "f(long = x)", "f(long=x)" },
	{ "f(long = long)", "f(long)" },
	/* MOD */
	{ "f(u32 a + 4 [ 2 ] + 0x10)", "f(u32 a+4[2]+16)" },
	{ "f(u8 a+2147483647[0][0x7fffffff])", "f(u8 a+2147483647[0][2147483647])" },
	{ "f(u32 a+010[00])", "f(u32 a+10[0])" },
	/* ADDR */
	{ "f(u32 0xFFFFffff81000000)", "f(u32 0xffffffff81000000)" },
	{ "f(u32 0x0000000000000001)", "f(u32 0x1)" }, { "f(u32 = 0x1)", "f(u32 0x1)" },
	{ "f(u32=0x1)", "f(u32 0x1)" }, { "f(u32 addr = 0x1)", "f(u32 0x1)" },
	{ "f(u32 a = 0x1)", "f(u32 a=0x1)" }, { "f(u32[4] = 0x1)", "f(u32[4] 0x1)" },
	{ "f(unsigned long = 0x1)", "f(unsigned long 0x1)" },
	{ "f(u32 = $jiffies)", "f(u32 $jiffies)" },
	{ "f(u32 jiffies=$jiffies)", "f(u32 $jiffies)" },
	{ "f(u32 a_b_0=$a.b.0)", "f(u32 $a.b.0)" },
	/* PATH */
	{ "f(file -> f_path . dentry [ 1 ] -> d_name)", "f(file->f_path.dentry[1]->d_name)" },
	{ "f(f = file)", "f(f=file)" }, { "f(file = file)", "f(file)" },
	{ "f(x = file->f_op)", "f(x=file->f_op)" }, { "f(f_op = file->f_op)", "f(file->f_op)" },
	{ "f(d = file->d[0x2])", "f(file->d[2])" },
	{ "f(file = file->d[2])", "f(file=file->d[2])" },
	{ "f(string name = d->d_name . name)", "f(string name=d->d_name.name)" },
	{ "f(unsigned\tchar [ 4 ]mac=dev->addr[1])", "f(unsigned char[4] mac=dev->addr[1])" },
};

static void expect_canonical(const char *line, const char *wanted)
{
	struct fevent_proto *proto = parse(line);
	char *text = print(proto);

	expect_str(text, wanted, "'%s'", line);
	round_trip(line, proto);

	/* In a smaller buffer, the text is cut off, and still ends with a NUL. */
	for (size_t size = 1; size <= strlen(text); size += 1 + size / 8) {
		char *cut = malloc(size);

		cr_assert(eq(int, fevent_print(proto, cut, size), (int)strlen(text)));
		cr_assert(eq(sz, strlen(cut), size - 1), "'%s'", line);
		cr_assert(zero(int, memcmp(cut, text, size - 1)), "'%s'", line);
		free(cut);
	}
	free(text);
	fevent_proto_free(proto);
}

Test(fevent_parse, lines)
{
	for_each(line, canonical)
		expect_canonical(*line, *line);
	for_each(other, others)
		expect_canonical(other->line, other->canonical);
	cr_assert(zero(long, shim_allocated));
}

/* Lines with an error each. A caret, which no prototype has, is before the column of the error. */
static const struct {
	enum fevent_err err;
	const char *lines[48];
} errors[] = {
	{ FEVENT_ERR_TOO_LONG, {
		"#" X512(".......") X511(".") "^.", X512("        ") "^ ",
		/* The line is not too long, but its canonical form is. */
		"f(" X511("a") "," X511("b") "," X511("c") "," X511("d") "," X511("e") "," X511("f") "," X511("g") ","
		X128("h") X128("h") X128("h") X64("h") ",a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w)^ \r",
	} },
	{ FEVENT_ERR_BAD_CHAR, {
		"^%", "^/usr", "^%foo()", "foo^-bar()", "foo^\\()", "foo^](u32 x) as y",
		"[a^\xff]() as y", "foo[a^/b]() as y", "f^\xc3\xa4()", "^\xc3\xa4()", "foo(^*x)",
		"foo(u32 x ^\r)", "foo(u32 x ^\ry)", "foo(...^., x)", "foo(...^, x)",
		"foo(x, ^...)", "foo(^..)", "foo(char ^*buf)", "foo(struct->file ^*x)",
		"foo(a->b ^c)", "foo(a[1][2] ^c)", "foo(a^+4)", "foo(a ^- > b)", "foo(a[1] ^= b)",
		"foo(a = b ^= c)", "foo(a = b ^c)", "foo(u32 a^-b)", "foo(u32 a^.b)",
		"foo(u32 a+1 ^= 0x1)", "foo(u32 a=b^+1)", "foo(u32 a = b ^= c)", "foo(u32 0x10^+4)",
		"foo(u32 $x ^[4])", "foo(u32 x = $x ^+ 1)", "foo(NULL ^| u32 x)", "foo(NULL^->x)",
		"foo(NULL ^x)", "foo(u32 x ^as bar", "foo(u32 x^; u32 y)",
	} },
	{ FEVENT_ERR_NO_FUNC, {
		"^()", " \t^(u32 x) as y", "ext4:^()", "int ext4 : ^()",
	} },
	{ FEVENT_ERR_NO_PAREN, {
		"vfs_read^", " ssize_t vfs_read^ \t\r", "vfs_read^)", "vfs_read^{}",
		"vfs_read as read^", "p:probe vfs_read ^%di",
	} },
	{ FEVENT_ERR_NO_CLOSE, {
		"foo(^", "foo(^   ", "foo(...^", "foo(NULL^", "foo(u32^", "foo(u32 x^ \r",
		"foo(u32 x+1^", "foo(u32 $x^", "foo(a->b^", "foo(a,^", "foo(a |^",
	} },
	{ FEVENT_ERR_TRAILING, {
		"foo() ^bar", "foo()^)", "foo() ^# comment", "foo() ^asx", "foo() as bar ^baz",
		"foo() as a/b^/c", "foo() as a/b ^as c", "foo*() ^bar", "!foo ^bar",
		"!foo/bar^/baz",
	} },
	{ FEVENT_ERR_NO_NAME, {
		"!^", "!^  ", "!^/foo", "!foo/^", "foo() as^", "foo() as^ ", "foo() as ^/bar",
		"foo() as bar/^", "^:foo()", " ^: foo()", "foo(unsigned int^)",
		"foo(unsigned long[4]^, x)", "foo(unsigned int ^->x)", "foo(unsigned int^",
		"foo(x = ^)", "foo(x =^", "foo(x = ^, y)", "foo(u32 = ^)", "foo(x = ^->y)",
	} },
	{ FEVENT_ERR_BAD_NAME, {
		"!^foo.bar", "!^foo-bar/x", "!foo/^1", "foo() as ^1x", "foo() as ^x.",
		"foo() as ^x()", "foo() as ^a-b/c", "foo() as a/^b:c", "foo() as ^\xc3\xa4",
		"foo*() as ^foo*", "^0foo()", "int ^0foo()", "^ex-t4:foo()", "int ^ext*:foo()",
		"foo(^1)", "foo(^1x = y)", "foo(x = ^1)", "foo(u32 = ^1)", "foo(a->^1b)",
		"foo(a.^0)", "foo(^u32 $0x)", "foo(^u32 = $0x)",
	} },
	{ FEVENT_ERR_NAME_TOO_LONG, {
		"!^" X128("x"), "!^" X128("x") "/y", "!y/^" X128("x"), "foo() as ^" X128("x"),
		"foo() as ^" X128("x") "/y", "foo() as y/^" X128("x"), "^" X128("x") "()",
		"int ^" X127("x") ".()", "^" X512("x") "() as x", "int ^" X512("m") ":foo()",
		"foo(u32 ^" X512("x") ")", "foo(u32 ^$" X512("x") ")", "foo(^" X512("x") ")",
		"foo(a->b.^" X512("x") ")", "foo(x = ^" X512("x") ")",
	} },
	{ FEVENT_ERR_GLOB_NAME, {
		"vfs_*()^", "void ext4:foo?(u32 x)^ \r", "u8[4]()^",
	} },
	{ FEVENT_ERR_GLOB_RETTYPE, {
		"^int vfs_*() as vfs", " ^unsigned long ext4:[a]() as vfs", "^char *foo()",
	} },
	{ FEVENT_ERR_GLOB_PATH, {
		"vfs_*(^file) as vfs", "vfs_*(u32 x | ^y = file->x) as vfs", "vfs_*( ^...) as vfs",
		"vfs_*(u8 a, ^u32 x = y->z) as vfs",
	} },
	{ FEVENT_ERR_BAD_RETTYPE, {
		"^foo vfs_read()", " ^struct file *foo()", "^char * foo()", "^int int foo()",
		"^unsigned int x foo()", "^foo[4] bar()", "^*foo bar()", "^ext4: int foo()",
		"^a:b:c()", "^int a:b:c()", "^vfs_read) as x(y)",
	} },
	{ FEVENT_ERR_RET_ARRAY, {
		"u8^[4] foo()", "unsigned int ^[ 4 ] foo()", "void^[1] foo()",
		"string^[1] ext4:foo()",
	} },
	{ FEVENT_ERR_NO_FIELD, {
		"foo(^,)", "foo(^, x)", "foo(x,^)", "foo(x, ^, y)", "foo(^|x)", "foo(x |^)",
		"foo(x | ^| y)", "foo(NULL, ^)", "foo(u32 x | ^NULL)", "foo(x = ^NULL)",
		"foo(u32 x = ^NULL)",
	} },
	{ FEVENT_ERR_BAD_TYPE, {
		"foo(^u33 x)", "foo(^loff_tt x)", "foo(^loff_ x)", "foo(^struct file *file)",
		"foo(u32 x, ^void y)", "foo(^void $y)", "foo(^foo[3] bar)", "foo(^foo[] bar)",
		"foo(^foo $bar)", "foo(^foo 0x1)", "foo(^foo[3] $bar)", "foo(^foo = 0x1)",
		"foo(^foo = $bar)", "foo(^foo[3] = $bar)", "foo(^0x1)", "foo(^$bar)",
		"foo(^int8 x, u32 y)", "foo(^U32 y)", "foo(^u33 x = y)", "foo(^void x = y)",
	} },
	{ FEVENT_ERR_NOT_A_NUMBER, {
		"foo(^kuid_t x)", "^kuid_t foo()",
	} },
	{ FEVENT_ERR_BAD_UNSIGNED, {
		"foo(unsigned ^x)", "foo(unsigned ^u32 x)", "foo(unsigned ^size_t x)",
		"foo(unsigned ^unsigned int x)", "foo(unsigned ^$x)", "foo(unsigned ^= $x)",
		"foo(unsigned^[4] x)", "unsigned ^foo()", "unsigned ^ext4:foo()",
		"unsigned ^void foo()",
	} },
	{ FEVENT_ERR_BAD_COUNT, {
		"foo(u8[^0] x)", "foo(u8[^257] x)", "foo(u8[ ^] x)", "foo(u8[^n] x)",
		"foo(u8[^-1] x)", "foo(u8[^0x101] $x)", "foo(u8[^99999999999999999999999] = 0x1)",
		"foo(unsigned int[^",
	} },
	{ FEVENT_ERR_STRING_ARRAY, {
		"foo(string^[4] x)", "foo(ustring ^[4] x)", "foo(string^[0] $x)",
		"foo(string^[4] x = y)",
	} },
	{ FEVENT_ERR_NO_BRACKET, {
		"foo(u8[4^", "foo(u8[4 ^x)", "foo(u8[4 ^5] x)", "foo(u8 x[4^)", "foo(u8 x[4^+1])",
		"foo(x[4^, y])", "foo(x->y[4^", "foo[ab^() as x", "foo[^() as x",
		"foo[]^ (u32 x) as x", "foo[!]ab^() as x",
	} },
	{ FEVENT_ERR_BAD_NUMBER, {
		"foo(u32 x+^)", "foo(u32 x+^", "foo(u32 x + ^y)", "foo(u32 x+^-1)",
		"foo(u32 x+^+1)", "foo(u32 x+^12a)", "foo(u32 x+^0x)", "foo(u32 x+^0xfg)",
		"foo(u32 x+^0X10)", "foo(u32 x+^2147483648)", "foo(u32 x[^0x80000000])",
		"foo(u32 x[^18446744073709551617])", "foo(u32 x[^])", "foo(x[ ^])", "foo(x[^i])",
		"foo(x[^",
		/* The offset would wrap around, so another address would be read. */
		"foo(u64 p[^536870912])", "foo(u64 p[^268435456])", "foo(u16[4] p[^1073741824])",
		"foo(string p[^268435456])", "foo(u8 p+2147483647+^1)", "foo(u64 p+8[^268435455])",
		"foo(u64 p[1]+2147483647+^1)", "foo(u64 p[0]+8[0][^268435456])",
	} },
	{ FEVENT_ERR_BAD_ADDR, {
		"foo(u32 ^0x)", "foo(u32 ^0xg)", "foo(u32 ^0x1_)", "foo(u32 ^0x00000000000000001)",
		"foo(u32 ^$)", "foo(u32 ^$-x)", "foo(u32 ^81000000)", "foo(u32 ^1x)",
		"foo(u32 ^0X1)", "foo(u32 x = ^-y)", "foo(u32 x = ^)", "foo(u32 x =^",
		"foo(u32 x = ^1)", "foo(u32 = ^0xx)", "foo(unsigned int = ^y)",
	} },
	{ FEVENT_ERR_NO_MEMBER, {
		"foo(a->^)", "foo(a.^", "foo(a.b-> ^[1])", "foo(a.^.)", "foo(a->^->b)",
	} },
	{ FEVENT_ERR_TOO_MANY_STEPS, {
		"foo(u32 a+1+2+3+4+5+6+7+8^+9)", "foo(u32 a[1]+2[3]+4[5]+6[7]+8 ^[9])",
		"foo(a.b.c.d.e.f.g.h.i^->j)",
	} },
	{ FEVENT_ERR_TOO_MANY_FIELDS, {
		"foo(a0,a1,a2,a3,a4,a5,a6,a7,a8,a9,b0,b1,b2,b3,b4,b5,b6,b7,b8,b9,"
		"c0,c1,c2,c3,c4,c5,c6,c7,c8,c9,d0|d1, ^d2)",
	} },
	{ FEVENT_ERR_DUP_FIELD, {
		"foo(u32 x, u32 ^x)", "foo(u32 x | u32 ^x)", "foo(x, ^a->x[2])",
		"foo(x, u32 y, ^x)", "foo(u32 0x1, ^u32 0x2)", "foo(u32 0x1, u32 ^addr)",
		"foo(u32 a_b, ^u32 $a.b)", "foo(u32 a, ^a = b)", "foo(u32 a, u32 ^a = b)",
		"foo(u32 a, u32 ^a = $b)",
	} },
	{ FEVENT_ERR_RESERVED_FIELD, {
		"foo(u32 ^ret)", "foo(u32 ^duration)", "foo(u32 ^faults)", "foo(u32 ^common_pid)",
		"foo(u32 ^__ip)", "foo(a | ^ret)", "foo(^a->common_x)", "foo(^__ = a)",
		"foo(^u32 $__per_cpu)", "foo(^u32 $._x)",
	} },
	{ FEVENT_ERR_TOO_MANY_ARGS, {
		"foo(u32 a, u32 b, u32 c, u32 d, u32 e, u32 f, ^u32 g)",
		"foo(NULL, NULL, NULL, NULL, NULL, NULL, ^NULL)",
		"foo(NULL, NULL, NULL, NULL, NULL, NULL, x, u32 $y | ^u32 g)",
		"foo(NULL,NULL,NULL,NULL,NULL,u32 a | u32 b | c,u32 $x | ^u32 g[1])",
	} },
};

static void check_error(const char *line, size_t len, enum fevent_err err, unsigned int column)
{
	struct fevent_error error;
	struct fevent_proto *proto = parse_bytes(line, len, &error);

	cr_assert(IS_ERR(proto), "'%s' is well-formed", line);
	cr_expect(eq(long, PTR_ERR(proto), -EINVAL), "'%s'", line);
	cr_expect(eq(u32, error.err, err), "'%s': %s instead of %s", line,
		  fevent_err_text[error.err], fevent_err_text[err]);
	cr_expect(eq(u32, error.column, column), "'%s': %s", line, fevent_err_text[error.err]);
}

Test(fevent_parse, errors)
{
	for_each(group, errors) {
		for (const char *const *one = group->lines; *one; one++) {
			char *line = strdup(*one), *caret = strchr(line, '^');

			cr_assert(caret && !strchr(caret + 1, '^'), "'%s' has not one caret", line);
			memmove(caret, caret + 1, strlen(caret));
			check_error(line, strlen(line), group->err, caret - line);
			free(line);
		}
	}
	cr_assert(zero(long, shim_allocated));
}

Test(fevent_parse, every_error_of_the_parser_is_provoked)
{
	bool seen[FEVENT_ERR_MAX] = { [FEVENT_ERR_NONE] = true };
	unsigned int err;

	for_each(group, errors)
		seen[group->err] = true;
	for (err = 0; err <= FEVENT_ERR_TOO_MANY_ARGS; err++)
		cr_expect(seen[err], "nothing provokes '%s'", fevent_err_text[err]);
	/* The parser cannot give the errors after it: finding them needs a kernel. */
	for (; err < FEVENT_ERR_MAX; err++)
		cr_expect(not(seen[err]), "'%s' is the parser's", fevent_err_text[err]);
}

Test(fevent_parse, every_error_has_a_text)
{
	unsigned int err;

	for (err = 0; err < FEVENT_ERR_MAX; err++)
		cr_expect(fevent_err_text[err] && *fevent_err_text[err], "%u", err);
}

Test(fevent_parse, a_line_is_one_line)
{
	check_error("foo()\0", 6, FEVENT_ERR_BAD_CHAR, 5);
	check_error("foo()\n", 6, FEVENT_ERR_BAD_CHAR, 5);
	check_error("foo(\0)", 6, FEVENT_ERR_BAD_CHAR, 4);
	check_error("# x\ny", 5, FEVENT_ERR_BAD_CHAR, 3);
	check_error("\0", 1, FEVENT_ERR_BAD_CHAR, 0);
	/* This error comes before all others, because the caller has split the lines wrongly. */
	check_error("%foo\n", 5, FEVENT_ERR_BAD_CHAR, 4);
}

Test(fevent_parse, a_line_is_as_long_as_the_caller_says)
{
	static const char text[] = "foo(u32 abc, d) as bar\nbaz()";
	static const struct {
		size_t len;
		enum fevent_err err;
		unsigned int column;
		const char *canonical;
	} cuts[] = {
		{ 3, FEVENT_ERR_NO_PAREN, 3 },
		{ 4, FEVENT_ERR_NO_CLOSE, 4 },
		{ 8, FEVENT_ERR_NO_CLOSE, 7 },
		{ 12, FEVENT_ERR_NO_CLOSE, 12 },
		{ 15, FEVENT_ERR_NONE, 0, "foo(u32 abc, d)" },
		{ 18, FEVENT_ERR_NO_NAME, 18 },
		{ 20, FEVENT_ERR_NONE, 0, "foo(u32 abc, d) as b" },
		{ 22, FEVENT_ERR_NONE, 0, "foo(u32 abc, d) as bar" },
	};
	struct fevent_error error;
	struct fevent_proto *proto;
	char *printed;

	for_each(one, cuts) {
		if (one->err) {
			check_error(text, one->len, one->err, one->column);
			continue;
		}
		proto = parse_bytes(text, one->len, &error);
		cr_assert(not(IS_ERR(proto)), "%zu", one->len);
		printed = print(proto);
		expect_str(printed, one->canonical);
		free(printed);
		fevent_proto_free(proto);
	}
}

Test(fevent_parse, the_longest_lines)
{
	char *line = malloc(FEVENT_MAX_LINE + 1);
	struct fevent_error error;
	struct fevent_proto *proto;

	memset(line, ' ', FEVENT_MAX_LINE + 1);
	memcpy(line, "foo()", 5);
	memcpy(line + FEVENT_MAX_LINE - 6, "as bar", 6);
	proto = parse_bytes(line, FEVENT_MAX_LINE, &error);
	cr_assert(not(IS_ERR(proto)));
	cr_assert(eq(str, (char *)proto->name, "bar"));
	fevent_proto_free(proto);
	check_error(line, FEVENT_MAX_LINE + 1, FEVENT_ERR_TOO_LONG, FEVENT_MAX_LINE);
	free(line);
}

Test(fevent_parse, registers_are_as_many_as_the_caller_says)
{
	static const char line[] = "f(u32 $x, y, u32 a, u32 b, u32 c, u32 d)";
	static const unsigned int columns[] = { 13, 20, 27, 34 };
	struct fevent_error error;
	struct fevent_proto *proto;
	unsigned int max;

	for (max = 0; max < 4; max++) {
		proto = fevent_parse(line, strlen(line), max, sample_typedef, &error);
		cr_assert(IS_ERR(proto));
		cr_assert(eq(u32, error.err, FEVENT_ERR_TOO_MANY_ARGS));
		cr_assert(eq(u32, error.column, columns[max]));
	}
	proto = fevent_parse(line, strlen(line), max, sample_typedef, &error);
	cr_assert(not(IS_ERR(proto)));
	fevent_proto_free(proto);
}

/* The columns of what a line has: of a field those of its beginning, name, base and steps */
static void expect_columns(const char *line, const char *wanted)
{
	struct fevent_proto *proto = parse(line);
	char *got = PRINTED(out, {
		if (proto->returns)
			fprintf(out, "returns %u ", proto->ret_column);
		if (proto->module)
			fprintf(out, "module %u ", proto->module_column);
		if (proto->func)
			fprintf(out, "func %u args %u ", proto->func_column, proto->args_column);
		fprintf(out, "name %u", proto->name_column);
		for (struct fevent_field *f = proto->fields; f < proto->fields + proto->nr_fields; f++) {
			fprintf(out, ", %u %u", f->column, f->name_column);
			if (f->source != FEVENT_ARG)
				fprintf(out, " %u", f->base_column);
			for (unsigned int i = 0; i < f->nr_steps; i++)
				fprintf(out, " +%u", f->steps[i].column);
		}
	});

	expect_str(got, wanted, "'%s'", line);
	free(got);
	fevent_proto_free(proto);
}

/* whatever_is_made_is_read_as_such() has all else of a prototype. */
Test(fevent_parse, columns)
{
	expect_columns(
	/*	 0         1         2         3         4         5         6         7 */
	/*	 01234567890123456789012345678901234567890123456789012345678901234567890123456789 */
		" unsigned long ext4 : a.b.0 ( NULL, u8[4] x+40[0] | x64 $j.y, p=a -> b[1].c , s"
		"tring s=0xfe ) as g/n",
		"returns 1 module 15 func 22 args 30 name 97, 36 42 +43 +46, 52 52 56, "
		"62 62 64 +66 +70 +73, 78 85 87");
}

/* Without a name, it is where the function is. */
Test(fevent_parse, what_is_not_given)
{
	struct fevent_proto *proto = parse("#");

	expect_columns("  foo.x(...)", "func 2 args 8 name 2");
	expect_columns("void foo() as functions/foo", "returns 0 func 5 args 9 name 14");
	expect_columns("! g/foo", "name 2");
	cr_expect(eq(int, proto->kind, FEVENT_EMPTY));
	fevent_proto_free(proto);
	fevent_proto_free(NULL);
	cr_assert(zero(long, shim_allocated));
}

Test(fevent_parse, types)
{
	static const struct {
		const char *name;
		unsigned int size;
	} types[] = {
		[FEVENT_T_NONE] = { "", 0 }, [FEVENT_T_VOID] = { "void", 0 },
		[FEVENT_T_U8] = { "u8", 1 }, [FEVENT_T_U16] = { "u16", 2 },
		[FEVENT_T_U32] = { "u32", 4 }, [FEVENT_T_U64] = { "u64", 8 },
		[FEVENT_T_S8] = { "s8", 1 }, [FEVENT_T_S16] = { "s16", 2 },
		[FEVENT_T_S32] = { "s32", 4 }, [FEVENT_T_S64] = { "s64", 8 },
		[FEVENT_T_X8] = { "x8", 1 }, [FEVENT_T_X16] = { "x16", 2 },
		[FEVENT_T_X32] = { "x32", 4 }, [FEVENT_T_X64] = { "x64", 8 },
		[FEVENT_T_CHAR] = { "char", 1 }, [FEVENT_T_UCHAR] = { "unsigned char", 1 },
		[FEVENT_T_SHORT] = { "short", 2 }, [FEVENT_T_USHORT] = { "unsigned short", 2 },
		[FEVENT_T_INT] = { "int", 4 }, [FEVENT_T_UINT] = { "unsigned int", 4 },
		[FEVENT_T_LONG] = { "long", 8 }, [FEVENT_T_ULONG] = { "unsigned long", 8 },
		[FEVENT_T_SIZE_T] = { "size_t", 8 }, [FEVENT_T_SSIZE_T] = { "ssize_t", 8 },
		[FEVENT_T_BOOL] = { "bool", 1 }, [FEVENT_T_SYMBOL] = { "symbol", 8 },
		[FEVENT_T_STRING] = { "string", 4 }, [FEVENT_T_USTRING] = { "ustring", 4 },
		[FEVENT_T_MAX] = { "", 0 },
	};
	char line[64];
	size_t i;

	cr_assert(eq(sz, ARRAY_SIZE(types), (size_t)FEVENT_T_MAX + 1));
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		struct fevent_proto *proto;

		expect_str(fevent_type_name(i), types[i].name);
		cr_expect(eq(u32, fevent_type_size(i), types[i].size), "%s", types[i].name);
		if (i <= FEVENT_T_VOID || i == FEVENT_T_MAX)
			continue;

		/* Each type is valid for a field and for the return value. */
		snprintf(line, sizeof(line), "%s f(%s x)", types[i].name, types[i].name);
		proto = parse(line);
		cr_expect(eq(int, proto->ret_type, (int)i), "'%s'", line);
		cr_expect(eq(int, proto->fields[0].type, (int)i), "'%s'", line);
		fevent_proto_free(proto);
	}
}

Test(fevent_parse, reserved_names)
{
	static const char *const reserved[] = {
		"ret", "duration", "faults", "common_", "common_pid", "__", "__ip", "__parent_ip",
	};
	static const char *const free_ones[] = {
		"re", "retval", "durations", "fault", "common", "commonpid", "_", "_ip", "a__", "Ret",
	};

	for_each(name, reserved)
		cr_expect(fevent_field_name_reserved(*name), "%s", *name);
	for_each(name, free_ones)
		cr_expect(not(fevent_field_name_reserved(*name)), "%s", *name);
}

/* Each allocation fails once. That must give an error and leave no memory allocated. */
Test(fevent_parse, no_memory)
{
	static const char *const some[] = { "", "!x", "foo()", "foo(...)", "foo(u32 x, a.b.c)" };
	static const long allocs[] = { 1, 1, 1, 1, 2 };
	struct fevent_error error;
	struct fevent_proto *proto;
	size_t i;
	long nr;

	for (i = 0; i < ARRAY_SIZE(some); i++) {
		for (nr = 0; ; nr++) {
			shim_allocs_left = nr;
			proto = parse_bytes(some[i], strlen(some[i]), &error);
			shim_allocs_left = -1;
			if (!IS_ERR(proto))
				break;
			cr_assert(eq(long, PTR_ERR(proto), -ENOMEM), "'%s'", some[i]);
			cr_assert(eq(u32, error.err, FEVENT_ERR_NONE), "'%s'", some[i]);
			cr_assert(zero(long, shim_allocated), "'%s'", some[i]);
		}
		cr_expect(eq(long, nr, allocs[i]), "'%s'", some[i]);
		fevent_proto_free(proto);
		cr_assert(zero(long, shim_allocated), "'%s'", some[i]);
	}
}

/*
 * A random prototype, as a structure, and as a line with blanks in random places.
 * Parsing the line must give the structure.
 */
struct made {
	struct fevent_proto	proto;
	struct fevent_field	fields[FEVENT_MAX_FIELDS];
	char			line[FEVENT_MAX_LINE];
	size_t			len;
	char			words[2 * FEVENT_MAX_LINE];
	size_t			words_len;
	unsigned int		unique;		/* words made so far */
	bool			has_addr;	/* a field of that name */
};

static u64 seed;

static unsigned int below(unsigned int n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % n;
}

static const char *keep_word(struct made *made, const char *word)
{
	char *kept = made->words + made->words_len;

	made->words_len += strlen(word) + 1;
	cr_assert(made->words_len <= sizeof(made->words));
	strcpy(kept, word);
	return kept;
}

/* Makes a name that no other word of this prototype has. It may begin with the name of a type. */
static const char *make_word(struct made *made, bool dots)
{
	static const char *const stems[] = {
		"a", "vfs_read", "X", "u32", "unsigned", "NULL", "_x",
	};
	char word[64];

	snprintf(word, sizeof(word), "%s%s%u", stems[below(ARRAY_SIZE(stems))],
		 dots && below(2) ? ".isra." : "_", made->unique++);
	return keep_word(made, word);
}

/* Makes a name of an argument, which may be the name of a type. */
static const char *make_arg_name(struct made *made)
{
	static const char *const types[] = { "string", "long", "unsigned", "u32", "as", "void" };

	return below(2) ? types[below(ARRAY_SIZE(types))] : make_word(made, false);
}

static bool sticks(char c)
{
	return fevent_is_name_char(c) || strchr(".$*?[]", c);
}

static void put_blanks(struct made *made, unsigned int min)
{
	unsigned int nr = below(4) ? min : min + below(3);

	while (nr--)
		made->line[made->len++] = below(4) ? ' ' : '\t';
}

static void put(struct made *made, const char *token)
{
	put_blanks(made, made->len && sticks(made->line[made->len - 1]) && sticks(*token) &&
		   *token != '[' && *token != ']' && made->line[made->len - 1] != '[');
	cr_assert(made->len + strlen(token) + 8 < sizeof(made->line));
	memcpy(made->line + made->len, token, strlen(token));
	made->len += strlen(token);
}

static void put_number(struct made *made, unsigned int n)
{
	char number[32];

	snprintf(number, sizeof(number), below(2) ? "%u" : "0x%x", n);
	put(made, number);
}

static unsigned int make_number(void)
{
	static const unsigned int numbers[] = { 0, 1, 8, 40, 255, 4096, INT_MAX / 64 };

	return numbers[below(ARRAY_SIZE(numbers))];
}

static enum fevent_type put_type(struct made *made)
{
	static const char *const atoms[] = { [FEVENT_T_UCHAR] = "char", [FEVENT_T_USHORT] = "short",
		[FEVENT_T_UINT] = "int", [FEVENT_T_ULONG] = "long", [FEVENT_T_MAX] = NULL };
	enum fevent_type type = FEVENT_T_U8 + below(FEVENT_T_MAX - FEVENT_T_U8);

	if (atoms[type])
		put(made, "unsigned");
	put(made, atoms[type] ?: fevent_type_name(type));
	return type;
}

static void make_steps(struct made *made, struct fevent_field *field)
{
	bool path = field->source == FEVENT_PATH;

	field->nr_steps = below(3) ? below(3) : below(FEVENT_MAX_STEPS + 1);
	for (unsigned int i = 0; i < field->nr_steps; i++) {
		struct fevent_step *step = &field->steps[i];

		if (below(2)) {
			step->kind = FEVENT_INDEX;
			step->n = make_number();
			put(made, "[");
			put_number(made, step->n);
			put(made, "]");
		} else if (path) {
			step->kind = below(2) ? FEVENT_ARROW : FEVENT_DOT;
			step->member = make_word(made, false);
			put(made, step->kind == FEVENT_ARROW ? "->" : ".");
			put(made, step->member);
			field->name = step->member;
		} else {
			step->kind = FEVENT_OFFSET;
			step->n = make_number();
			put(made, "+");
			put_number(made, step->n);
		}
	}
}

static void make_path(struct made *made, struct fevent_field *field)
{
	const char *given = NULL;

	field->source = FEVENT_PATH;
	if (!below(3))
		field->type = put_type(made);
	if (field->type || below(2)) {
		given = make_word(made, false);
		put(made, given);
		put(made, "=");
	}
	/* Without a given name, the field has the name of its base, which then must be unique. */
	field->base = given ? make_arg_name(made) : make_word(made, false);
	put(made, field->base);
	field->name = field->base;
	make_steps(made, field);
	if (given) {
		field->named = true;
		field->name = given;
	}
}

/* TYPE [NAME] '=' ADDR | TYPE ADDR */
static void make_memory(struct made *made, struct fevent_field *field)
{
	unsigned int form = below(4);
	char addr[64], *dot;

	if (below(2)) {
		field->source = FEVENT_SYMBOL;
		field->base = make_word(made, true);
		snprintf(addr, sizeof(addr), "$%s", field->base);
		field->name = keep_word(made, field->base);
		while ((dot = strchr(field->name, '.')))
			*dot = '_';
	} else {
		field->source = FEVENT_ADDR;
		field->addr = below(2) ? below(INT_MAX) : ~0UL - below(INT_MAX);
		snprintf(addr, sizeof(addr), below(2) ? "0x%lx" : "0x%016lX", field->addr);
		field->name = "addr";
		if (made->has_addr)
			form = 3;
		else
			made->has_addr = form != 3;
	}

	switch (form) {
	case 3:
		field->named = true;
		field->name = make_word(made, false);
		/* fallthrough */
	case 2:
		put(made, field->name);
		/* fallthrough */
	case 1:
		put(made, "=");
	}
	put(made, addr);
}

static void make_register(struct made *made, struct fevent_field *field, unsigned int arg)
{
	field->source = FEVENT_ARG;
	field->arg = arg;
	field->named = true;
	field->name = make_word(made, false);
	put(made, field->name);
	make_steps(made, field);
}

/* Returns whether the field reads a register. */
static bool make_field(struct made *made, unsigned int arg)
{
	struct fevent_field *field = &made->fields[made->proto.nr_fields++];

	if (!made->proto.glob && !below(3)) {
		make_path(made, field);
		return false;
	}

	field->type = put_type(made);
	if (field->type != FEVENT_T_STRING && field->type != FEVENT_T_USTRING && !below(3)) {
		field->count = 1 + below(FEVENT_MAX_COUNT);
		put(made, "[");
		put_number(made, field->count);
		put(made, "]");
	}
	if (arg < MAX_ARGS && below(4)) {
		make_register(made, field, arg);
		return true;
	}
	make_memory(made, field);
	return false;
}

static void make_args(struct made *made)
{
	unsigned int arg = 0, nr = below(4) ? below(6) : below(FEVENT_MAX_FIELDS);
	bool first = true, takes_register;

	if (!made->proto.glob && !below(10)) {
		made->proto.all_args = true;
		put(made, "...");
		return;
	}

	while (nr && made->proto.nr_fields < FEVENT_MAX_FIELDS && made->len < FEVENT_MAX_LINE / 2) {
		if (!first)
			put(made, ",");
		first = false;
		if (!below(4) && arg < MAX_ARGS) {
			put(made, "NULL");
			nr--;
			arg++;
			continue;
		}
		takes_register = make_field(made, arg);
		while (--nr && made->proto.nr_fields < FEVENT_MAX_FIELDS && !below(3)) {
			put(made, "|");
			takes_register |= make_field(made, arg);
		}
		arg += takes_register;
	}
}

static void make_name(struct made *made)
{
	struct fevent_proto *proto = &made->proto;

	if (below(2)) {
		proto->group = make_word(made, false);
		proto->named = true;
	} else {
		proto->group = FEVENT_GROUP;
	}
	if (proto->kind == FEVENT_REMOVE || proto->glob || below(2)) {
		proto->name = make_word(made, false);
		proto->named = true;
	}
	if (proto->named || below(2)) {
		if (proto->kind == FEVENT_EVENT)
			put(made, "as");
		if (strcmp(proto->group, FEVENT_GROUP) || below(2)) {
			put(made, proto->group);
			put(made, "/");
		}
		put(made, proto->name);
	}
}

static void make(struct made *made)
{
	static const char *const globs[] = { "%s*", "*%s", "%s_?[a-z]", "%s[!]0]", "?" };
	struct fevent_proto *proto = &made->proto;
	char word[64], *dot;

	memset(made, 0, sizeof(*made));
	proto->fields = made->fields;
	put_blanks(made, 0);
	if (!below(20)) {
		proto->kind = FEVENT_REMOVE;
		proto->named = true;
		put(made, "!");
		make_name(made);
		put_blanks(made, 0);
		return;
	}

	proto->kind = FEVENT_EVENT;
	proto->glob = !below(6);
	if (below(2)) {
		proto->returns = true;
		if (proto->glob || !below(4)) {
			proto->ret_type = FEVENT_T_VOID;
			put(made, "void");
		} else {
			proto->ret_type = put_type(made);
		}
	}
	if (!below(3)) {
		proto->module = below(3) ? make_word(made, false) : "8021q";
		put(made, proto->module);
		put(made, ":");
	}
	proto->func = make_word(made, true);
	proto->name = keep_word(made, proto->func);
	while ((dot = strchr(proto->name, '.')))
		*dot = '_';
	if (proto->glob) {
		snprintf(word, sizeof(word), globs[below(ARRAY_SIZE(globs))], proto->func);
		proto->func = keep_word(made, word);
	}
	put(made, proto->func);
	put(made, "(");
	make_args(made);
	put(made, ")");
	make_name(made);
	put_blanks(made, 0);
}

Test(fevent_parse, whatever_is_made_is_read_as_such, .timeout = 60)
{
	struct made *made = malloc(sizeof(*made));
	unsigned int i, sources[4] = {}, fields = 0;

	for (i = 0; i < 5000; i++) {
		struct fevent_proto *proto;
		const char *difference;
		char *text, *want;

		seed = i;
		make(made);
		proto = parse(made->line);
		difference = fevent_difference(&made->proto, proto);
		cr_assert(difference == NULL, "seed %u: '%s': %s differs", i, made->line,
			  difference);
		text = print(proto);
		want = print(&made->proto);
		cr_assert(eq(str, text, want), "seed %u: '%s'", i, made->line);
		round_trip(made->line, proto);

		for (unsigned int j = 0; j < proto->nr_fields; j++)
			sources[proto->fields[j].source]++;
		fields |= 1U << (proto->nr_fields - !!proto->nr_fields);
		fevent_proto_free(proto);
		free(text);
		free(want);
	}
	/* The generator must really have made fields of every kind. */
	for_each(one, sources)
		cr_expect(gt(u32, *one, 1250));
	cr_expect(gt(u32, fields, 1U << 20));
	cr_assert(zero(long, shim_allocated));
	free(made);
}
