package reconcile_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"payrun/ledger"
)

// told are lines in few words.
func told(lines []ledger.KeptLine) string {
	var words []string
	for _, l := range lines {
		sign := "+"
		if l.Debit {
			sign = "-"
		}
		words = append(words, fmt.Sprintf("%s%s@%s", sign, l.Amount, l.Day[8:]))
	}
	return strings.Join(words, " ")
}

func TestWhatCounts(t *testing.T) {
	debit := func(on int, amount ledger.Paise, id string) shown { return shown{on, -amount, "NEFT", id} }
	for _, tt := range []struct {
		name                        string
		tell                        func(d *desk)
		counts, withdrawn, fileOnly string
		breaks                      int
	}{
		{"one reading", func(d *desk) { d.bank(1, 3, 4, 100, debit(1, 1, "a"), debit(2, 2, "b")) }, "-0.01@01 -0.02@02", "", "", 0},
		{"the newest asked-for reading decides a whole day, and an overlap is one line", func(d *desk) {
			d.bank(1, 3, 4, 100, debit(1, 1, "a"), debit(3, 2, "b"))
			d.bank(3, 5, 6, 99, debit(3, 2, "b"), debit(4, 3, "c"))
		}, "-0.01@01 -0.02@03 -0.03@04", "", "", 0},
		{"a reading asked for earlier and recorded later does not decide", func(d *desk) {
			d.bank(1, 3, 6, 100, debit(1, 1, "a"), debit(2, 2, "b"))
			d.bank(1, 3, 4, 100, debit(1, 1, "a"))
		}, "-0.01@01 -0.02@02", "", "", 0},
		{"E4: a debit that a newer reading lacks is withdrawn", func(d *desk) {
			d.bank(1, 3, 4, 100, debit(1, 1, "a"), debit(2, 2, "b"))
			d.bank(1, 3, 6, 100, debit(1, 1, "a"))
		}, "-0.01@01", "-0.02@02", "", 0},
		{"withdrawn is one line, however many readings had it", func(d *desk) {
			d.bank(1, 3, 4, 100, debit(1, 1, "a"), debit(2, 2, "b"))
			d.bank(1, 3, 5, 100, debit(1, 1, "a"), debit(2, 2, "b"), shown{2, 7, "INT", "i"})
			d.bank(1, 3, 6, 100, debit(1, 1, "a"))
		}, "-0.01@01", "-0.02@02", "", 0},
		{"two withdrawn debits of one amount are two, although no reading had both", func(d *desk) {
			d.bank(1, 3, 4, 100, debit(2, 2, "b"))
			d.bank(1, 3, 5, 100, debit(2, 2, "c"))
			d.bank(1, 3, 6, 100, debit(1, 1, "a"))
		}, "-0.01@01", "-0.02@02 -0.02@02", "", 0},
		{"E3: the same id under another day is dated again", func(d *desk) {
			d.bank(1, 3, 4, 100, debit(2, 2, "b"))
			d.bank(1, 5, 6, 100, debit(4, 2, "b"))
		}, "-0.02@04", "", "", 0},
		{"E3: also where the newer reading does not cover the old day", func(d *desk) {
			d.bank(1, 3, 4, 100, debit(2, 2, "b"), debit(3, 1, "c"))
			d.bank(4, 5, 6, 99, debit(4, 2, "b"))
		}, "-0.01@03 -0.02@04", "", "", 0},
		{"two under one id where the balances lead through both", func(d *desk) {
			d.bank(1, 3, 4, 100, debit(2, 2, "b"), debit(3, 1, "c"))
			d.bank(4, 5, 6, 97, debit(4, 2, "b"))
		}, "-0.02@02 -0.01@03 -0.02@04", "", "", 0},
		{"and on a day before", func(d *desk) {
			d.bank(3, 4, 5, 97, debit(3, 1, "c"), debit(4, 2, "b"))
			d.bank(1, 2, 6, 100, debit(1, 1, "a"), debit(2, 2, "b"))
		}, "-0.01@01 -0.02@02 -0.01@03 -0.02@04", "", "", 0},
		{"dated again to a day before", func(d *desk) {
			d.bank(3, 4, 5, 99, debit(3, 1, "c"), debit(4, 2, "b"))
			d.bank(1, 2, 6, 100, debit(1, 1, "a"), debit(2, 2, "b"))
		}, "-0.01@01 -0.02@02 -0.01@03", "", "", 0},
		{"the same id with another amount is another line", func(d *desk) {
			d.bank(1, 3, 4, 100, debit(2, 2, "b"))
			d.bank(4, 5, 6, 98, debit(4, 3, "b"))
		}, "-0.02@02 -0.03@04", "", "", 0},
		{"within a reading every line is an entry", func(d *desk) {
			d.bank(1, 3, 4, 100, debit(2, 2, "b"), shown{2, 2, "RETURN", "c"}, debit(2, 2, "b2"))
		}, "-0.02@02 +0.02@02 -0.02@02", "", "", 0},
		{"the bank's own reading outranks a newer file", func(d *desk) {
			d.bank(1, 5, 6, 100, debit(1, 1, "a"))
			d.file(1, 5, true, 100, debit(1, 1, ""), debit(2, 2, ""))
		}, "-0.01@01", "", "-0.02@02", 0},
		{"what a file dates a day next to the bank is no other line", func(d *desk) {
			d.bank(1, 5, 6, 100, debit(2, 2, "a"))
			d.file(1, 5, true, 100, debit(3, 2, ""))
		}, "-0.02@02", "", "", 0},
		{"C3: a made-up credit and two debits only a file shows", func(d *desk) {
			d.bank(1, 5, 6, 100, debit(1, 1, "a"))
			d.file(1, 5, true, 100, debit(1, 1, ""), shown{2, 50, "NEFT RETURN", ""}, debit(2, 25, ""), debit(3, 25, ""))
		}, "-0.01@01", "", "+0.50@02 -0.25@02 -0.25@03", 0},
		{"the bank's reading covers up to when it was asked for, and a file has the rest of the day", func(d *desk) {
			d.bank(5, 6, 6, 100, debit(6, 1, "a"))
			d.file(6, 6, true, 100, debit(6, 1, ""), shown{6, 1, "RETURN", ""}, debit(6, 1, ""))
		}, "-0.01@06 +0.01@06 -0.01@06", "", "", 0},
		{"and one that goes on where it broke off", func(d *desk) {
			d.bank(5, 6, 6, 100, debit(6, 1, "a"))
			d.file(6, 6, false, 99, shown{6, 1, "RETURN", ""}, debit(6, 1, ""))
		}, "-0.01@06 +0.01@06 -0.01@06", "", "", 0},
		{"a file's line where the bank's own balances have no room for it is only in the file", func(d *desk) {
			d.bank(6, 6, 6, 100, debit(6, 1, "a"), debit(6, 20, "c"))
			d.file(6, 6, true, 100, debit(6, 1, ""), debit(6, 5, "rent"), debit(6, 4, "fee"))
		}, "-0.01@06 -0.20@06", "", "-0.05@06 -0.04@06", 0},
		{"and where it begins with the day", func(d *desk) {
			d.bank(6, 6, 6, 100, debit(6, 1, "a"))
			d.file(6, 6, false, 100, debit(6, 5, "rent"))
		}, "-0.01@06", "", "-0.05@06", 0},
		{"where lines between the bank's and the file's are missing, both count", func(d *desk) {
			d.bank(6, 6, 6, 100, debit(6, 1, "a"))
			d.file(6, 6, true, 90, debit(6, 5, "rent"))
		}, "-0.01@06 -0.05@06", "", "", 1},
		{"A2: one day in two honest files keeps its second debit", func(d *desk) {
			d.file(5, 5, false, 1000, debit(5, 10, ""))
			d.file(5, 5, false, 990, shown{5, 10, "RETURN", ""}, shown{5, -10, "RE-PRESENTED", ""}, shown{5, 3, "INT", ""})
		}, "-0.10@05 +0.10@05 -0.10@05 +0.03@05", "", "", 0},
		{"the same file twice is the same", func(d *desk) {
			for range 2 {
				d.file(4, 5, false, 1000, debit(4, 10, ""), shown{5, 10, "RETURN", ""})
			}
		}, "-0.10@04 +0.10@05", "", "", 0},
		{"the bank's own of a day that came back to its balance, and a file of less of it", func(d *desk) {
			d.bank(5, 6, 6, 1000, debit(6, 10, "a"), shown{6, 10, "RETURN", "b"})
			d.file(5, 6, true, 1000, debit(6, 10, ""))
		}, "-0.10@06 +0.10@06", "", "", 0},
		{"a file of the second part of a day twice", func(d *desk) {
			d.file(5, 5, false, 1000, debit(5, 1, ""))
			for range 2 {
				d.file(5, 5, false, 999, debit(5, 2, ""))
			}
		}, "-0.01@05 -0.02@05", "", "", 0},
		{"the same file twice, of a day that came back to its balance", func(d *desk) {
			for range 2 {
				d.file(5, 5, false, 1000, debit(5, 10, ""), shown{5, 10, "RETURN", ""})
			}
		}, "-0.10@05 +0.10@05", "", "", 0},
		{"a day that came back to its balance goes on", func(d *desk) {
			d.file(5, 5, false, 1000, debit(5, 10, ""), shown{5, 10, "RETURN", ""})
			d.file(5, 5, false, 1000, shown{5, -10, "RE-PRESENTED", ""})
		}, "-0.10@05 +0.10@05 -0.10@05", "", "", 0},
		{"a shorter file of the day takes nothing back", func(d *desk) {
			d.file(4, 5, false, 1000, debit(4, 1, ""), debit(5, 2, ""), debit(5, 3, ""))
			d.file(4, 5, false, 1000, debit(4, 1, ""), debit(5, 2, ""))
		}, "-0.01@04 -0.02@05 -0.03@05", "", "", 0},
		{"a file that states its days replaces them", func(d *desk) {
			d.file(4, 5, false, 1000, debit(4, 1, ""), debit(5, 2, ""), debit(5, 3, ""))
			d.file(4, 5, true, 1000, debit(4, 1, ""), debit(5, 2, ""))
		}, "-0.01@04 -0.02@05", "-0.03@05", "", 0},
		{"E1: a file of another account breaks the balances, and is void", func(d *desk) {
			d.file(1, 2, true, 1000, debit(1, 1, ""))
			d.file(3, 4, true, 99_000_000, debit(3, 7, ""))
			d.void(2)
		}, "-0.01@01", "", "", 0},
		{"a line that is missing breaks the balances", func(d *desk) {
			d.bank(1, 5, 6, 1000, debit(1, 1, "a"))
			d.bank(6, 8, 9, 900, debit(6, 1, "b"))
		}, "-0.01@01 -0.01@06", "", "", 1},
		{"a bank may order a day otherwise in another reading", func(d *desk) {
			d.file(4, 4, true, 100, debit(4, 1, ""))
			d.bank(5, 5, 9, 94, debit(5, 2, "b"), debit(5, 3, "c"))
			d.lines[1].Closing, d.lines[2].Closing = 94, 97 // 99 − 2 − 3: the second came first
			d.lines[1].Amount, d.lines[2].Amount = 3, 2
		}, "-0.01@04 -0.02@05 -0.03@05", "", "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &desk{TB: t}
			tt.tell(d)
			c := d.counted()
			if got := told(c.Lines); got != tt.counts {
				t.Errorf("counts %s, want %s", got, tt.counts)
			}
			if got := told(c.Withdrawn); got != tt.withdrawn {
				t.Errorf("withdrawn %s, want %s", got, tt.withdrawn)
			}
			if got := told(c.OnlyInFile); got != tt.fileOnly {
				t.Errorf("only in a file %s, want %s", got, tt.fileOnly)
			}
			if len(c.Breaks) != tt.breaks {
				t.Errorf("breaks %+v", c.Breaks)
			}
		})
	}
}

