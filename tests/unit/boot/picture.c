// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: the SVG text of pictures. tests/host/picture.sh looks at a picture in a browser.
 */
#include "boot/boot_sample.h"
#include "boot/picture.h"
#include "boot/start_sample.h"

#define MS 1000000LL
#define MOST_BYTES 2000000

TestSuite(picture, .init = enter, .fini = leave);

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

static void expect_time(int64_t ns, const char *expected)
{
	char room[32];

	cr_expect(eq(str, (char *)svg__time(ns, 0, room, sizeof(room)), (char *)expected));
}

Test(picture, times_for_people)
{
	char room[32];

	expect_time(0, "0 ns");
	expect_time(999, "999 ns");
	expect_time(1500, "1.5 µs");
	expect_time(61000, "61 µs");
	expect_time(999949, "1000 µs");
	expect_time(999950, "1.00 ms");
	expect_time(12340000, "12.34 ms");
	expect_time(99999500, "100.0 ms");
	expect_time(999999499, "1000.0 ms");
	expect_time(999999500, "1.000 s");
	expect_time(-2500000000, "-2.500 s");
	cr_expect(eq(str, (char *)svg__time(12, 1, room, sizeof(room)), "12 cycles"));
}

/* ---- a picture of made-up bars */

static struct timeline t;
static size_t lane;

static void begin(enum lane_kind kind)
{
	r.kernel.id.release = strdup("6.12.0-test");
	r.boot_id = strdup("a boot");
	early_calls__init(&r.calls);
	timeline__init(&t);
	lane = timeline__lane(&t, &(struct lane){ .name = "process 1", .kind = kind, .part = TIMELINE_BOOT, .pid = 1 });
}

