#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# Writes a directory as one commit for git fast-import: the kernel's 85,000 files go into a single
# pack in a fraction of the time that git add takes to make as many loose objects.
#
# usage: import.pl DIR REF 'NAME <MAIL> SECONDS +0000' MESSAGE

use strict;
use warnings;

my ($dir, $ref, $who, $message) = @ARGV;
my @files;

chdir $dir or die "import.pl: $dir: $!\n";
open my $find, '-|', 'find', '.', '-mindepth', '1', '!', '-type', 'd', '-printf', '%P\0'
	or die "import.pl: find: $!\n";
{
	local $/ = "\0";
	chomp(@files = <$find>);
}
close $find or die "import.pl: find in $dir failed\n";

binmode STDOUT;
$message .= "\n";
printf "commit %s\ncommitter %s\ndata %d\n%s\n", $ref, $who, length $message, $message;
for my $file (sort @files) {
	my ($mode, $data);

	die "import.pl: $file: a newline in a file's name\n" if $file =~ /\n/;
	if (-l $file) {
		$mode = '120000';
		$data = readlink $file;
	} else {
		$mode = -x _ ? '100755' : '100644';
		open my $in, '<:raw', $file or die "import.pl: $file: $!\n";
		local $/;
		$data = <$in> // '';
	}
	printf "M %s inline %s\ndata %d\n", $mode, $file, length $data;
	print $data, "\n" or die "import.pl: write: $!\n";
}
print "done\n";
close STDOUT or die "import.pl: write: $!\n";
