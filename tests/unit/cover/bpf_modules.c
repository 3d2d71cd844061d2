// SPDX-License-Identifier: GPL-2.0
/*
 * Which modules that come are traced, when attaching to some of them fails. The kernel's lists, its answers and the
 * link are made up here.
 */

void *fake_reallocarray(void *list, size_t count, size_t size);

#define symbols__load_modules fake_load_modules
#define module__has_ended_init fake_has_ended_init
#define traceable__load fake_load_functions
#define tracefs_file_exists fake_file_exists
#define bpf_program__attach_kprobe_multi_opts fake_attach
#define bpf_cover__replace_link fake_replace_link
#define bpf_cover__leave_out_own fake_leave_out_own
#define bpf_cover__news_lost fake_news_lost
#define ring_buffer__consume fake_consume
#define reallocarray fake_reallocarray
#include "cover/bpf_modules.c"

#include "kernel/sample.h"

#define MODULES "one 4096 0 - Live 0xffffffffc0400000\ntwo 4096 0 - Live 0xffffffffc0500000\n"
#define ONE "ffffffffc0400000"
#define TWO "ffffffffc0500000"

static const char *modules = MODULES, *in_init = "";
/* Lists of functions with this address are refused, this often. */
static unsigned long refused;
static int refusals, refusal, attempts, unknown;
static char attached[256];
static bool no_memory;

int fake_load_modules(struct symbols **ret)
{
	autofclose FILE *kallsyms = sample_file(ONE " t f1\t[one]\n" TWO " t f2\t[two]\n"), *list = sample_file(modules);
	int err = symbols__read(ret, kallsyms, list);

	return err;
}

int fake_has_ended_init(const char *name)
{
	return strcmp(name, in_init) ? 1 : unknown;
}

int fake_load_functions(struct traceable **ret, const struct symbols *symbols)
{
	autofclose FILE *f = sample_file(ONE " f1 [one]\n" TWO " f2 [two]\n");
	int err = traceable__read(ret, f, symbols);

	return err;
}

bool fake_file_exists(struct tracefs_instance *instance, const char *name)
{
	return true;
}

struct bpf_link *fake_attach(const struct bpf_program *program, const char *pattern,
			     const struct bpf_kprobe_multi_opts *opts)
{
	attempts++;
	*attached = '\0';
	for (size_t i = 0; i < opts->cnt; i++) {
		if (opts->addrs[i] == refused && refusals) {
			refusals--;
			errno = refusal;
			return NULL;
		}
		snprintf(attached + strlen(attached), sizeof(attached) - strlen(attached), "%s%lx", i ? " " : "",
			 opts->addrs[i]);
	}
	return (struct bpf_link *)attached;
}

int fake_replace_link(struct bpf_cover *b, size_t which, struct bpf_link *link)
{
	return 0;
}

void fake_leave_out_own(void *engine, bool leave_out)
{
}

uint64_t fake_news_lost(const struct bpf_cover *b)
{
	return 2;
}

int fake_consume(struct ring_buffer *news)
{
	return 0;
}

void *fake_reallocarray(void *list, size_t count, size_t size)
{
	return no_memory ? NULL : realloc(list, count * size);
}

static const struct filter filter;
static const struct kernel kernel;
static const struct request request = { .kernel = &kernel, .filter = &filter, .alone = true };
static struct bpf_cover cover = { .request = &request };

static void tend(struct bpf_modules *m, int times)
{
	for (int i = 0; i < times; i++) {
		m->next = 0;
		bpf_modules__tend(m);
	}
}

/* Two modules come. */
static struct bpf_modules two_come(void)
{
	struct bpf_modules m = { .cover = &cover, .news = (struct ring_buffer *)modules };

	add(&m, "one", 1);
	add(&m, "two", 1);
	return m;
}

static void forget(struct bpf_modules *m)
{
	free(m->list);
	free(m->addrs);
}

