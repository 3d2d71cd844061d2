// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: the SVG text of pictures. tests/host/picture.sh looks at a picture in a browser.
 */
#include "boot/boot.h"
#include "boot/picture.h"
#include "printed.h"

#define MS 1000000LL
#define MOST_BYTES 2000000

TestSuite(picture, .fini = free_printed);

/* ---- pieces */

static void expect_escaped(const char *name, size_t most, const char *expected)
{
	PRINT(f, svg__text(f, name, most));
	cr_expect(eq(str, text, (char *)expected));
}

#define NONE "\xef\xbf\xbd"

Test(picture, any_bytes_become_text_of_xml)
{
	expect_escaped("<a b=\"c\"> & 'd'", 100, "&lt;a b=&quot;c&quot;&gt; &amp; 'd'");
	expect_escaped("]]>", 100, "]]&gt;");
	expect_escaped("a\tb\nc\x7f\x01", 100, "a" NONE "b" NONE "c" NONE NONE);
	expect_escaped("\xff\xc0\x80\xed\xa0\x80 \xe2\x82", 100, NONE NONE NONE NONE NONE NONE " " NONE NONE);
	/* U+FFFE, U+FFFF, and two characters that change the direction of writing. */
	expect_escaped("\xef\xbf\xbe\xef\xbf\xbf\xe2\x80\xae\xe2\x81\xa6", 100, NONE NONE NONE NONE);
	expect_escaped("\xc3\xa4 \xf0\x9f\x90\xa7", 100, "\xc3\xa4 \xf0\x9f\x90\xa7");
	expect_escaped("", 100, "");
}

Test(picture, long_texts_are_cut)
{
	expect_escaped("abcdef", 6, "abcdef");
	expect_escaped("abcdefg", 6, "abcde\xe2\x80\xa6");
	expect_escaped("\xff\xff\xff", 2, NONE "\xe2\x80\xa6");
	expect_escaped("&&&&", 3, "&amp;&amp;\xe2\x80\xa6");
}

Test(picture, times_for_people)
{
	static const struct {
		int64_t ns;
		const char *text;
	} times[] = {
		{ 0, "0 ns" }, { 999, "999 ns" }, { 1500, "1.5 µs" }, { 61000, "61 µs" }, { 999949, "1000 µs" },
		{ 999950, "1.00 ms" }, { 12340000, "12.34 ms" }, { 99999500, "100.0 ms" }, { 999999499, "1000.0 ms" },
		{ 999999500, "1.000 s" }, { -2500000000, "-2.500 s" },
	};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		cr_expect(eq(str, svg__time(times[i].ns, false).text, (char *)times[i].text));
	cr_expect(eq(str, svg__time(12, true).text, "12 cycles"));
}

/* ---- a picture of made-up bars */

static struct timeline t;
static struct boot b = { .kernel.release = "6.12.0-test", .boot_id = "a boot", .early.tracer = "function" };
static size_t lane;

static size_t add_lane(const char *name, enum timeline_part_id part, enum lane_kind kind)
{
	return timeline__lane(&t, &(struct lane){ .name = name, .kind = kind, .part = part, .pid = -1 });
}

static void begin(enum lane_kind kind)
{
	timeline__init(&t);
	lane = add_lane("process 1", TIMELINE_BOOT, kind);
}

static void end(void)
{
	timeline__finish(&t);
	PRINT(f, picture__write(&t, &b, f));
	timeline__free(&t);
}

static size_t count(const char *part)
{
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
		n++;
	return n;
}

/* Finds the x and width of the bar whose tooltip begins with @tip. */
static void find_bar(const char *picture, const char *tip, double *x, double *width)
{
	const char *title, *at;
	char begin[200];

	snprintf(begin, sizeof(begin), "<title>%s", tip);
	title = strstr(picture, begin);
	cr_assert(title != NULL, "%s is not in %s", tip, picture);
	for (at = title; strncmp(at, "<rect ", 6); at--)
		cr_assert(at > picture);
	cr_assert(sscanf(strstr(at, " x="), " x=\"%lf\" y=\"%*f\" width=\"%lf\"", x, width) == 2, "%.100s", at);
}

