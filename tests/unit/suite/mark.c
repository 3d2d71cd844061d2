// SPDX-License-Identifier: GPL-2.0-only
/* Marks: what a line means, lines that come in pieces, and both sides of the FIFOs. */
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>

#include "suite/mark.h"

#include "put_file.h"

/* ---- what a line means */

struct parsed {
	const char *line;
	enum mark_kind kind;
	int status;
	const char *name;
};

static void expect_parsed(const struct parsed *p, void (*parse)(struct mark *ret, char *line))
{
	char line[256];
	struct mark m;

	snprintf(line, sizeof(line), "%s", p->line);
	parse(&m, line);
	cr_assert(m.kind == p->kind, "\"%s\" is %d", p->line, m.kind);
	if (m.kind == MARK_NONE)
		return;
	expect_str(m.name, p->name, "\"%s\"", p->line);
	cr_expect(m.status == p->status, "\"%s\" has the status %d", p->line, m.status);
}

Test(mark, of_tap_is_a_result)
{
	static const struct parsed lines[] = {
		{ "ok 1 - mount", MARK_RESULT, 0, "mount" },
		{ "not ok 2 - mount twice", MARK_RESULT, 1, "mount twice" },
		{ "ok 3 mount", MARK_RESULT, 0, "mount" },
		{ "ok mount", MARK_RESULT, 0, "mount" },
		{ "ok - mount", MARK_RESULT, 0, "mount" },
		{ "not\tok\t4\tmount", MARK_RESULT, 1, "mount" },
		{ "ok 1 selftests: ext4: write.sh", MARK_RESULT, 0, "selftests: ext4: write.sh" },
		{ "ok 5", MARK_RESULT, 0, "5" },
		{ "ok 5 - # SKIP no disk", MARK_RESULT, 0, "5" },
		{ "ok 6 mount # SKIP no disk", MARK_RESULT, 0, "mount" },
		{ "not ok 7 mount # TODO # later", MARK_RESULT, 1, "mount" },
		{ "ok 8 mount \r", MARK_RESULT, 0, "mount" },
		{ "ok 9 a\\#b\\# # SKIP", MARK_RESULT, 0, "a#b#" },
		{ "ok 9 \\#1", MARK_RESULT, 0, "#1" },
		{ "ok 10 2 mounts", MARK_RESULT, 0, "2 mounts" },
		{ "ok 11mounts", MARK_RESULT, 0, "11mounts" },
		{ "ok 12 -x", MARK_RESULT, 0, "-x" },
		{ "ok", MARK_NONE }, { "ok ", MARK_NONE }, { "not ok", MARK_NONE }, { "ok # SKIP", MARK_NONE }, { "ok -", MARK_NONE },
		{ "okay", MARK_NONE }, { "not okay", MARK_NONE }, { "not 1", MARK_NONE }, { "notok 1 a", MARK_NONE }, { "ok: a", MARK_NONE },
		{ "", MARK_NONE }, { "1..3", MARK_NONE }, { "KTAP version 1", MARK_NONE }, { "OK 1 a", MARK_NONE },
		{ " ok 1 a", MARK_NONE }, { "\tok 1 a", MARK_NONE }, { "# ok 1 a", MARK_NONE }, { "begin a", MARK_NONE },
	};

	for_each (l, lines)
		expect_parsed(l, mark__parse_tap);
}

