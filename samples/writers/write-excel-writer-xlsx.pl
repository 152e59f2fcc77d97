#!/usr/bin/perl
# Writes month-end.csv as Perl's Excel::Writer::XLSX writes it: perl write-excel-writer-xlsx.pl OUT.xlsx
use strict;
use warnings;
use Excel::Writer::XLSX;

open my $in, '<:encoding(UTF-8)', 'month-end.csv' or die $!;
my $text = do { local $/; <$in> };
$text =~ s/\r\n/\n/g;
my @rows = ([]);
while ($text =~ /\G(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|\z)/gc) {
    my ($value, $end) = (defined $1 ? $1 : $2, $3);
    $value =~ s/""/"/g;
    push @{ $rows[-1] }, $value;
    last if $end eq '' || pos($text) == length $text;
    push @rows, [] if $end eq "\n";
}
my $book   = Excel::Writer::XLSX->new($ARGV[0]);
my $tab    = $book->add_worksheet('Payouts');
my $as     = $book->add_format(num_format => '@');
my $money  = $book->add_format(num_format => '#,##0.00');
my $date   = $book->add_format(num_format => 'dd-mm-yyyy');
for my $r (0 .. $#rows) {
    for my $c (0 .. $#{ $rows[$r] }) {
        my $value = $rows[$r][$c];
        next if $value eq '';
        if ($r > 1 && $c == 4) { (my $n = $value) =~ s/,//g; $tab->write_number($r, $c, $n, $money) }
        elsif ($r > 1 && $c == 7) { $tab->write_date_time($r, $c, join('-', reverse split /-/, $value) . 'T', $date) }
        else { $tab->write_string($r, $c, $value, $as) }
    }
}
$book->close;
