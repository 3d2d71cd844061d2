#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# Runs tests when everything is built: `make test`. As many tests run at once as there are processors, but at most two,
# because two guests need much memory. The tests that took longest the last time begin first. Each test prints TAP, which
# TAP::Harness reads. Prints a line for each test with its time, and all failures; prints the failures again at the end,
# before the sum "N passed, N failed". Skipped results are shown, and counted by themselves. A test without results, or
# with fewer than planned or than tests/counts says, or with a bad exit status, has failed. TAP and stderr are kept in
# build/test, or in HYTRACE_TEST_OUT.
#
#	unit/...		programs of tests/unit, on this machine
#	host/...		scripts of tests/host, on this machine
#	boot/...		tests that boot guests themselves: vm.sh, and very early tracing
#	guest/...		tests/guest/t-*.sh, each in a guest of its own, for each kernel that its head names
#	ftracetest/...		our tests for the kernel's own ftracetest, a guest for each directory
#	gate/...		what .ci/run also runs: commands, each of which is one result
#	nightly/..., long/...	the same for `make test-nightly`, and for who changes what they test
#
# A test that has passed is not run again while all that it depends on is the same (Kept.pm). The number of these results
# is told, and from when they are. Tests that are named always run.

use strict;
use warnings;
use Fcntl ':flock';
use File::Basename;
use File::Path qw(make_path remove_tree);
use File::Spec;
use Getopt::Long;
use lib dirname(__FILE__);
use Kept;
use TAP::Harness;
use POSIX 'strftime';
use Time::HiRes 'time';

my $usage = <<'END';
usage: run.pl [--list] [--all|--gate|--nightly] [--kernel K] [--minutes N] [TEST]...
	TEST		run that test, or those that have this in their names; by default those of make test
	--list		print the names of the tests, and run none
	--inputs	print what each of these tests depends on, and run none
	--all		also run what passed before with the same inputs
	--gate		all of that, and what .ci/run does besides
	--nightly	what these leave out; but what is under long/ only runs if it is named
	--counts	write the numbers of results, and seconds, to tests/counts
	--kernel K	run guest tests on this kernel; debug, kcsan, or a path, which takes the place of patched; for
			patched-i386 or patched-arm64 there are those for ftracetest
	--minutes N	run in the order given here, and end after that time; tests that have not run by then have failed
END

my $tests = dirname(File::Spec->rel2abs($0));
my $clone = dirname($tests);
my $out = $ENV{HYTRACE_TEST_OUT} // "$clone/build/test";
# The kernel that is tested: patched, stock and so on are of this version.
my $linux = $ENV{LINUX} || '6.12';
die("LINUX=$linux: there is no kernel/series-$linux\n") unless -e "$clone/kernel/series-$linux";
my $cache = $ENV{HYTRACE_CACHE} || ($ENV{XDG_CACHE_HOME} || $ENV{HOME} && "$ENV{HOME}/.cache" ||
	die("HOME is not set; HYTRACE_CACHE= names a place for the cache\n")) . '/hytrace';
