#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# Which test cannot fail? This breaks one place of the project at a time, and runs the test that must notice it.
# tests/mutants/*.mutants have such mutants:
#
#	[TEST]			the test of those below: unit/..., host/..., or another one of run.pl
#	PLACE: OLD ~> NEW	OLD occurs once in PLACE, and becomes NEW, or goes if there is no NEW
#
# PLACE is a function of a C file, FILE, or FILE:FUNCTION. A function stands for whatever is defined in column 1 with its name:
# a table and a struct as well. FILE is the end of a path. OLD matches if only blanks and line breaks differ, and " ... " in it
# is any text, so a mutant outlives that its line moves or is wrapped. A line that begins with a tab goes on with the one before.
# Lines with # are comments.
#
# Each processor has a copy of the tree in build/mutants.
# First, each test must pass there without a mutant. Then a mutant is caught if its test fails, crashes or hangs.
# Prints a table, which is kept in build/mutants/table. Fails if a mutant survives, does not apply or does not build,
# or if a test fails without a mutant. A mutant also does not apply if there is no such test, or if a result of that test
# would be kept although the file has changed (Kept.pm).
#
# Mutants for tests of unit/ and host/ take minutes. All others need guests, and many need a kernel of their own.

use strict;
use warnings;
use Fcntl qw(:flock SEEK_SET);
use File::Basename;
use File::Path qw(make_path);
use File::Spec;
use Getopt::Long;
use lib dirname(__FILE__);
use Kept;

my $usage = <<'END';
usage: mutants.pl [--guests] [--list] [WORD]...
	WORD		only run mutants with this word in their test, file or function
	--guests	run the mutants that need guests, instead of those of unit/ and host/
	--list		list the mutants, check that all apply, and run nothing
END

my $clone = dirname(dirname(File::Spec->rel2abs($0)));
my $out = "$clone/build/mutants";
my ($guests, $list, $help);
unless (GetOptions(guests => \$guests, list => \$list, help => \$help)) {
	print STDERR $usage;
	exit 2;
}
if ($help) {
	print $usage;
	exit;
}

sub slurp
{
	my ($path) = @_;

	open(my $file, '<:raw', $path) or return;
	local $/;
	return scalar(<$file>);
}

sub write_file
{
	my ($path, $text) = @_;

	open(my $file, '>:raw', $path) or die("$path: $!\n");
	print $file $text;
	close($file) or die("$path: $!\n");
}

# ---------------------------------------------------------------- the mutants