static void end(void)
{
	timeline__finish(&t);
	PRINT(f, picture__write(&t, &r, f));
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
	timeline__add(&t, lane, BAR_INITCALL, "first", -500 * MS, 500 * MS);
	timeline__add(&t, lane, BAR_INITCALL, "inner", 0, 125 * MS);
	timeline__number(&t, "result", -19);
	timeline__add(&t, lane, BAR_WAIT, "last", 1000 * MS, 2000 * MS);
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

Test(picture, a_name_is_in_its_bar_or_below_it)
{
	begin(LANE_NESTS);
	timeline__add(&t, lane, BAR_INITCALL, "wide", 0, 100 * MS);
	timeline__add(&t, lane, BAR_INITCALL, "a_narrow_one", 900 * MS, 910 * MS);
	timeline__add(&t, lane, BAR_INITCALL, "a_narrow_one_at_the_end", 990 * MS, 1000 * MS);
	timeline__add(&t, lane, BAR_INITCALL, "too_narrow", 500 * MS, 502 * MS);
	end();
	cr_expect(strstr(text, "<text class=\"on\" x=\"133.0\"") != NULL && strstr(text, ">wide</text>") != NULL, "%s", text);
	expect_text(">a_narrow_one 10.00 ms</text>");
	expect_text("text-anchor=\"end\">a_narrow_one_at_the_end 10.00 ms</text>");
	expect_no_text(">too_narrow 2.00 ms<");
	cr_expect(count("class=\"lead\"") == 2);
}

Test(picture, hostile_names_are_text)
{
	static const char name[] = "</title><script>alert(1)</script>\"&\x01\xff";
	static const char clean[] = "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&amp;" NONE NONE;

	begin(LANE_NESTS);
	free(r.kernel.id.release);
	r.kernel.id.release = strdup(name);
	timeline__add(&t, lane, BAR_PROGRAM, name, 0, 1000 * MS);
	timeline__text(&t, "argument", name);
	timeline__mark(&t, name, 500 * MS);
	lane = timeline__lane(&t, &(struct lane){ .name = name, .kind = LANE_APART, .part = TIMELINE_BOOT, .pid = -1 });
	timeline__add(&t, lane, BAR_UNIT, name, 100 * MS, 110 * MS);
	end();
	cr_expect(strstr(text, "<script") == NULL && strstr(text, "\x01") == NULL && strstr(text, "\xff") == NULL);
	/* In the title, head (2), mark (2), two bars and their tooltips, an argument, the lane. */
	cr_expect(count(clean) >= 9, "%zu: %s", count(clean), text);
}

Test(picture, it_needs_nothing_from_elsewhere)
{
	sample_start_report();
	print(boot_report__svg, &r);
	cr_expect(strstr(text, "<script") == NULL && strstr(text, "href") == NULL && strstr(text, "url(") == NULL &&
		  strstr(text, "@import") == NULL && strstr(text, "<!") == NULL);
	/* The only URL is the name of the XML namespace, which viewers do not open. */
	cr_expect(count("://") == 1 && count("xmlns=\"http://www.w3.org/2000/svg\"") == 1);
	expect_text("<title>Boot of Linux 6.12.0-test</title>");
	expect_text(">800.0 ms  until /init</text>");
	expect_text(">Nothing is lost.</text>");
	cr_expect(strstr(text, "its end is not known") != NULL, "second");
	s.lost = 77;
	print(boot_report__svg, &r);
	cr_expect(strstr(text, ">Lost: 77 events</text>") != NULL && strstr(text, "Nothing is lost") == NULL);
}

Test(picture, the_early_part_has_its_own_view)
{
	struct early_stats s = boot_stats;

	s.lost = 7;
	sample_report(&s, boot_trace);
	print(boot_report__svg, &r);
	cr_expect(count("<g class=\"view\"") == 1);
	expect_text("The early part, before ftrace: 950 µs, since the first call");
	/* 1,250 pixels show 950 us. The phase, and the call. */
	expect_place(text, "setup_arch\nphase", PICTURE_LEFT + 20 * 1250 / 950.0, 880 * 1250 / 950.0);
	expect_place(text, "setup_arch\ncall", PICTURE_LEFT + 20 * 1250 / 950.0, 880 * 1250 / 950.0);
	expect_text(">Lost: early: lost 7</text>");
	expect_text("When an early call returned is not known");
	s.tsc_khz = 0;
	sample_report(&s, boot_trace);
	print(boot_report__svg, &r);
	expect_text("The early part, before ftrace: 950000 cycles");
	expect_text("phase: 880000 cycles\nfrom 20000 to 900000\n");
}

Test(picture, a_small_share_of_the_kernel_is_shown_larger)
{
	begin(LANE_NESTS);
	timeline__add(&t, lane, BAR_PHASE, "firmware", -1000 * MS, 0);
	timeline__add(&t, lane, BAR_PHASE, "kernel", 0, 1000 * MS);
	timeline__add(&t, lane, BAR_PROGRAM, "init", 1000 * MS, 10000 * MS);
	timeline__mark(&t, "init", 1000 * MS);
	lane = timeline__lane(&t, &(struct lane){ .name = "CPU 0", .part = TIMELINE_BOOT, .pid = -1 });
	timeline__add(&t, lane, BAR_WAIT, "over the edges", -500 * MS, 500 * MS);
	end();
	cr_expect(count("<g class=\"view\"") == 2);
	cr_expect(strstr(text, "data-from=\"0\" data-to=\"1000000000\"") != NULL, "without the firmware: %s", text);
	cr_expect(count("<title>kernel\n") == 2);
	/* A bar that only touches the view is at its edge. */
	expect_place(strstr(text, "data-from=\"0\""), "kernel\n", PICTURE_LEFT, PICTURE_BARS);
	expect_place(strstr(text, "data-from=\"0\""), "over the edges\n", PICTURE_LEFT, PICTURE_BARS / 2);
}

/* ---- packed lanes */

Test(picture, the_longest_units_have_names_and_the_others_are_joined)
{
	begin(LANE_APART);
	for (int i = 0; i < 200; i++)
		timeline__add(&t, lane, BAR_UNIT, timeline__keep(&t, "unit-%d", i), i * 10 * MS,
			      (i * 10 + (i % 5 ? 15 : 400 + i)) * MS);
	timeline__add(&t, lane, BAR_UNIT, "never", 200 * MS, BAR_NO_END);
	end();
	cr_expect(count(">unit-") == 2 * 39 + 8, "names and tips, and the list of the longest: %zu",
		  count(">unit-"));
	expect_text(">unit-195 595.0 ms</text>");
	cr_expect(strstr(text, ">never …</text>") != NULL && strstr(text, "unit: its end is not known") != NULL);
	expect_text("class=\"bar unit joined\"");
	expect_text("161 bars");
}

Test(picture, calls_that_take_microseconds_have_no_names)
{
	begin(LANE_APART);
	timeline__add(&t, lane, BAR_UNIT, "unit", 0, 1000);
	timeline__add(&t, lane, BAR_CALL, "short_one", 1000 * MS, 1000 * MS + 2000);
	timeline__add(&t, lane, BAR_CALL, "long_one", 5000 * MS, 5100 * MS);
	end();
	cr_expect(strstr(text, ">unit 1.0 µs</text>") != NULL || strstr(text, ">unit 1 µs</text>") != NULL, "%s", text);
	expect_text(">long_one 100.0 ms</text>");
	cr_expect(strstr(text, ">short_one 2") == NULL && strstr(text, "<title>short_one\n") != NULL);
}

/* ---- the load */

Test(picture, how_busy_the_machine_was)
{
	begin(LANE_NESTS);
	timeline__add(&t, lane, BAR_PHASE, "all", 0, 1000 * MS);
	boot_load__init(&t.load, 0, 1000 * MS, 4, 2, true);
	boot_load__watched(&t.load, 0, 0, 1000 * MS);
	boot_load__busy(&t.load, 0, 250 * MS, 500 * MS);
	boot_load__io(&t.load, 600 * MS, 1000000);
	end();
	cr_expect(strstr(text, ">CPUs busy</text>") != NULL && strstr(text, ">CPU 1 busy</text>") != NULL);
	/* The busy shares of the bins: 0, 1, 0, 0. */
	expect_text("V193.0H442.50V150.0H755.00V193.0H1067.50V193.0H1380.00V193.0z\"/>");
	cr_expect(count("<path class=\"busy\" d=\"\"/>") == 1, "the other CPU is not known");
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
	struct early_stats s = boot_stats;
	uint32_t names[41];
	char name[32];
	uint64_t time = 0;
	size_t depth = 0;

	r.early = true;
	early_calls__init(&r.calls);
	for (size_t i = 0; i < 41; i++) {
		snprintf(name, sizeof(name), "a_function_%zu", i);
		names[i] = early_calls__intern(&r.calls, i ? name : "start_kernel");
	}
	srand(1);
	for (size_t i = 0; i < 500000; i++) {
		/* Only the first calls begin phases. */
		depth = depth < 3 || (rand() % 3 && depth < 39) ? depth + 1 : 3 + rand() % (depth - 2);
		time += rand() % 2000;
		early_calls__add(&r.calls, time, names[depth + 1], names[depth]);
	}
	s.recorded = r.calls.count;
	r.stats = s;
	r.kernel.id.release = strdup("6.12.0-test");
	boot_report__analyse(&r);
	print(boot_report__svg, &r);
	expect_small();
	cr_expect(strstr(text, "a_function_1") != NULL && strstr(text, "joined") != NULL);
}

/* The worst case: 1,250 bars in each of 100 lanes, all wide enough to be drawn. */
Test(picture, a_picture_is_small_whatever_is_in_it, .timeout = 120)
{
	char name[300];

	begin(LANE_NESTS);
	memset(name, '&', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (int i = 0; i < 100; i++) {
		lane = timeline__lane(&t, &(struct lane){ .name = timeline__keep(&t, "CPU %d", i),
							      .part = TIMELINE_BOOT, .pid = -1 });
		for (int j = 0; j < 1250; j++)
			timeline__add(&t, lane, BAR_RUNNING, name, j * 2 * MS, (j * 2 + 1) * MS);
	}
	t.parts[TIMELINE_BOOT].end = 2500 * MS;
	t.parts[TIMELINE_BOOT].end_known = true;
	end();
	expect_small();
	cr_expect(count("class=\"lane\"") == 100);
	cr_expect(strstr(text, "125000 bars") != NULL, "all are joined, and told of: %s", strstr(text, "Bars that are"));
}