static void expect_place(const char *picture, const char *tip, double x, double width)
{
	double got_x, got_width;

	find_bar(picture, tip, &got_x, &got_width);
	cr_expect(got_x > x - 0.1 && got_x < x + 0.1, "%s: %f, not %f", tip, got_x, x);
	cr_expect(got_width > width - 0.7 && got_width < width + 0.1, "%s: %f, not %f", tip, got_width, width);
}

Test(picture, bars_are_where_their_times_are)
{
	begin(LANE_NESTS);
	timeline__add(&t, lane, SPAN_INITCALL, "first", -500 * MS, 500 * MS);
	timeline__add(&t, lane, SPAN_INITCALL, "inner", 0, 125 * MS)->result = -19;
	timeline__add(&t, lane, SPAN_WAIT, "last", 1000 * MS, 2000 * MS);
	end();
	/* 1,250 pixels show 2.5 s. */
	expect_place(text, "first\n", PICTURE_LEFT, 500);
	expect_place(text, "inner\n", PICTURE_LEFT + 250, 62.5);
	expect_place(text, "last\n", PICTURE_LEFT + 750, 500);
	cr_expect(strstr(text, "<rect class=\"bar initcall\"") != NULL && strstr(text, "<rect class=\"bar wait\"") != NULL);
	expect_text("<title>inner\ninitcall: 125.0 ms\nfrom 0.000000 s to 0.125000 s\nresult: -19</title>");
	expect_text("<title>first\ninitcall: 1.000 s\nfrom -0.500000 s to 0.500000 s\n"
		    "without what is inside: 875.0 ms</title>");
	cr_expect(strstr(text, ">-0.4 s</text>") != NULL && strstr(text, ">2.0 s</text>") != NULL, "%s", text);
	expect_text("The boot: 2.500 s");
}

Test(picture, a_name_is_in_its_bar_if_it_fits)
{
	begin(LANE_NESTS);
	timeline__add(&t, lane, SPAN_INITCALL, "wide", 0, 100 * MS);
	timeline__add(&t, lane, SPAN_INITCALL, "a_narrow_one", 900 * MS, 910 * MS);
	end();
	cr_expect(strstr(text, "<text class=\"on\" x=\"133.0\"") != NULL && strstr(text, ">wide</text>") != NULL, "%s", text);
	cr_expect(count(">a_narrow_one") == 2, "a tip, and in the list of the longest");
}

Test(picture, hostile_names_are_text)
{
	static const char name[] = "</title><script>alert(1)</script>\"&\x01\xff";
	static const char clean[] = "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&amp;" NONE NONE;

	begin(LANE_NESTS);
	b.kernel.release = (char *)name;
	timeline__add(&t, lane, SPAN_INITCALL, name, 0, 1000 * MS)->in = name;
	timeline__mark(&t, name, 500 * MS);
	lane = add_lane(name, TIMELINE_BOOT, LANE_APART);
	timeline__add(&t, lane, SPAN_UNIT, name, 100 * MS, 110 * MS);
	end();
	b.kernel.release = "6.12.0-test";
	cr_expect(strstr(text, "<script") == NULL && strstr(text, "\x01") == NULL && strstr(text, "\xff") == NULL);
	/* In the title, head (2), mark (2), two bars and their tooltips, an argument, the lane. */
	cr_expect(count(clean) >= 9, "%zu: %s", count(clean), text);
}