Test(mark, of_a_fifo_may_be_any_line)
{
	static const struct parsed lines[] = {
		{ "begin mount", MARK_BEGIN, MARK_UNKNOWN, "mount" },
		{ "begin \t mount twice \t", MARK_BEGIN, MARK_UNKNOWN, "mount twice" },
		{ "begin ok 1 a", MARK_BEGIN, MARK_UNKNOWN, "ok 1 a" },
		{ "end 0 mount", MARK_END, 0, "mount" },
		{ "end 3 mount twice", MARK_END, 3, "mount twice" },
		{ "end 255\t4 mounts", MARK_END, 255, "4 mounts" },
		{ "end ? mount", MARK_END, MARK_UNKNOWN, "mount" },
		{ "end ? ?", MARK_END, MARK_UNKNOWN, "?" },
		{ " begin mount", MARK_BEGIN, MARK_UNKNOWN, "mount" },
		{ "ok 1 - mount", MARK_RESULT, 0, "mount" },
		{ "  not ok 2 mount # x", MARK_RESULT, 1, "mount" },
		{ "mount", MARK_RESULT, MARK_UNKNOWN, "mount" },
		{ " mount twice \r", MARK_RESULT, MARK_UNKNOWN, "mount twice" },
		{ "a # b", MARK_RESULT, MARK_UNKNOWN, "a # b" },
		/* Names that begin as another form of line does */
		{ "begin", MARK_RESULT, MARK_UNKNOWN, "begin" },
		{ "beginning", MARK_RESULT, MARK_UNKNOWN, "beginning" },
		{ "end", MARK_RESULT, MARK_UNKNOWN, "end" },
		{ "end x", MARK_RESULT, MARK_UNKNOWN, "end x" },
		{ "end 3", MARK_RESULT, MARK_UNKNOWN, "end 3" },
		{ "end ?", MARK_RESULT, MARK_UNKNOWN, "end ?" },
		{ "end 3x y", MARK_RESULT, MARK_UNKNOWN, "end 3x y" },
		{ "end ?? y", MARK_RESULT, MARK_UNKNOWN, "end ?? y" },
		{ "ending 3 x", MARK_RESULT, MARK_UNKNOWN, "ending 3 x" },
		{ "okay", MARK_RESULT, MARK_UNKNOWN, "okay" },
		{ "ok", MARK_RESULT, MARK_UNKNOWN, "ok" },
		{ "", MARK_NONE }, { " \t\r", MARK_NONE },
	};

	for_each (l, lines)
		expect_parsed(l, mark__parse);
}

/* ---- lines in pieces */

static struct lines lines;
static char taken[8 * sizeof(lines.text)], passed[sizeof(taken)];
static int ends[2];

static void take(void *context, char *line)
{
	cr_expect(context == (void *)taken);
	strcat(strcat(taken, line), "|");
}

static void pass(void *context, const char *text, size_t length)
{
	cr_expect(context == (void *)taken);
	strncat(passed, text, length);
}

static void open_pipe(void)
{
	cr_assert(pipe2(ends, O_NONBLOCK) == 0);
}

static void send(const char *text)
{
	cr_assert(write(ends[1], text, strlen(text)) == (ssize_t)strlen(text));
}

/* Reads what is there, and expects these lines of it. */
static void expect_lines(bool goes_on, const char *wanted)
{
	*taken = '\0';
	cr_expect(lines__read(&lines, ends[0], take, pass, taken) == goes_on);
	expect_str(taken, wanted);
}

TestSuite(lines, .init = open_pipe);

Test(lines, come_in_pieces)
{
	expect_lines(true, "");
	send("on");
	expect_lines(true, "");
	send("e\ntwo\n\nth");
	expect_lines(true, "one|two||");
	send("ree\n");
	expect_lines(true, "three|");
	expect_str(passed, "one\ntwo\n\nthree\n", "all of it is passed on");
}

/* As fast as it is read. */
static void write_more(void *context, char *line)
{
	int *left = context;

	(void)line;
	if (*left > 0)
		send("one more\n");
	--*left;
}

Test(lines, may_come_without_an_end)
{
	int left = 100000;

	send("first\n");
	cr_expect(lines__read(&lines, ends[0], write_more, NULL, &left));
	cr_expect(gt(int, left, 0), "others wait meanwhile");
}

Test(lines, may_lack_the_last_newline)
{
	send("one\ntwo");
	close(ends[1]);
	expect_lines(false, "one|two|");
	expect_lines(false, "");
	expect_str(passed, "one\ntwo");
}

