# SPDX-License-Identifier: GPL-2.0
#
# Which results of tests can be kept? A test that passed need not run again while everything that it depends on is the
# same. For each test, this finds what that is, and makes a key of it:
#
#	- the files of the test, and each file of the clone that one of these names: a script that it sources, a program
#	  that it compiles, a document that it reads. A name with a variable in it stands for all files that fit.
#	- the images of the kernels that it boots
#	- the sources of the loader's commands that it calls, of all that these commands can reach, and bpf/. If a script has a
#	  variable in the place of a command, it calls all commands. An object reaches those that define its symbols.
#	- a program of tests/unit as it was compiled
#	- the versions of the packages that .ci/deps names, the flags of compilers, and variables that change a run
#
# A file too many costs a run; one too few would hide a failure. tests/host/runners.sh holds this against the mutants: the
# file that a mutant changes must be among what its test depends on.
#
# A result is a file results/KEY in the cache, with the name of the test and how many claims passed; its time is when.

package Kept;

use strict;
use warnings;
use Digest::SHA 'sha256_hex';
use File::Basename;
use File::Path 'make_path';

my ($clone, $results, $linux);
my (%tracked, %named, %words, %hash, %image, %command, %reached, $environment);

sub slurp
{
	my ($path) = @_;

	open(my $file, '<:raw', $path) or return '';
	local $/;
	return scalar(<$file>) // '';
}

# open_in CLONE, CACHE, LINUX
sub open_in
{
	($clone, my $cache, $linux) = @_;
	$results = "$cache/results";
	%tracked = map { $_ => 1 } grep { -f "$clone/$_" && !m{^tests/(mutants/|counts$)} }
		split(/\0/, `git -C '$clone' ls-files -zco --exclude-standard`);
	for my $path (keys(%tracked)) {
		push(@{$named{basename($path)}}, $path) if $path =~ m{^(tests|docs|bpf|\.ci|kernel)/} && $path !~ m{^kernel/(files|patches)/};
	}
	%command = slurp("$clone/user/main.c") =~ /^\t\{ "(\w+)", "[^"]*", (\w+),/mg;
	# Programs of their own.
	$command{$_} =~ s/^NULL$/cmd_$_/ for keys(%command);
}

# Returns a script without its comments, but with its head, in which each variable is a *.
sub script
{
	my ($path) = @_;
	my $text = slurp("$clone/$path");

	return '' unless $path =~ /\.(sh|pl|py|tc|zsh)$/ || $text =~ /^#!/;
	$text =~ s/^[ \t]*#(?! (shellcheck source=|kernels:|vm:|then:)).*//mg;
	$text =~ s/\$\{?(hytrace|subject)\b\}?/hytrace/g;
	$text =~ s/\$(\w+|\{[^{}\s]*\})|\[[0-9a-z]-[0-9a-z]\]/*/g;
	return $text;
}

# Returns the files that a word of a script stands for. Programs that were compiled for a test count as they are.
sub files_of
{
	my ($word) = @_;

	return "build/tests/$1" if $word =~ m{build/tests/([\w/]+)$};
	my $below = $word =~ s{^((\*|\.\.?)?/+)+}{};
	return $word if $tracked{$word};
	if ($word =~ /\*/) {
		# The name of a test alone, which was chosen before, says nothing.
		return if $word !~ m{[^*./]};
		return unless $word =~ m{/} || $word =~ /[^*.]{3}.*\./;
		my $fits = join('[^/]*', map { quotemeta } split(/\*+/, $word, -1));

		return grep { m{^(.*/)?$fits$} } keys(%tracked);
	}
	# Below a variable that is a folder.
	my @below = $below ? grep { m{/\Q$word\E$} } keys(%tracked) : ();

	return @below if @below;
	# A directory; in a message, it has no variable before it.
	return grep { index($_, "$word/") == 0 } keys(%tracked) if $word =~ s{/+$}{} || $below && $word =~ m{/};
	return @{$named{$word} // []};
}

# Returns the files of the clone that a C file may read when it runs.
sub quoted
{
	my ($path) = @_;

	return slurp($path) =~ m{"((?:docs|tests|user|kernel/files)/[^"]+)"}g;
}

# Returns the files that a script names, or that a C file includes.
sub named_in
{
	my ($path) = @_;

	$words{$path} //= [do {
		my %found;
		my $text = script($path) =~ s/"//gr;
		my $dir = dirname($path);

		if ($path =~ /\.[ch]$/) {
			$found{"$dir/$_"} = 1 for grep { $tracked{"$dir/$_"} } slurp("$clone/$path") =~ /^#include "([^"]+)"/mg;
		}
		while ($text =~ m{((?:[\w.+*/-]|\{[\w.,+*-]*\})+)}g) {
			my $word = $1;

			next unless $word =~ m{[./]};
			$found{$_} = 1 for map { files_of($_) } $word =~ /\{/ ? glob($word =~ s/\*/\\*/gr) : $word;
		}
		keys(%found);
	}];
	return @{$words{$path}};
}

