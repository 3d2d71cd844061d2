#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# What `make test` runs when everything is built: all tests that there are, as many at once as there are
# processors (two at most, for the memory of two guests), those first that took longest the last time.
# Each speaks TAP, which TAP::Harness reads. A line for each test with the time it took, what failed in
# full, then and again at the end, before the sum, "N passed, N failed"; what was skipped is shown, and
# counted apart. A test that ran nothing, ended early or ended badly has failed. TAP and stderr are kept
# in build/test, or in HYTRACE_TEST_OUT.
#
#	unit/...		programs made of tests/unit, on this machine
#	host/...		tests/host: of the scripts, the runners, the installation
#	boot/...		what boots guests of its own: vm.sh, and very early tracing
#	guest/...		tests/guest/t-*.sh, a guest for each, and each kernel in its head
#	ftracetest/...		our tests for the kernel's own ftracetest, a guest for each directory

use strict;
use warnings;
use Fcntl ':flock';
use File::Basename;
use File::Path qw(make_path remove_tree);
use File::Spec;
use Getopt::Long;
use TAP::Harness;
use Time::HiRes 'time';

my $usage = <<'END';
usage: run.pl [--list] [--kernel K] [--minutes N] [TEST]...
	TEST		a test, or a part of its name: all that have it; all by default
	--list		name the tests, and run none
	--kernel K	those in guests, on this kernel; debug, kcsan, or the path of one, takes the place of patched
	--minutes N	in the order given here; end after that, what has not been run by then has failed
END

my $tests = dirname(File::Spec->rel2abs($0));
my $clone = dirname($tests);
my $out = $ENV{HYTRACE_TEST_OUT} // "$clone/build/test";
my ($list, $kernel, $minutes, $help);
unless (GetOptions('list' => \$list, 'kernel=s' => \$kernel, 'minutes=i' => \$minutes, help => \$help)) {
	print STDERR $usage;
	exit 2;
}
if ($help) {
	print $usage;
	exit;
}

# ---------------------------------------------------------------- the tests that there are

my (%command, @names);

sub add
{
	my ($name, @command) = @_;

	push @names, $name;
	$command{$name} = \@command;
}

sub names_in
{
	my ($pattern, $suffix) = @_;

	return map { basename($_, $suffix // ()) } sort(glob($pattern));
}

# What a guest test says in its head.
sub header
{
	my ($test, $name) = @_;

	open(my $file, '<', "$tests/guest/$test.sh") or die("$tests/guest/$test.sh: $!\n");
	while (<$file>) {
		return $1 if /^# $name: *(.*)/;
	}
	die("$test has no line '# $name: ...'\n");
}

# The kernel that a test for $wanted runs on, if it does.
sub kernel_for
{
	my ($wanted) = @_;

	return $wanted !~ /^(debug|kcsan)$/ && $wanted unless $kernel;
	return $kernel if $wanted eq $kernel;
	return $wanted eq 'patched' && $kernel if $kernel =~ m{^(debug|kcsan)$|/};
	return;
}

sub add_guest
{
	my ($name, $wanted, $test) = @_;
	my $runs_on = kernel_for($wanted) or return;

	$name .= '-' . basename($runs_on) if $runs_on ne 'patched';
	add($name, "$tests/guest/run.sh", '--kernel', $runs_on, '--out', "$out/$name", $test);
}

# Longest first, as far as that is known without having run them.
sub add_all
{
	my $suite = 'kernel/files/tools/testing/selftests/ftrace/test.d';

	if (!$kernel) {
		add("boot/$_", "$tests/guest/$_.sh") for 'early', 'vm';
	} elsif ($kernel eq 'debug') {
		add("boot/suspend-$kernel", "$tests/guest/suspend.sh", $kernel);
	}
	for my $test (grep { !/\.host$/ } names_in('tests/guest/t-*.sh', '.sh')) {
		add_guest("guest/$test", $_, $test) for split(' ', header($test, 'kernels'));
	}
	for my $dir (names_in("$suite/*")) {
		my @files = grep { m{^ftracetest/\Q$dir\E/} } @ARGV;

		add_guest($_, 'patched', $_) for @files ? @files : "ftracetest/$dir";
	}
	return if $kernel;

	add("host/$_", "$tests/host/$_.sh") for names_in('tests/host/*.sh', '.sh');
	for (split("\n", `find tests/unit -name '*.c' | sort`)) {
		my ($name) = m{^tests/unit/(.*)\.c$};

		# What it prints besides is not for who reads TAP.
		add("unit/$name", 'bash', '-c', 'exec 3>&1 >&2; exec "$0" "$@"',
		    "$clone/build/tests/unit/$name", '--tap=/dev/fd/3', '--color=never');
	}
}

sub chosen
{
	my (%chosen, @chosen);

	for my $part (@ARGV) {
		my @have = grep { index($_, $part) >= 0 } @names;

		if (!@have) {
			print STDERR "run.pl: no test has '$part' in its name; run.pl --list names them\n";
			exit 2;
		}
		push(@chosen, grep { !$chosen{$_}++ } @have);
	}
	return @ARGV ? @chosen : @names;
}

# ---------------------------------------------------------------- running them

my $times = "$out/times";
my (%took, %said, @failures);
my ($passed, $failed, $skipped) = (0, 0, 0);

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

# What fails is shown with what is said of it, which comes behind it.
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
		} elsif ($shown && !$line->is_plan) {
			push(@$said, '           ' . $line->raw =~ s/^# *//r);
		}
	});
}