Test(lines, end)
{
	send("one\n");
	close(ends[1]);
	expect_lines(false, "one|");
	close(ends[0]);
	expect_lines(false, "");
}

Test(lines, that_are_too_long_are_cut)
{
	char text[3 * sizeof(lines.text)] = "", wanted[sizeof(text) + 8];
	const size_t most = sizeof(lines.text) - 1;

	/* The longest line that fits */
	memset(text, 'a', most);
	send(text);
	expect_lines(true, "");
	send("\nb\n");
	snprintf(wanted, sizeof(wanted), "%s|b|", text);
	expect_lines(true, wanted);

	/* Twice as much, in two pieces */
	memset(text, 'c', 2 * most);
	send(text);
	text[most] = '\0';
	snprintf(wanted, sizeof(wanted), "%s|", text);
	expect_lines(true, wanted);
	text[most] = 'c';
	send(text);
	expect_lines(true, "");
	send("d\ne\n");
	expect_lines(true, "e|");

	/* The rest of such a line is none at the end of file, either. */
	send(text);
	snprintf(wanted, sizeof(wanted), "%.*s|", (int)most, text);
	expect_lines(true, wanted);
	send("f");
	close(ends[1]);
	expect_lines(false, "");
}

/* ---- the two sides */

static struct guard *g;
static struct marks marks;
static struct marker marker;

static void open_marks(void)
{
	enter_dir();
	cr_redirect_stderr();
	signal(SIGPIPE, SIG_IGN);
	setenv("TMPDIR", test_dir, 1);
	cr_assert(guard__start(&g) == 0);
	cr_assert(marks__open(&marks, g) == 0);
	cr_assert(marker__open(&marker) == 0);
	cr_assert(marker.to >= 0 && marker.answers >= 0);
}

static void close_marks(void)
{
	marker__close(&marker);
	marks__close(&marks);
	cr_expect(guard__finish(g) == 0);
	cr_expect(rmdir(test_dir) == 0, "the watchdog has removed all");
}

TestSuite(marks, .init = open_marks, .fini = close_marks, .timeout = 30);

struct saying {
	pthread_t thread;
	struct marker marker;
	const char *name;
	atomic_bool done;
	int err;
};

static void *say(void *data)
{
	struct saying *s = data;

	s->err = marker__open(&s->marker) ?: marker__say(&s->marker, "begin %s", s->name);
	s->done = true;
	return NULL;
}

static void start_saying(struct saying *s, const char *name)
{
	*s = (struct saying){ .name = name };
	cr_assert(pthread_create(&s->thread, NULL, say, s) == 0);
}

/* The marks that come within a tenth of a second; with @wanted, returns as soon as they are there. */
static void expect_marks(const char *wanted)
{
	*taken = '\0';
	for (int i = 0; i < (*wanted ? 1000 : 10) && (!*wanted || strlen(taken) < strlen(wanted)); i++) {
		cr_expect(lines__read(&marks.lines, marks.fd, take, NULL, taken));
		usleep(10000);
	}
	expect_str(taken, wanted);
}

static void expect_waiting(const struct saying *s)
{
	usleep(100000);
	cr_expect(not(s->done));
}

static int said(struct saying *s)
{
	pthread_join(s->thread, NULL);
	marker__close(&s->marker);
	return s->err;
}

Test(marks, wait_for_the_answer)
{
	struct saying s;

	start_saying(&s, "mount");
	expect_marks("begin mount|");
	expect_waiting(&s);
	marks__answer(&marks);
	cr_expect(said(&s) == 0);
}

Test(marks, do_not_take_an_answer_that_was_there_before)
{
	struct saying s;

	marks__answer(&marks);
	marks__answer(&marks);
	start_saying(&s, "mount");
	expect_marks("begin mount|");
	expect_waiting(&s);
	marks__answer(&marks);
	cr_expect(said(&s) == 0);
}