# Returns the files given, and all that they name. What the scripts of kernel/ make for a test in a guest is in the name
# of the image; only those that boot it count.
sub with_named
{
	my ($in_guest, @files) = @_;
	my %all;

	while (defined(my $file = pop(@files))) {
		next if $in_guest && $file =~ m{^kernel/(?!vm|known|files/)[^/]*\.sh$} || $all{$file}++;
		push(@files, named_in($file)) unless $in_guest && $file =~ m{^(kernel|\.ci)/|^tests/guest/run\.sh$};
	}
	return sort(keys(%all));
}

# Returns the commands of the loader that these scripts call. A command comes after the program, a variable that may be the
# program, the status that loader.sh expects, or a function of the script that calls the program. If it is a variable itself,
# it may be each one. Documents have commands in their console sessions, which tests play.
sub commands
{
	my (@files) = @_;
	my $commands = join('|', keys(%command));
	my %called;

	return unless %command;
	for my $path (grep { /\.md$/ } @files) {
		for (slurp("$clone/$path") =~ /^```console\n(.*?)^```/msg) {
			$called{$_} = 1 for /\bhytrace +($commands)\b/g;
		}
	}
	for my $path (grep { m{^tests/} && $_ ne 'tests/guest/loader.sh' } @files) {
		my $text = script($path) =~ s/["']//gr;
		my $calling = join('|', map { $_->[0] } grep { $_->[1] =~ /hytrace +\$@/ } map { [/^(\w+)\(\)\n(.*)/s] }
			$text =~ /^(\w+\(\)\n[{(]\n.*?^[})])/msg);

		for (split(/\n/, $text)) {
			# An argument of a shell, which calls it as $1.
			return sort(keys(%command)) if /hytrace +\*/ && !/\bsh -c \*/;
			my $before = /\b(status|says)\b/ ? qr/\d/ : qr/hytrace/;

			$called{$_} = 1 for /$before +($commands)\b/g;
			$called{$1} = 1 while $calling && /\b(?:$calling)\b(?:(?!\b(?:$calling)\b).)*? ($commands)\b/g;
			# Not in a message, where another word follows.
			next unless $text =~ m{/hytrace\b};
			$called{$_} = 1 for /(?<![^\s;|&(])\* +($commands)(?! \w)\b/g;
		}
	}
	# It starts the loader for some of its contenders.
	$called{cover} = 1 if $called{bench};
	return sort(keys(%called));
}

# Returns the objects of the loader that have this symbol or are reached from there, by their paths without .o. main.c names
# all commands; the symbols that it needs besides them count for each one.
sub reached
{
	my ($symbol) = @_;
	my (%in, %needs, %seen);

	return @{$reached{$symbol}} if $reached{$symbol};
	for (`cd '$clone/build/user' 2>/dev/null && find . -name '*.o' -exec nm -A {} +`) {
		my ($object, $kind, $name) = m{^\./(.*)\.o:[0-9a-f ]+ (\w) (\S+)$} or next;

		# What is left of a source that has gone is no part of the loader.
		next unless $tracked{"user/$object.c"} || $tracked{"user/$object"};
		if ($kind eq 'U') {
			push(@{$needs{$object}}, $name);
		} elsif ($kind =~ /[A-Z]/) {
			$in{$name} = $object;
		}
	}
	my %other = map { $_ => 1 } values(%command);
	my @found = map { $in{$_} // () } $symbol, grep { !$other{$_} } @{$needs{main} // []};

	while (defined(my $object = pop(@found))) {
		push(@found, map { $in{$_} // () } @{$needs{$object} // []}) unless $object eq 'main' || $seen{$object}++;
	}
	return @{$reached{$symbol} = [$in{$symbol} ? keys(%seen) : ()]};
}

# Returns the files that these commands are made of. Without objects, these are all files of the loader.
sub made_of
{
	my (@called) = @_;
	my @objects = map { reached($command{$_}) } @called;

	return grep { m{^(user|bpf)/} } keys(%tracked) unless @objects;
	my %made = map { $_ => 1 } 'user/main.c', (grep { $tracked{$_} } map { "user/$_/main.c" } @called), grep { m{^bpf/} } keys(%tracked);

	for my $object (@objects) {
		# A file that is embedded has an object of its name.
		$made{$_} = 1 for grep { $tracked{$_} } "user/$object.c", "user/$object", slurp("$clone/build/user/$object.d") =~ m{\buser/\S+\.h\b}g;
	}
	return keys(%made);
}

# Returns what a test depends on, as lines: files, and "image NAME" for a kernel. $test has its name, its files, and the
# kernels that it boots.
sub inputs
{
	my ($test) = @_;
	my @files = with_named($test->{name} !~ m{^(host/|boot/vm$)}, grep { $tracked{$_} } @{$test->{files}});
	my %all = map { $_ => 1 } @files;
	my %kernels = map { $_ => 1 } @{$test->{kernels} // []};

	$kernels{patched} = 1 if $all{'kernel/build.sh'};
	if (my @called = commands(@files)) {
		$all{$_} = 1 for made_of(@called), 'build/vmlinux-headers/vmlinux.h';
	}
	# What make installs, it finds by patterns.
	if (grep { m{^tests/host/} && script($_) =~ /\b(make|hytrace\.bash)\b/ } @files) {
		$all{$_} = 1 for 'Makefile', 'user/hytrace.bash', 'user/_hytrace', grep { m{^user/\w+/main\.c$} } keys(%tracked);
	}
	$all{'tests/counts'} = 1 if $all{'tests/host/runners.sh'};
	if ($test->{name} =~ m{^ftracetest/}) {
		$all{$_} = 1 for grep { m{^kernel/(series-|patches/|files/tools/)} } keys(%tracked);
	}
	return (sort(keys(%all)), map { "image $_" } sort(keys(%kernels)));
}

# Does a line of inputs() stand for this file? An image is made from the kernel's files and patches, by its scripts.
sub covers
{
	my ($input, $path) = @_;

	return $input eq $path || $input =~ m{^build/tests/} && $path =~ m{^user/} || $input =~ /^image / && $path =~ m{^kernel/(files/(?!tools/|Documentation/)|patches/|config/|series-|(build|image|make)\.sh)};
}

# Returns the name of a kernel's image, which no other one has; nothing if it is not there.
sub image
{
	my ($kernel) = @_;

	$image{$kernel} //= do {
		my ($name, $version) = $kernel =~ /^(.*?)(?:-(\d+\.\d+))?$/;
		my @flavour = $name eq 'patched' ? () : "--$name";

		$version //= $linux;
		$name eq 'stock' ? slurp("$results/../stock/latest-stock-$version") :
			`HYTRACE_OTHER_LINUX=$version '$clone/kernel/build.sh' @flavour --print-image 2>/dev/null` =~ s{/[^/]*$}{}r =~ s{.*/}{}r;
	};
	return $image{$kernel} =~ s/\s+//gr;
}

sub environment
{
	return $environment //= do {
		my $flags = join("\n", grep { /FLAGS|_LIBS|_PKGS|^(SAN|WARN|CC|CLANG) / }
			split(/\n/, slurp("$clone/Makefile") =~ s/\\\n\s*/ /gr));
		my $packages = `exec 2>/dev/null; cd '$clone' && .ci/deps --list | xargs dpkg-query -W; kernel/tools.sh --print`;
		my $qemu = $ENV{HYTRACE_QEMU} ? `'$ENV{HYTRACE_QEMU}' --version` : '';

		join("\n", 1, $linux, $flags, $packages, $qemu, -w '/dev/kvm' ? 'kvm' : 'tcg', map { $_ . '=' . ($ENV{$_} // '') }
			'HYTRACE_SMP', 'HYTRACE_STRESS', 'HYTRACE_LINUX_TARBALL', 'TYPES_BY_HAND', 'SAN_CFLAGS',
			map { ($_, $_ . 'FLAGS') } 'C', 'CPP', 'LD', 'CC', 'CLANG');
	};
}

# Returns the key of a test; nothing if it cannot be known.
sub key
{
	my ($test) = @_;
	my @lines;

	# git does not list the files of a clone that it does not trust.
	return if grep { -e "$clone/$_" && !$tracked{$_} && $_ ne 'tests/counts' } @{$test->{files} // []};
	for my $input (inputs($test), @{$test->{built} // []}) {
		my $image = $input =~ /^image (.*)/ ? image($1) || return : '';

		push(@lines, "$input " . ($image || ($hash{$input} //= sha256_hex(slurp("$clone/$input")))));
	}
	return sha256_hex(join("\n", $test->{name}, environment(), @lines));
}

# Returns how many claims the test with this key had, and when; nothing if it has not passed.
sub result
{
	my ($key) = @_;
	my ($name, $passed) = split(' ', slurp("$results/$key"));

	return defined($passed) ? ($passed, (stat("$results/$key"))[9]) : ();
}

# Is the loader older than a source of it? Then what was tested is not what the key says.
sub stale
{
	my $built = (stat("$clone/build/hytrace"))[9] // 0;

	return grep { m{^(user/.*\.(c|h|html|css|keep)|bpf/.*)$} && (stat("$clone/$_"))[9] > $built } keys(%tracked);
}

# keep TEST, KEY, PASSED: KEY is that from before the test ran, and has to be the same now. A test that boots by itself takes
# the image that there was then.
sub keep
{
	my ($test, $key, $passed) = @_;

	%hash = ();
	%image = () if $test->{name} !~ m{^(guest|ftracetest)/};
	return unless defined($key) && $key eq (key($test) // '');
	return if (grep { $_ eq 'user/main.c' } inputs($test)) && stale();
	make_path($results);
	open(my $file, '>', "$results/.$key.$$") or return;
	print $file "$test->{name} $passed\n";
	close($file) and rename("$results/.$key.$$", "$results/$key");
}

# forget KEY: the test has failed with these inputs, even if it passed before.
sub forget
{
	my ($key) = @_;

	unlink("$results/$key") if defined($key);
}

# Removes results that are older than a month, and what killed runs have left.
sub drop_old
{
	-M $_ > 30 && unlink for glob("$results/* $results/.[0-9a-f]*");
}

1;