Test(bpf_modules, one_that_is_refused_leaves_the_others_traced)
{
	struct bpf_modules m = two_come();

	refused = 0xffffffffc0400000;
	refusals = 1000;
	refusal = EINVAL;
	for (int turn = 1; turn <= 3; turn++) {
		bool goes_on = bpf_modules__tend(&m) == 0;

		cr_expect(goes_on == (turn < 3), "signals are looked for, and then the next one is tried");
		cr_expect(attempts == turn, "%d", attempts);
	}
	cr_expect(m.next > clock__monotonic() && !m.spent);
	cr_expect(not(bpf_modules__has(&m, "one")));
	cr_expect(bpf_modules__has(&m, "two"));
	cr_expect(eq(str, attached, TWO));
	cr_expect(m.list[0].state == COMING, "it may pass");
	tend(&m, 100);
	cr_expect(m.list[0].state == UNTRACED, "it does not");
	cr_expect(eq(str, (char *)m.list[0].reason, strerror(EINVAL)));
	cr_expect(attempts < 20, "%d", attempts);
	cr_expect(eq(str, attached, TWO));
	forget(&m);
}

Test(bpf_modules, one_that_was_not_tried_alone_is_not_without_time)
{
	struct bpf_modules m = two_come();

	refused = 0xffffffffc0400000;
	refusals = 1000;
	refusal = EINVAL;
	bpf_modules__tend(&m);
	add(&m, "three", 2);
	set_untraced(&m, "no time");
	cr_expect(strstr(m.list[0].reason, "with other modules") != NULL);
	cr_expect(strstr(m.list[1].reason, "with other modules") != NULL);
	cr_expect(eq(str, (char *)m.list[2].reason, "no time"));
	forget(&m);
}

Test(bpf_modules, what_may_pass_is_tried_again)
{
	static const struct {
		__u64 refused;
		int refusal;
		const char *attached;
	} cases[] = {
		{ 0xffffffffc0500000, ENOENT, ONE " " TWO }, { 0xffffffffc0400000, EPERM, TWO },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bpf_modules m = two_come();

		refused = cases[i].refused;
		refusals = 2;
		refusal = cases[i].refusal;
		tend(&m, 4);
		cr_expect(bpf_modules__has(&m, "two"));
		cr_expect(bpf_modules__has(&m, "one") == (refusal == ENOENT) && (m.list[0].state == UNTRACED) == (refusal == EPERM));
		cr_expect(eq(str, attached, (char *)cases[i].attached));
		forget(&m);
	}
}

Test(bpf_modules, one_whose_init_text_is_there_has_to_wait)
{
	struct bpf_modules m = two_come();

	in_init = "one";
	tend(&m, 2);
	cr_expect(not(bpf_modules__has(&m, "one")));
	cr_expect(eq(str, attached, TWO));
	cr_expect(attempts == 1);
	in_init = "";
	tend(&m, 1);
	cr_expect(bpf_modules__has(&m, "one"));
	cr_expect(eq(str, attached, TWO " " ONE));
	forget(&m);
}

/* As if /sys/module/one/initsize did not exist. */
Test(bpf_modules, one_whose_init_text_is_not_known_waits_for_a_second)
{
	struct bpf_modules m = two_come();

	in_init = "one";
	unknown = -ENOENT;
	modules = "one 4096 0 - Loading 0xffffffffc0400000\ntwo 4096 0 - Live 0xffffffffc0500000\n";
	tend(&m, 1);
	cr_expect(m.list[0].live == 0, "its init function runs");
	modules = MODULES;
	tend(&m, 1);
	cr_expect(not(bpf_modules__has(&m, "one")));
	m.list[0].live -= 2 * INIT_TEXT_LASTS;
	tend(&m, 1);
	cr_expect(bpf_modules__has(&m, "one"));
	cr_expect(eq(str, attached, TWO " " ONE));
	forget(&m);
}

Test(bpf_modules, one_that_is_gone_is_settled)
{
	struct bpf_modules m = two_come();

	modules = "two 4096 0 - Live 0xffffffffc0500000\n";
	tend(&m, 1);
	cr_expect(m.list[0].state == UNTRACED);
	cr_expect(eq(str, attached, TWO));
	forget(&m);
}

Test(bpf_modules, one_that_cannot_be_noted_counts_as_untraced)
{
	struct bpf_modules m = two_come();
	struct cover_news news = { .module = "three" };
	struct coverage c = {};

	tend(&m, 1);
	no_memory = true;
	cr_expect(on_news(&m, &news, sizeof(news)) == 0, "the messages behind it are read, too");
	no_memory = false;
	cr_expect(on_news(&m, &news, sizeof(news) - 1) == 0);
	cr_assert(bpf_modules__collect(&m, &c, NULL) == 0);
	cr_expect(eq(u64, counters__get(&c.lost, "modules_untraced"), 2 + 1));
	counters__free(&c.lost);
	forget(&m);
}