sub read_records
{
	my ($path) = @_;
	my ($test, @mutants);

	for (split(/\n(?!\t)/, slurp($path) // die("$path: $!\n"))) {
		next if /^(#|$)/;
		if (/^\[(\S+)\]$/) {
			$test = $1;
			next;
		}
		s/\n\t/\n/g;
		die("$path: not a mutant: $_\n") unless $test && /^(\S+): (.+?)\s~>(?: (.*))?$/s;
		push(@mutants, { from => basename($path), test => $test, place => $1, old => $2, new => $3 // '' });
	}
	return @mutants;
}

my %text;
my %defined;
my %files_with;

# Returns what is defined in column 1 of a file: for each name, pairs of offsets, from there to the next } or ) in column 1, or
# to the end of a definition without a body. A declaration defines nothing.
sub definitions
{
	my ($file) = @_;
	my $text = $text{$file} //= slurp($file);
	my %found;

	while ($text =~ /^(?=\w)[^\n]*$/mg) {
		my ($from, $to, $line) = ($-[0], $+[0], $&);
		my @names = $line =~ /\b(\w+)(?=[(),]|\[|[ \t]*[={]|[ \t]*$)/g or next;

		if ($line !~ /\{.*\}\)?;?$/ && $line !~ /^[^{]*=[^{]*;$/) {
			next if substr($text, $from, 1000) =~ /^[^;{]*\);/ || $text !~ /\G(?:\n(?![})])[^\n]*)*\n[})]/gc;
			($to, pos($text)) = (pos($text), $to);
		}
		push(@{$found{$_}}, [$from, $to]) for @names;
	}
	return \%found;
}

# Returns the files that may have a mutant of this place, and the name of the function; "" without one.
sub files_of
{
	my ($place) = @_;
	my ($file, $function) = $place =~ m{^([^:]*[/.][^:]*|[A-Z]\w+)(?::(\w+))?$};

	if (!%files_with) {
		for my $path (grep { -f } split(/\0/, `git ls-files -zco --exclude-standard`)) {
			$text{$path} //= undef;
			next unless $path =~ m{^(user|bpf|kernel/files)/.*\.[ch]$};
			$text{$path} = slurp($path);
			my %words = map { $_ => 1 } map { /\w+/g } $text{$path} =~ /^[a-zA-Z_].*/mg;
			push(@{$files_with{$_}}, $path) for keys(%words);
		}
	}
	return ($place, @{$files_with{$place} // []}) unless defined($file);
	return ($function // '', grep { $_ eq $file || substr($_, -length("/$file")) eq "/$file" } keys(%text));
}

# Puts a mutant into its file's text. Sets its file, the number of its line, and its text; nothing if it occurs not once.
sub find
{
	my ($mutant) = @_;
	my ($function, @files) = files_of($mutant->{place});
	my $old = join('.*?', map { join('\s+', map { quotemeta } split(' ')) } split(/\s\.\.\.\s/, $mutant->{old}));
	my @places;

	$old = "(?<!\\w)$old" if $mutant->{old} =~ /^\w/;
	$old = "$old(?!\\w)" if $mutant->{old} =~ /\w$/;
	for my $file (@files) {
		my $text = $text{$file} //= slurp($file);

		for ($function eq '' ? [0, length($text)] : @{($defined{$file} //= definitions($file))->{$function} // []}) {
			my ($from, $to) = @$_;
			my $part = substr($text, $from, $to - $from);

			push(@places, [$file, $from + $-[0], $from + $+[0]]) while $part =~ /$old/sg;
		}
	}
	return unless @places == 1;
	my ($file, $from, $to) = @{$places[0]};

	$mutant->{file} = $file;
	$mutant->{line} = 1 + (substr($text{$file}, 0, $from) =~ tr/\n//);
	$mutant->{text} = substr($text{$file}, 0, $from) . $mutant->{new} . substr($text{$file}, $to);
}

# ---------------------------------------------------------------- running them

sub run_in
{
	my ($tree, $log, @command) = @_;

	return system('bash', '-c', 'cd "$0" && log=$1 && shift && exec "$@" >>"$log" 2>&1 </dev/null', $tree, $log,
		      @command);
}

# Builds a test and runs it for at most $seconds. Returns "caught" if it fails, "passed", or "does not build".
sub try
{
	my ($tree, $test, $log, $seconds) = @_;
	my @make = ('make', '--no-print-directory');
	my @limit = ('timeout', '-k', '10', $seconds);

	write_file($log, '');
	if ($test =~ m{^unit/}) {
		return 'does not build' if run_in($tree, $log, @make, "build/tests/$test");
		return run_in($tree, $log, @limit, "build/tests/$test") ? 'caught' : 'passed';
	}
	if ($test =~ m{^host/}) {
		# Some of them run the loader.
		return 'does not build' if run_in($tree, $log, @make, 'user');
		my $status = run_in($tree, $log, 'env', '-u', 'LINUX', @limit, "tests/$test.sh");

		# The mutant may have broken the exit status of the test.
		return $status || slurp($log) =~ /^not ok/m ? 'caught' : 'passed';
	}
	if ($test eq 'long/startup') {
		# It builds a small kernel of its own. One that does not compile is no mutant.
		return 'does not build' if run_in($tree, $log, qw(kernel/build.sh --small --config startup));
		return run_in($tree, $log, @limit, 'tests/guest/startup.sh') ? 'caught' : 'passed';
	}
	return 'does not build' if run_in($tree, $log, @make, 'kernel') || run_in($tree, $log, @make, 'user');
	return run_in($tree, $log, 'tests/run.pl', $test) ? 'caught' : 'passed';
}

# Makes or updates a copy of this tree, with uncommitted changes. A new copy also gets the files that are built here;
# an old one keeps what was built there. Only files that differ are written, so that objects of a mutant are older
# than the restored file.
sub copy_tree
{
	my ($tree) = @_;
	my %files = map { $_ => 1 } grep { -f "$clone/$_" } split(/\0/, `git ls-files -zco --exclude-standard`);

	if (!-e "$tree/.git") {
		make_path("$tree/build");
		for my $part (grep { -e "$clone/build/$_" } qw(bpf vmlinux-headers user user-san tests hytrace flags)) {
			system('cp', '-a', "$clone/build/$part", "$tree/build/") == 0 or die("$tree: cp failed\n");
		}
		system('git', 'init', '-q', $tree) == 0 or die("$tree: git failed\n");
	}
	for (split(/\0/, `git -C '$tree' ls-files -z`)) {
		unlink("$tree/$_") unless $files{$_};
	}
	for my $file (sort(keys(%files))) {
		my ($text, $there) = (slurp("$clone/$file"), slurp("$tree/$file"));
		my @stat = stat("$clone/$file");

		next if defined($there) && $there eq $text;
		make_path(dirname("$tree/$file"));
		write_file("$tree/$file", $text);
		chmod($stat[2] & 07777, "$tree/$file");
		utime($stat[8], $stat[9], "$tree/$file") unless defined($there);
	}
	# Tests and scripts ask git for the list of files.
	system('git', '-C', $tree, 'add', '-A') == 0 or die("$tree: git failed\n");
}

# Takes the next job from the queue that all processors share.
sub next_job
{
	my ($queue) = @_;

	open(my $file, '+<', $queue) or die("$queue: $!\n");
	flock($file, LOCK_EX);
	my $n = <$file>;
	seek($file, 0, SEEK_SET);
	print $file $n + 1, "\n";
	close($file);
	return $n;
}

# Runs the jobs on all processors. $do gets a tree and a job, and returns a line of the result or nothing.
sub in_parallel
{
	my ($trees, $jobs, $do) = @_;
	my @pids;

	write_file("$out/queue", "0\n");
	unlink(glob("$out/result.*"));
	for my $tree (@$trees) {
		my $pid = fork() // die("fork: $!\n");

		if (!$pid) {
			while ((my $n = next_job("$out/queue")) < @$jobs) {
				write_file(sprintf("$out/result.%05d", $n), $do->($tree, $jobs->[$n]));
			}
			exit 0;
		}
		push(@pids, $pid);
	}
	for (@pids) {
		waitpid($_, 0);
		die("a process that ran mutants died\n") if $?;
	}
	return map { slurp(sprintf("$out/result.%05d", $_)) } 0 .. $#$jobs;
}

sub log_of
{
	my ($test) = @_;

	return "$out/" . $test =~ tr{/}{-}r;
}

# Runs a test without a mutant. Its time, including the build, gives the time limit for its mutants.
sub control
{
	my ($tree, $test) = @_;
	my $log = log_of($test);
	my $start = time();
	my $result = try($tree, $test, "$log.control", 1800);

	write_file("$log.seconds", 60 + 5 * (time() - $start));
	return $result eq 'passed' ? '' : "$test, without a mutant: $result, see $log.control\n";
}

sub result_of
{
	my ($tree, $mutant) = @_;
	my $path = "$tree/$mutant->{file}";
	my $whole = slurp($path);
	my $start = time();

	write_file($path, $mutant->{text});
	my $result = try($tree, $mutant->{test}, "$out/$mutant->{n}.log", slurp(log_of($mutant->{test}) . '.seconds'));
	write_file($path, $whole);
	$result = 'SURVIVED' if $result eq 'passed';
	my $line = sprintf("%-14s %4d s  %-26s %s:%d\n", $result, time() - $start, @$mutant{qw(test file line)});
	print STDERR $line;
	return $line;
}

# Returns why a mutant cannot be run; nothing if it can. %$inputs has what each test depends on.
sub not_applicable
{
	my ($mutant, $inputs) = @_;
	my @tests = grep { index($_, $mutant->{test}) >= 0 } keys(%$inputs);

	return 'it is not there once' unless $mutant->{line};
	return 'there is no such test' unless @tests;
	return if $mutant->{test} =~ m{^(unit|long)/};
	return if grep { my $test = $_; grep { Kept::covers($_, $mutant->{file}) } @{$inputs->{$test}} } @tests;
	return 'a result of its test would be kept, because nothing there names the file';
}

# Returns what each test depends on. A file of ftracetest is a test only when it is named.
sub inputs
{
	my (@files) = @_;
	my %inputs;

	for (split(/\n/, `tests/run.pl --inputs / && tests/run.pl --inputs @files`)) {
		my ($test, $input) = split(' ', $_, 2);

		push(@{$inputs{$test}}, $input // ());
	}
	return \%inputs;
}

chdir($clone) or die("$clone: $!\n");
$| = 1;
my @mutants = map { read_records($_) } sort(glob('tests/mutants/*.mutants'));
my $stale = 0;
my $inputs = inputs(grep { /\.tc$/ } map { $_->{test} } @mutants);
for my $mutant (@mutants) {
	find($mutant);
	my $why = not_applicable($mutant, $inputs) // next;

	$stale++;
	$mutant->{line} = undef;
	print "does not apply: $mutant->{from}: $mutant->{test} $mutant->{place}: $mutant->{old}: $why\n";
}
my @chosen = grep { $_->{line} && ($_->{test} !~ m{^(unit|host)/}) == !!$guests } @mutants;
@chosen = grep { my $mutant = "$_->{test} $_->{file} $_->{place}"; grep { index($mutant, $_) >= 0 } @ARGV } @chosen
	if @ARGV;
if ($list) {
	printf("%-26s %s:%d\n", @$_{qw(test file line)}) for @chosen;
	print(scalar(@mutants) . " mutants, $stale do not apply\n");
	exit($stale ? 1 : 0);
}
if (!@chosen) {
	exit 1 if $stale;
	print STDERR "mutants.pl: no mutant has one of these words; --list prints them\n";
	exit 2;
}
my %tests = map { $_->{test} => 1 } @chosen;
my $n = 0;
$_->{n} = ++$n for @chosen;
# With guests, one job at a time: a guest has two processors, and building a kernel uses all processors.
my $processors = $guests ? 1 : `nproc` + 0;
$processors = @chosen if $processors > @chosen;
my @trees = map { "$out/tree.$_" } 1 .. $processors;
make_path($out);
open(my $lock, '>', "$out/lock") or die("$out/lock: $!\n");
flock($lock, LOCK_EX | LOCK_NB) or die("another run has $out\n");
in_parallel(\@trees, \@trees, sub { copy_tree($_[1]); return '' });
my @wrong = grep { length } in_parallel(\@trees, [sort(keys(%tests))], \&control);
if (@wrong) {
	print(@wrong);
	exit 1;
}
my @results = in_parallel(\@trees, \@chosen, \&result_of);
my $caught = grep { /^caught/ } @results;
my $sum = "$caught of " . @results . " mutants caught" . ($stale ? ", $stale do not apply" : '') . "\n";
write_file("$out/table", join('', @results) . $sum);
print(@results, $sum);
exit($caught == @results && !$stale ? 0 : 1);