sub judge
{
	my ($job, $parser) = @_;
	my $name = $job->[0];
	my ($ok, $skip, $not_ok) = (scalar($parser->passed), scalar($parser->skipped), scalar($parser->failed));
	# Nothing of ours is expected to fail.
	my $todo = scalar($parser->todo);

	$took{$name} = sprintf('%.1f', $parser->end_time - $parser->start_time);
	$ok -= $skip + $todo;
	$not_ok += $todo;
	# A script that has died says less than it should, whatever had failed before.
	if ($parser->parse_errors || !$parser->tests_run || !$not_ok && $parser->has_problems) {
		$not_ok++;
		push(@{$said{$name}}, "NOT OK   exit status " . ($parser->wait >> 8 || $parser->wait) .
			", @{[$parser->tests_run]} results; see $out/$name.err", $parser->parse_errors);
	}
	$passed += $ok;
	$failed += $not_ok;
	$skipped += $skip;
	my $result = sprintf("%6.1f s  %s: %d passed, %d failed\n", $took{$name}, $name, $ok, $not_ok) .
		join('', map { sprintf("          %.160s\n", $_) } @{$said{$name}});

	print($result);
	push(@failures, $result) if $not_ok;
}

sub run
{
	my @run = @_;
	my $jobs = `nproc` > 1 ? 2 : 1;
	my $harness = TAP::Harness->new({
		jobs => $jobs,
		verbosity => -3,
		# Else it waits for a test whose stderr has come to its end, which all have in a file.
		merge => 1,
		exec => sub {
			my (undef, $name) = @_;

			make_path(dirname("$out/$name"));
			return ['bash', '-c', 'exec "$@" 2>"$0" </dev/null', "$out/$name.err", @{$command{$name}}];
		},
	});

	make_path($out);
	open(my $lock, '>', "$out/lock") or die("$out/lock: $!\n");
	flock($lock, LOCK_EX | LOCK_NB) or
		die("another run writes to $out; HYTRACE_TEST_OUT= names another place\n");
	read_times();
	remove_tree("$out/tap", map { "$out/$_" } @run);
	# Where TAP::Harness keeps what it has read.
	$ENV{PERL_TEST_HARNESS_DUMP_TAP} = "$out/tap";
	$ENV{HYTRACE_TEST_UNTIL} = int(time() + 60 * $minutes) if defined($minutes);
	$SIG{$_} = sub {
		system('pkill', '-TERM', '-P', $$);
		# Another run is not to find them writing.
		1 while wait() > 0;
		exit 130;
	} for 'HUP', 'INT', 'TERM';

	my %order = map { $run[$_] => $_ } 0 .. $#run;
	$harness->callback(made_parser => \&listen);
	$harness->callback(after_test => \&judge);
	$| = 1;
	@run = sort { ($took{$b} // 1e9) <=> ($took{$a} // 1e9) || $order{$a} <=> $order{$b} } @run
		unless defined($minutes);
	$harness->runtests(@run);
	write_times();

	print("\nlongest:\n");
	printf("%6.1f s  %s\n", $took{$_}, $_)
		for grep { $_ } (sort { $took{$b} <=> $took{$a} } @run)[0 .. 9];
	# Of a long log the end is what is read.
	print("\nfailed:\n", @failures) if @failures;
	print("$skipped skipped\n") if $skipped;
	print("$passed passed, $failed failed\n");
	exit($failed || !$passed ? 1 : 0);
}

# No path of ours is a pattern, or a word for a shell.
chdir($clone) or die("$clone: $!\n");
add_all();
@names = chosen();
if ($list) {
	print("$_\n") for @names;
} else {
	run(@names);
}