Test(marks, come_one_at_a_time)
{
	struct saying one, two;

	start_saying(&one, "one");
	expect_marks("begin one|");
	start_saying(&two, "two");
	expect_marks("");
	marks__answer(&marks);
	/* The first one need not end for that. */
	expect_marks("begin two|");
	expect_waiting(&two);
	marks__answer(&marks);
	cr_expect(said(&two) == 0);
	cr_expect(said(&one) == 0);
}

Test(marks, answer_even_if_nobody_has_ever_read_answers)
{
	/* A pipe has room for 64 KB. */
	for (int i = 0; i < 100000; i++)
		marks__answer(&marks);
	struct saying s;

	start_saying(&s, "mount");
	expect_marks("begin mount|");
	expect_waiting(&s);
	marks__answer(&marks);
	cr_expect(said(&s) == 0);
}

Test(marks, wait_for_room)
{
	char line[1024];
	struct saying s;
	ssize_t written;

	memset(line, 'a', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	do
		written = write(marker.to, line, sizeof(line));
	while (written > 0);
	cr_assert(eq(int, errno, EAGAIN));
	start_saying(&s, "mount");
	expect_waiting(&s);
	for (int i = 0; i < 500 && *line != 'b'; i++) {
		while (read(marks.fd, line, sizeof(line)) > 0 && *line != 'b')
			;
		usleep(10000);
	}
	cr_expect(strncmp(line, "begin mount\n", 12) == 0);
	marks__answer(&marks);
	cr_expect(said(&s) == 0);
}

Test(marks, are_errors_if_the_suite_has_ended)
{
	struct saying s;

	start_saying(&s, "mount");
	expect_marks("begin mount|");
	marks__close(&marks);
	cr_expect(said(&s) == -EPIPE, "while it waits");
	cr_expect(marker__say(&marker, "end 0 mount") == -EPIPE, "before it waits");
	marker__close(&marker);
	cr_expect(marker__open(&marker) == -ENXIO, "nobody reads");
	cr_expect(marker.to < 0 && marker.answers < 0);
	marks = (struct marks){ .fd = -1, .answer_fd = -1 };
	setenv(MARK_VARIABLE, in_dir("gone/mark"), 1);
	cr_expect(marker__open(&marker) == -ENOENT);
	setenv(MARK_VARIABLE, "gone", 1);
	cr_expect(marker__open(&marker) == -ENOENT);
	put_file(".", "half/mark", "");
	setenv(MARK_VARIABLE, "half/mark", 1);
	cr_expect(marker__open(&marker) == -ENOENT, "there is nowhere to wait for an answer");
	cr_expect(marker.to < 0 && marker.answers < 0);
	run_shell("rm -r half");
}

Test(marks, are_for_nobody_outside_of_a_suite)
{
	marker__close(&marker);
	setenv(MARK_VARIABLE, "", 1);
	cr_expect(marker__open(&marker) == 0);
	cr_expect(marker.to < 0 && marker.answers < 0);
	cr_expect(marker__say(&marker, "begin mount") == 0);
	unsetenv(MARK_VARIABLE);
	cr_expect(marker__open(&marker) == 0);
	cr_expect(marker__say(&marker, "begin mount") == 0);
	expect_marks("");
}

Test(marks, are_one_line)
{
	char name[PIPE_BUF];
	struct saying s;

	cr_expect(marker__say(&marker, "begin a\nb") == -EINVAL);
	memset(name, 'a', sizeof(name));
	name[sizeof(name) - 6] = '\0';
	cr_expect(marker__say(&marker, "begin %s", name) == -EINVAL);
	name[sizeof(name) - 7] = '\0';
	start_saying(&s, name);
	snprintf(passed, sizeof(passed), "begin %s|", name);
	expect_marks(passed);
	marks__answer(&marks);
	cr_expect(said(&s) == 0);
}

Test(marks, have_no_place_to_be)
{
	struct marks other;

	setenv("TMPDIR", in_dir("gone"), 1);
	cr_expect(marks__open(&other, g) == -ENOENT);
	marks__close(&other);
}