Test(picture, it_needs_nothing_from_elsewhere)
{
	begin(LANE_NESTS);
	timeline__add(&t, lane, SPAN_INITCALL, "first", 0, 800 * MS);
	timeline__add(&t, lane, SPAN_INITCALL, "second", 820 * MS, NOT_KNOWN);
	timeline__add(&t, lane, SPAN_INITCALL, "third", 900 * MS, 950 * MS);
	timeline__mark(&t, "/init", 800 * MS);
	end();
	cr_expect(strstr(text, "<script") == NULL && strstr(text, "href") == NULL && strstr(text, "url(") == NULL &&
		  strstr(text, "@import") == NULL && strstr(text, "<!") == NULL);
	/* The only URL is the name of the XML namespace, which viewers do not open. */
	cr_expect(count("://") == 1 && count("xmlns=\"http://www.w3.org/2000/svg\"") == 1);
	expect_text("<title>Boot of Linux 6.12.0-test</title>");
	expect_text(">800.0 ms  until /init</text>");
	expect_text(">Nothing is lost.</text>");
	expect_text("<title>second\ninitcall: its end is not known");
}

Test(picture, losses_are_told)
{
	struct counter early[] = { { "lost", 7 }, { "overflow", 0 } };

	begin(LANE_NESTS);
	timeline__add(&t, lane, SPAN_INITCALL, "first", 0, 800 * MS);
	b.lost = 77;
	b.early.lost = (struct counters){ early, 2 };
	end();
	b.lost = 0;
	b.early.lost = (struct counters){};
	expect_text(">Lost: 77 events</text>");
	expect_text(">Lost: early: lost 7</text>");
	cr_expect(strstr(text, "Nothing is lost") == NULL && strstr(text, "overflow") == NULL);
}

Test(picture, the_early_part_has_its_own_view)
{
	for (int counts = 0; counts < 2; counts++) {
		free_printed();
		timeline__init(&t);
		t.parts[TIMELINE_EARLY].counts = counts;
		t.parts[TIMELINE_EARLY].own_clock = true;
		lane = add_lane("calls", TIMELINE_EARLY, LANE_NESTS);
		timeline__add(&t, lane, SPAN_CALL, "start_kernel", 0, 950000);
		timeline__add(&t, lane, SPAN_CALL, "setup_arch", 20000, 900000);
		end();
		cr_expect(count("<g class=\"view\"") == 1);
		expect_text(counts ? "The early part, before ftrace, since the first call: 950000 cycles" :
				     "The early part, before ftrace, since the first call: 950 µs");
		/* 1,250 pixels show 950 us. */
		expect_place(text, "setup_arch\ncall", PICTURE_LEFT + 20 * 1250 / 950.0, 880 * 1250 / 950.0);
		expect_text("When an early call returned is not known");
		expect_text(counts ? "call: 880000 cycles\nfrom 20000 to 900000<" : "call: 880 µs\nfrom 0.000020 s to 0.000900 s<");
	}
}

Test(picture, a_small_share_of_the_kernel_is_shown_larger)
{
	begin(LANE_NESTS);
	timeline__add(&t, lane, SPAN_PHASE, "firmware", -1000 * MS, 0);
	timeline__add(&t, lane, SPAN_PHASE, "kernel", 0, 1000 * MS);
	timeline__add(&t, lane, SPAN_PROGRAM, "init", 1000 * MS, 10000 * MS);
	timeline__mark(&t, "init", 1000 * MS);
	lane = add_lane("CPU 0", TIMELINE_BOOT, LANE_NESTS);
	timeline__add(&t, lane, SPAN_WAIT, "over the edges", -500 * MS, 500 * MS);
	end();
	cr_expect(count("<g class=\"view\"") == 2);
	cr_expect(strstr(text, "data-from=\"0\" data-to=\"1000000000\"") != NULL, "without the firmware: %s", text);
	cr_expect(count("<title>kernel\n") == 2);
	/* A bar that only touches the view is at its edge. */
	expect_place(strstr(text, "data-from=\"0\""), "kernel\n", PICTURE_LEFT, PICTURE_BARS);
	expect_place(strstr(text, "data-from=\"0\""), "over the edges\n", PICTURE_LEFT, PICTURE_BARS / 2);
}