func TestAFileJoinsOrIsRefused(t *testing.T) {
	for _, tt := range []struct {
		name    string
		period  bool
		opening ledger.Paise
		joins   bool
	}{
		{"it goes on where the day ended", false, 900, true},
		{"it begins where the day began", false, 1000, true},
		{"it begins in the middle", false, 950, false},
		{"it states its days", true, 950, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &desk{TB: t}
			d.file(5, 5, false, 1000, shown{5, -50, "A", ""}, shown{5, -50, "B", ""})
			err := d.tryFile(5, 6, tt.period, tt.opening, shown{5, -1, "C", ""})
			if (err == nil) != tt.joins {
				t.Fatal(err)
			}
			if join, ok := errors.AsType[*ledger.JoinError](err); ok && (join.Opening != tt.opening || join.Began != 1000 || join.Ended != 900) {
				t.Errorf("%+v", join)
			}
		})
	}
}

func TestADayThatIsKnownIsHeldByTheFirstReading(t *testing.T) {
	d := &desk{TB: t}
	list := []shown{{3, -10, "A", "a"}, {4, -20, "B", "b"}}
	d.bank(3, 4, 4, 100, list...)
	d.bank(3, 5, 5, 100, append(list, shown{5, -1, "C", "c"})...)
	d.bank(3, 6, 6, 100, append(list, shown{5, -1, "C", "c"}, shown{5, -2, "D", "d"})...)
	if len(d.lines) != 2+1+2 {
		t.Errorf("%d lines are held", len(d.lines))
	}
	if got := told(d.counted().Lines); got != "-0.10@03 -0.20@04 -0.01@05 -0.02@05" {
		t.Error(got)
	}
	for _, l := range d.counted().Lines[:2] {
		if l.Ref.Reading != 1 {
			t.Errorf("%s is named %s", l.Remarks, l.Ref)
		}
	}
}

func TestMissingDays(t *testing.T) {
	d := &desk{TB: t}
	d.bank(3, 4, 5, 100)
	d.file(6, 7, true, 100, shown{6, -1, "A", ""})
	d.void(2)
	if got := ledger.MissingDays(d.readings, day(2), day(6)); strings.Join(got, " ") != day(2)+" "+day(5)+" "+day(6) {
		t.Error(got)
	}
}