my ($list, $inputs, $all, $gate, $nightly, $counts, $kernel, $minutes, $help);
unless (GetOptions('list' => \$list, 'inputs' => \$inputs, 'all' => \$all, 'gate' => \$gate, 'nightly' => \$nightly,
		   'counts' => \$counts, 'kernel=s' => \$kernel, 'minutes=i' => \$minutes, help => \$help)) {
	print STDERR $usage;
	exit 2;
}
if ($help) {
	print $usage;
	exit;
}
# Another machine than x86-64.
my ($machine) = ($kernel // '') =~ /^patched-(i386|arm64)$/;

# ---------------------------------------------------------------- the tests

# A directory of ftracetest with more files than that has two guests, or both processors would wait for one at the end.
use constant FILES_IN_GUEST => 20;

# These take minutes each, and change rarely. So they only run at night, as do tests on the kernels that a head names
# as `nightly`.
use constant NIGHTLY => qr{^(guest/t-bench-(series|stock)|guest/t-fevent-scale|guest/t-text-slots-depth|ftracetest/text-slots)$};

# Commands that print no TAP; each is one result. What .ci/run runs besides, what make test-nightly does, and what takes
# an hour or so and is run by name.
my %gate = (
	fuzz => 'make fuzz',
	'bench-quick' => 'make bench-quick',
	'check-6.12' => '.ci/check series sparse',
	'check-code' => '.ci/check compile types loader floors shellcheck mutants',
);
my %nightly = (
	'check-7.3' => '.ci/check 7.3',
	'fuzz' => 'make fuzz FUZZ_SECONDS=900',
	'optimized' => 'make B=build/optimized SAN_CFLAGS=-O2 unit && set -- $(find build/optimized/tests/unit -type f -perm -1) && ' .
		'[ $# -gt 40 ] && for t; do "$t" --quiet || exit; done',
);
my %long = (
	startup => 'tests/guest/startup.sh',
	'early-matrix' => 'tests/guest/early-matrix.sh',
	deb => 'tests/guest/deb.sh cloud',
	'bench-tailor' => 'make build/bench/reachable && tests/bench/tailor.sh base',
	'off-check' => 'kernel/series.sh --off-check',
	'series-build' => 'kernel/series.sh --build-each',
);

# Scripts that boot guests.
my @to_boot = map { "kernel/$_.sh" } 'vm', 'vm-init', 'known';
my (%test, @names);

# add NAME, COMMAND, MORE: a test. MORE has "group", if it is not one of `make test`, and what Kept.pm asks for.
sub add
{
	my ($name, $command, %more) = @_;

	push(@names, $name);
	$test{$name} = {name => $name, command => $command, group => $name =~ NIGHTLY ? 'nightly' : 'test', %more};
}

# The command's output is shown if it fails.
sub add_commands
{
	my ($group, %commands) = @_;

	for my $name (sort(keys(%commands))) {
		add("$group/$name", ['bash', '-c', 'if bash -c "$1" >"$0" 2>&1; then echo "ok 1 - $1"; else status=$?
			echo "not ok 1 - $1"; echo "#   status $status, see $0"; tail -n 40 "$0" | sed "s/^/#   /"; fi; echo 1..1',
			"$out/$group-$name.log", $commands{$name}], group => $group);
	}
}

sub names_in
{
	my ($pattern, $suffix) = @_;

	return map { basename($_, $suffix // ()) } sort(glob($pattern));
}

# Returns the value of a line in a guest test's head; nothing if there is none.
sub header
{
	my ($test, $name) = @_;

	open(my $file, '<', "$tests/guest/$test.sh") or die("$tests/guest/$test.sh: $!\n");
	while (my $line = <$file>) {
		return $1 if $line =~ /^# $name: *(.*)/;
	}
	return;
}

# Returns our tests for ftracetest that the series of this kernel has, by directory.
sub kernel_tests
{
	my %files;

	open(my $series, '<', "kernel/series-$linux") or die("LINUX=$linux: kernel/series-$linux: $!\n");
	while (<$series>) {
		next if /^#/;
		for my $word (grep { m{/test\.d/} } split) {
			m{/test\.d/([^/]+)/([^/]+\.tc)$} && push(@{$files{$1}}, $2) for glob("kernel/files/$word");
		}
	}
	return %files;
}

# Returns the kernel on which a test that wants $wanted runs; nothing if it does not run.
sub kernel_for
{
	my ($wanted) = @_;

	return $wanted !~ /^(debug|kcsan)$/ && $wanted unless $kernel;
	return $kernel if $wanted eq $kernel;
	return $wanted eq 'patched' && $kernel if $kernel =~ m{^(debug|kcsan)$|/} || $machine;
	return;
}

sub add_guest
{
	my ($name, $wanted, @of_guest) = @_;
	my $runs_on = kernel_for($wanted) or return;
	my $stock = $runs_on eq 'stock' ? "stock-$linux" : $runs_on;

	$name .= '-' . basename($runs_on) if $runs_on ne 'patched';
	# Debian's newer releases change, and nothing else may depend on them.
	my $nightly = $of_guest[0] =~ m{/} ? '' : header($of_guest[0], 'nightly') // '';
	my @group = (grep { $_ eq $wanted } split(' ', $nightly)) ? (group => 'nightly') : ();

	# .ci/run also skips those of 7.3, which may be gone from Debian, and says so at its end.
	if ($stock =~ /^stock-/ && !-e "$cache/stock/latest-$stock" && !($gate && $stock ne 'stock-7.3')) {
		add($name, ['echo', "1..1\nok 1 - $name # SKIP Debian's kernel could not be fetched (make stock-kernels)"], @group);
		return;
	}
	my @files = map { m{^ftracetest/(.*)} ? map { s{^\Q$clone/\E}{}r } tc_files($1) :
		map { ("tests/guest/$_.sh", "tests/guest/$_.host.sh") } $_, split(' ', header($_, 'then') // '') } @of_guest;

	add($name, ["$tests/guest/run.sh", '--kernel', $runs_on, '--out', "$out/$name", @of_guest], kernels => [$stock],
	    files => [(map { "tests/guest/$_.sh" } 'run', 'inside', 'splats', 'tap'), @to_boot, @files], @group);
}

# Returns our tests for ftracetest in a directory, or one of them.
sub tc_files
{
	my ($path) = @_;
	my $dir = "$clone/kernel/files/tools/testing/selftests/ftrace/test.d/$path";

	return -d $dir ? glob("$dir/*.tc") : $dir;
}

# What a script that boots guests itself depends on.
sub boots
{
	my ($script) = @_;

	return (files => ["tests/guest/$script.sh", @to_boot], kernels => ['patched', "stock-$linux"]);
}

# Adds all tests, those that take longest first, for the first run, when no times are known.
sub add_all
{
	my %suite = kernel_tests();

	if (!$kernel) {
		my %boot = (early => ['--short'], 'early-graph' => [], vm => []);
		my %at_night = ('early-whole' => 'early', map { $_ => $_ } 'initcalls', 'compare', 'lacking');

		add("boot/$_", ["$tests/guest/$_.sh", @{$boot{$_}}], boots($_)) for sort(keys(%boot));
		add("boot/$_", ["$tests/guest/$at_night{$_}.sh"], boots($at_night{$_}), group => 'nightly') for sort(keys(%at_night));
	} elsif ($kernel eq 'debug') {
		add("boot/suspend-$kernel", ["$tests/guest/suspend.sh", $kernel]);
	}
	for my $test (grep { !/\.host$/ && !$machine } names_in('tests/guest/t-*.sh', '.sh')) {
		next if (header($test, 'linux') // $linux) ne $linux;
		my $kernels = header($test, 'kernels') // die("$test has no line '# kernels: ...'\n");
		# `stock` may be another word for one of the others.
		my %names = map { $_ eq "stock-$linux" ? ('stock', 1) : ($_, 1) } split(' ', $kernels);

		add_guest("guest/$test", $_, $test) for sort(keys(%names));
	}
	for my $dir (sort(keys(%suite))) {
		my @chosen = grep { m{^ftracetest/\Q$dir\E/} } @ARGV;
		my @files = map { "ftracetest/$dir/$_" } sort(@{$suite{$dir}});

		if (@chosen) {
			add_guest($_, 'patched', $_) for @chosen;
		} elsif (@files <= FILES_IN_GUEST) {
			add_guest("ftracetest/$dir", 'patched', "ftracetest/$dir");
		} else {
			# Each second one, as files of one subject have names that begin alike.
			for my $half (1, 2) {
				add_guest("ftracetest/$dir.$half", 'patched',
					  @files[grep { $_ % 2 == $half - 1 } 0 .. $#files]);
			}
		}
	}
	return if $kernel;

	# What runs on this machine has stand-ins for kernels, and tests the scripts for all of them.
	my @any_kernel = ('env', '-u', 'LINUX');

	add("host/$_", [@any_kernel, "$tests/host/$_.sh"], files => ["tests/host/$_.sh"]) for names_in('tests/host/*.sh', '.sh');
	for (split("\n", `find tests/unit -name '*.c' | sort`)) {
		my ($name) = m{^tests/unit/(.*)\.c$};

		# The other output of the program goes to stderr, so that stdout has only TAP.
		add("unit/$name", [@any_kernel, 'bash', '-c', 'exec 3>&1 >&2; exec "$0" "$@"',
		    "$clone/build/tests/unit/$name", '--tap=/dev/fd/3', '--color=never'], built => ["build/tests/unit/$name"],
		    files => [Kept::quoted("$tests/unit/$name.c")]);
	}
	add('gate/make-run', ["$tests/guest/make-run.sh"], group => 'gate');
	add_commands('gate', %gate);
	add_commands('nightly', %nightly);
	add_commands('long', %long);
}

sub chosen
{
	my (%chosen, @chosen);

	for my $part (@ARGV) {
		my @have = $test{$part} ? $part : grep { index($_, $part) >= 0 } @names;

		if (!@have) {
			print STDERR "run.pl: no test has '$part' in its name; run.pl --list names them\n";
			exit 2;
		}
		push(@chosen, grep { !$chosen{$_}++ } @have);
	}
	return @chosen if @ARGV;
	my $groups = $nightly ? qr/^nightly$/ : $gate ? qr/^(test|gate)$/ : qr/^test$/;

	return grep { $test{$_}{group} =~ $groups } @names;
}

# ---------------------------------------------------------------- running the tests

my $times = "$out/times";
my (%took, %said, %key, %least, @failures);
my ($passed, $failed, $skipped, $kept) = (0, 0, 0, 0);

# tests/counts has a line for each test: its name, how many results it has at least, and how many seconds it took on a
# machine like CI's. A test of which a list has become empty, or a loop ends early, has fewer.
sub read_counts
{
	return if $linux ne '6.12' || $kernel;
	open(my $file, '<', "$tests/counts") or return;
	while (<$file>) {
		next unless /^([^#\s]+) (\d+) (\d+)$/;
		$least{$1} = $2;
		$took{$1} = $3;
	}
}

sub write_counts
{
	open(my $file, '>', "$tests/counts") or die("$tests/counts: $!\n");
	print $file "# Written by tests/run.pl --counts: a test, the least number of its results, and seconds.\n";
	print $file "$_ $least{$_} @{[int(($took{$_} // 0) + .5)]}\n" for grep { $test{$_} } sort(keys(%least));
	close($file) or die("$tests/counts: $!\n");
}

sub read_times
{
	open(my $file, '<', $times) or return;
	while (<$file>) {
		$took{$1} = $2 if /^(\S+) ([\d.]+)$/;
	}
}

sub write_times
{
	open(my $file, '>', $times) or die("$times: $!\n");
	print $file "$_ $took{$_}\n" for sort(keys(%took));
	close($file) or die("$times: $!\n");
}

# Collects the failures of a test. The lines that explain a failure come after it.
sub listen
{
	my ($parser, $job) = @_;
	my $said = $said{$job->[0]} = [];
	my $shown;

	$parser->callback(ALL => sub {
		my ($line) = @_;

		if ($line->is_test) {
			$shown = !$line->is_ok;
			push(@$said, 'NOT OK   ' . $line->description =~ s/^- //r) if $shown;
			push(@$said, 'skip     ' . $line->description =~ s/^- //r . ': ' . $line->explanation)
				if $line->has_skip;
		} elsif ($shown && !$line->is_plan && $line->raw !~ /^# \+\d/) {
			push(@$said, '           ' . $line->raw =~ s/^# *//r);
		}
	});
}

sub judge
{
	my ($job, $parser) = @_;
	my $name = $job->[0];
	my ($ok, $skip, $not_ok) = (scalar($parser->passed), scalar($parser->skipped), scalar($parser->failed));
	# Our tests are not expected to fail, so a TODO that fails is a failure.
	my $todo = scalar($parser->todo);

	$took{$name} = sprintf('%.1f', $parser->end_time - $parser->start_time);
	$ok -= $skip + $todo;
	$not_ok += $todo;
	# If a script has died, that is a failure of its own, whatever failed before.
	if ($parser->parse_errors || !$parser->tests_run || !$not_ok && $parser->has_problems) {
		# It is not known if the output could not be parsed.
		my $wait = $parser->wait // 0;

		$not_ok++;
		push(@{$said{$name}}, "NOT OK   exit status " . ($wait >> 8 || $wait) .
			", @{[$parser->tests_run]} results; see $out/$name.err", $parser->parse_errors);
	}
	my $results = $ok + $not_ok + $skip;

	if ($counts) {
		$least{$name} = $results;
	} elsif (!$not_ok && $results < ($least{$name} // 0) && !$skip) {
		$not_ok++;
		push(@{$said{$name}}, "NOT OK   $results results, and tests/counts says that there are at least $least{$name}");
	}
	if ($not_ok) {
		Kept::forget($key{$name});
	} elsif (!$skip) {
		Kept::keep($test{$name}, $key{$name}, $ok);
	}
	$passed += $ok;
	$failed += $not_ok;
	$skipped += $skip;
	my $result = sprintf("%6.1f s  %s: %d passed, %d failed\n", $took{$name}, $name, $ok, $not_ok) .
		join('', map { sprintf("          %.160s\n", $_) } @{$said{$name}});

	print($result);
	push(@failures, $result) if $not_ok;
}

# Returns what kernel/known.sh reads: where the tools and the images are. Whatever is built or edited meanwhile, all guests
# of a run have these.
sub known_to_guests
{
	my $flavour = $machine ? "arch=$machine" : $kernel && $kernel =~ /^(debug|kcsan)$/ ? $kernel : '';
	my %asked = ('tools' => './kernel/tools.sh', $linux => './kernel/build.sh --print-image',
		     $flavour ? ("$linux --$flavour" => "./kernel/build.sh --$flavour --print-image") : ());
	my @known = ("$$ $clone");

	for my $name (sort(keys(%asked))) {
		chomp(my $path = `$asked{$name} 2>/dev/null` // '');
		push(@known, "$name=" . ($name eq 'tools' ? $path : dirname($path))) if $path ne '';
	}
	return join("\n", @known);
}

# Returns those of the tests that have to run: all that are named, and all that have no result that can be kept. Says
# how many are left out.
sub without_kept
{
	my @run = @_;
	my ($oldest, $tests) = (time(), 0);

	for (@run) {
		$key{$_} = Kept::key($test{$_}) if $test{$_}{files} || $test{$_}{built};
	}
	return @run if $all || $gate || $counts || @ARGV;
	my @left = grep {
		my ($claims, $when) = $key{$_} ? Kept::result($key{$_}) : ();

		undef($claims) if $claims && $claims < ($least{$_} // 0);
		$kept += $claims // 0;
		$tests++ if $claims;
		$oldest = $when if $claims && $when < $oldest;
		!$claims;
	} @run;
	print("kept: $kept results of $tests tests that passed before with the same inputs, since " .
		strftime('%F %R', localtime($oldest)) . "; ALL=1 runs them as well\n") if $tests;
	return @left;
}

sub run
{
	my @run = @_;
	my $jobs = `nproc` > 1 ? 2 : 1;
	my $harness = TAP::Harness->new({
		jobs => $jobs,
		verbosity => -3,
		# Otherwise TAP::Harness waits until the test's stderr is closed; stderr goes to a file.
		merge => 1,
		exec => sub {
			my (undef, $name) = @_;

			make_path(dirname("$out/$name"));
			return ['bash', '-c', 'exec "$@" 2>"$0" </dev/null', "$out/$name.err", @{$test{$name}{command}}];
		},
	});

	$ENV{HYTRACE_KNOWN} = known_to_guests();
	make_path($out);
	open(my $lock, '>', "$out/lock") or die("$out/lock: $!\n");
	flock($lock, LOCK_EX | LOCK_NB) or
		die("another run writes to $out; HYTRACE_TEST_OUT= names another place\n");
	read_counts();
	read_times();
	Kept::open_in($clone, $cache, $linux);
	Kept::drop_old();
	@run = without_kept(@run) unless $kernel;
	remove_tree("$out/tap", map { "$out/$_" } @run);
	# TAP::Harness keeps the TAP that it has read here.
	$ENV{PERL_TEST_HARNESS_DUMP_TAP} = "$out/tap";
	$ENV{HYTRACE_TEST_UNTIL} = int(time() + 60 * $minutes) if defined($minutes);
	$SIG{$_} = sub {
		system('pkill', '-TERM', '-P', $$);
		# Waits for the tests, so that they do not write into the files of another run.
		1 while wait() > 0;
		exit 130;
	} for 'HUP', 'INT', 'TERM';

	my %order = map { $run[$_] => $_ } 0 .. $#run;
	$harness->callback(made_parser => \&listen);
	$harness->callback(after_test => \&judge);
	$| = 1;
	@run = sort { ($took{$b} // 1e9) <=> ($took{$a} // 1e9) || $order{$a} <=> $order{$b} } @run
		unless defined($minutes);
	$harness->runtests(@run) if @run;
	write_times();
	write_counts() if $counts;

	print("\nlongest:\n");
	printf("%6.1f s  %s\n", $took{$_}, $_)
		for grep { $_ } (sort { $took{$b} <=> $took{$a} } @run)[0 .. 9];
	# People read the end of a long log.
	print("\nfailed:\n", @failures) if @failures;
	print("$skipped skipped\n") if $skipped;
	print("$passed passed, $failed failed\n");
	exit($failed || !$passed && !$kept ? 1 : 0);
}

# From here on, paths are relative and have no characters that are special to a shell or a pattern.
chdir($clone) or die("$clone: $!\n");
add_all();
@names = chosen();
if ($list) {
	print("$_\n") for @names;
} elsif ($inputs) {
	Kept::open_in($clone, $cache, $linux);
	for my $name (@names) {
		print("$name\n", map { "$name $_\n" } Kept::inputs($test{$name}), @{$test{$name}{built} // []});
	}
} else {
	run(@names);
}