/* ---- packed lanes */

/* Where the bar of this name is, from above. */
static double row_of(const char *name)
{
	char *title = strstr(text, "<title>"), *bar;
	double y = -1;

	while (title && strncmp(title + strlen("<title>"), name, strlen(name)))
		title = strstr(title + 1, "<title>");
	for (bar = title; bar && bar > text && strncmp(bar, "<rect", 5);)
		bar--;
	cr_assert(bar && sscanf(bar, "<rect class=\"bar unit\" x=\"%*f\" y=\"%lf\"", &y) == 1, "%s", name);
	return y;
}

Test(picture, each_unit_has_a_row_and_a_name)
{
	begin(LANE_APART);
	for (int i = 0; i < 150; i++)
		timeline__add(&t, lane, SPAN_UNIT, timeline__keep(&t, "unit-%03d", i), i * 10 * MS,
			      (i * 10 + (i % 5 ? 15 : i % 2 ? 400 : 0)) * MS);
	timeline__add(&t, lane, SPAN_UNIT, "never", 200 * MS, NOT_KNOWN);
	end();
	cr_expect(count("\">unit-") == 150 + 8, "and in the list of the longest: %zu", count("\">unit-"));
	cr_expect(count("<rect class=\"bar unit\"") == 135 && count("<path class=\"bar unit\"") == 16, "those without duration are signs");
	expect_text(">unit-010</text>");
	/* Even if one ends before the next one begins, each has a row of its own. */
	cr_expect(row_of("unit-101") - row_of("unit-001") >= 100 * (row_of("unit-002") - row_of("unit-001")));
	cr_expect(strstr(text, ">never …</text>") != NULL && strstr(text, "unit: its end is not known") != NULL);
	cr_expect(strstr(text, "bar unit joined") == NULL);
}

Test(picture, the_longest_modules_have_names_and_the_others_are_joined)
{
	begin(LANE_APART);
	for (int i = 0; i < 200; i++)
		timeline__add(&t, lane, SPAN_MODULE, timeline__keep(&t, "module-%d", i), i * 10 * MS,
			      (i * 10 + (i % 5 ? 15 : 400 + i)) * MS);
	end();
	cr_expect(count("\">module-") == 40 + 8, "%zu", count("\">module-"));
	expect_text(">module-195 595.0 ms</text>");
	expect_text("class=\"bar module joined\"");
	expect_text("160 bars");
}

/* Wherever the bar is, and however long it and the name are. */
Test(picture, a_name_is_in_the_picture)
{
	char name[2][101];
	double x;

	for (int i = 0; i < 2; i++) {
		memset(name[i], 'a' + i, sizeof(name[i]) - 1);
		name[i][sizeof(name[i]) - 1] = '\0';
	}
	begin(LANE_APART);
	timeline__add(&t, lane, SPAN_UNIT, name[0], 200 * MS, 700 * MS);
	timeline__add(&t, lane, SPAN_UNIT, name[1], 990 * MS, 1000 * MS);
	timeline__add(&t, lane, SPAN_UNIT, "first", 0, 10 * MS);
	end();
	cr_assert(sscanf(strstr(text, "<text class=\"mono\" x=\"1377"), "<text class=\"mono\" x=\"%lf\" y=\"%*f\" text-anchor=\"end\">aaa", &x) == 1);
	expect_text("text-anchor=\"end\">bbb");
}

Test(picture, calls_that_take_microseconds_have_no_names)
{
	begin(LANE_APART);
	timeline__add(&t, lane, SPAN_UNIT, "unit", 0, 1000);
	timeline__add(&t, lane, SPAN_CALL, "short_one", 1000 * MS, 1000 * MS + 2000);
	timeline__add(&t, lane, SPAN_CALL, "long_one", 5000 * MS, 5100 * MS);
	end();
	cr_expect(strstr(text, ">unit 1.0 µs</text>") != NULL || strstr(text, ">unit 1 µs</text>") != NULL, "%s", text);
	expect_text(">long_one 100.0 ms</text>");
	cr_expect(strstr(text, ">short_one 2") == NULL && strstr(text, "<title>short_one\n") != NULL);
}

/* ---- the load */

Test(picture, how_busy_the_machine_was)
{
	begin(LANE_NESTS);
	timeline__add(&t, lane, SPAN_PHASE, "all", 0, 1000 * MS);
	boot_load__init(&t.load, 0, 1000 * MS, 4, 2);
	boot_load__add(&t.load, 0, 0, 1000 * MS, false);
	boot_load__add(&t.load, 0, 250 * MS, 500 * MS, true);
	t.load.io_bytes[2] = 1000000;
	t.load.numbers[1] = 4;
	end();
	cr_expect(strstr(text, ">CPUs busy</text>") != NULL && strstr(text, ">CPU 4 busy</text>") != NULL);
	/* The busy shares of the bins: 0, 1, 0, 0. */
	expect_text("<path class=\"busy\" d=\"M130.00 193.0V193.0H442.50V150.0H755.00V193.0H1067.50V193.0H1380.00V193.0\"/>");
	expect_text("<path class=\"busy\" d=\"M130.00 233.0V233.0M442.50 233.0V233.0M755.00 233.0");
	expect_text(">≤ 4.0 MB/s</text>");
}

/* ---- half a million calls */

static void expect_small(void)
{
	cr_expect(strlen(text) < MOST_BYTES, "%zu bytes", strlen(text));
	cr_expect(strlen(text) > 1000);
	cr_expect(eq(str, text + strlen(text) - 7, "</svg>\n"));
}

/* Like a boot: 500,000 calls, up to 40 deep. */
Test(picture, half_a_million_calls_are_less_than_two_megabytes, .timeout = 120)
{
	static char names[40][32];
	int64_t starts[40], time = 0;
	size_t depth = 0, returns = 0;

	timeline__init(&t);
	lane = add_lane("calls", TIMELINE_EARLY, LANE_NESTS);
	srand(1);
	for (int i = 0; i < 500000; time += rand() % 2000) {
		if (!returns && (depth < 3 || (rand() % 3 && depth < 40))) {
			starts[depth++] = time;
			continue;
		}
		returns = returns ? returns - 1 : rand() % (depth - 2);
		depth--;
		snprintf(names[depth], sizeof(names[depth]), "a_function_%zu", depth);
		timeline__add(&t, lane, SPAN_CALL, names[depth], starts[depth], time);
		i++;
	}
	end();
	expect_small();
	cr_expect(strstr(text, "a_function_5") != NULL && strstr(text, "joined") != NULL);
	cr_expect(strstr(text, " bars are too deep inside others") != NULL, "%s", text + strlen(text) - 500);
}

/* The worst case: 1,250 bars in each of 100 lanes, all wide enough to be drawn. */
Test(picture, a_picture_is_small_whatever_is_in_it, .timeout = 120)
{
	char name[300];

	begin(LANE_NESTS);
	memset(name, '&', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (int i = 0; i < 100; i++) {
		lane = add_lane(timeline__keep(&t, "CPU %d", i), TIMELINE_BOOT, LANE_NESTS);
		for (int j = 0; j < 1250; j++)
			timeline__add(&t, lane, SPAN_RUNNING, name, j * 2 * MS, (j * 2 + 1) * MS);
	}
	t.parts[TIMELINE_BOOT].end = 2500 * MS;
	t.parts[TIMELINE_BOOT].end_known = true;
	end();
	expect_small();
	cr_expect(count("class=\"lane\"") == 100);
	cr_expect(strstr(text, "125000 bars") != NULL, "all are joined, and told of: %s", strstr(text, "Bars that are"));
}
