package ledger

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestAccountNumbersInRemarksAreMasked(t *testing.T) {
	names := []string{"inv-2031-000000123", "hdfcn52031030112345678", "103112345678", "pay/0000/123456789"}
	ours := func(word string) bool { return slices.Contains(names, word) }
	tests := []struct{ name, text, want string }{
		{"a run of digits", "NEFT/RAO/50100012345678", "NEFT/RAO/XXXXXXXXXX5678"},
		{"behind letters", "AC50100012345678 RAO", "ACXXXXXXXXXX5678 RAO"},
		{"two of them", "50100012345678 to 123456789", "XXXXXXXXXX5678 to XXXXX6789"},
		{"our UTR, which has a long run in it", "NEFT HDFCN52031030112345678 RAO", "NEFT HDFCN52031030112345678 RAO"},
		{"our UTR of digits alone", "IMPS/103112345678/RAO", "IMPS/103112345678/RAO"},
		{"our UTR behind letters", "UTR103112345678", "UTR103112345678"},
		{"our UTR inside a longer number", "9103112345678", "XXXXXXXXX5678"},
		{"our reference over several words", "NEFT INV-2031-000000123 RAO", "NEFT INV-2031-000000123 RAO"},
		{"our reference with slashes", "NEFT/PAY/0000/123456789/RAO", "NEFT/PAY/0000/123456789/RAO"},
		{"another's like it", "NEFT INV-2031-000000124", "NEFT INV-2031-XXXXX0124"},
		{"eight digits and nineteen", "12345678 1234567890123456789", "12345678 1234567890123456789"},
		{"anybody's UTR", "NEFT SBINR52031030112345678 utibi103112345678 RTGS/ICICN5203103011", "NEFT SBINR52031030112345678 utibi103112345678 RTGS/ICICN5203103011"},
		{"a UTR of 16", "NEFT PUNBH26324123456/AXISCN0123456789/ICIC263240001234 RAO", "NEFT PUNBH26324123456/AXISCN0123456789/ICIC263240001234 RAO"},
		{"a UTR of N and 15 digits", "NEFT DR-N324252849123456-RAO", "NEFT DR-N324252849123456-RAO"},
		{"a UTR of 22 with more letters", "RTGS/UTIBH2632412345678901A/RAO", "RTGS/UTIBH2632412345678901A/RAO"},
		{"a UTR between dashes", "NEFT-SBINN52031030112345678-RAO", "NEFT-SBINN52031030112345678-RAO"},
		{"an account behind its name", "ACCT501001234567 ACNO501001234567 X324252849123456", "ACCTXXXXXXXX4567 ACNOXXXXXXXX4567 XXXXXXXXXXXX3456"},
		{"what is only like a UTR", "ABCDX50100012345678 XABCDN50100012345678", "ABCDXXXXXXXXXXX5678 XABCDNXXXXXXXXXX5678"},
		{"other scripts", "भुगतान 50100012345678", "भुगतान XXXXXXXXXX5678"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := MaskRemarks(tt.text, ours); got != tt.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

// A name is a whole word, whatever is between it and the next.
func TestWordsEndAtWhatIsNoLetterOrDigit(t *testing.T) {
	for text, want := range map[string]string{
		"NEFT–INV-17–RAO": "INV-17", "NEFT\u00a0INV-17\u00a0RAO": "INV-17", "NEFT·INV-17\u200bRAO": "INV-17", "₹INV-17₹": "INV-17",
		"भुगतान INV-17": "INV-17", "éINV-17": "", "INV-17क्\u200dष": "",
	} {
		found := ""
		EachName(text, func(start, end int) bool {
			if text[start:end] == "INV-17" {
				found = text[start:end]
			}
			return found != ""
		})
		if found != want {
			t.Errorf("%q: found %q", text, found)
		}
	}
	if got := FirstWord("क्\u200dष–1"); got != "क्\u200dष" {
		t.Errorf("the first word is %q", got)
	}
}

// A UTR is kept whatever is around it, and an account number never.
func TestUTRsAreKeptAndAccountsMasked(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		words := []string{"RTGS"}
		utrs, accounts := 0, 0
		for range rapid.IntRange(1, 5).Draw(rt, "words") {
			switch rapid.IntRange(0, 4).Draw(rt, "kind") {
			case 0:
				words, utrs = append(words, rapid.StringMatching(`[A-Z]{4}[NRI][0-9]{9,18}`).Draw(rt, "glued")), utrs+1
			case 1:
				words, utrs = append(words, rapid.StringMatching(`[BD-Z][A-Z]{3}[A-Z0-9][0-9]{11}`).Draw(rt, "of 16")), utrs+1
			case 2:
				words, utrs = append(words, rapid.StringMatching(`[BD-Z][A-Z]{3}[A-Z0-9]{2}[0-9]{16}`).Draw(rt, "of 22")), utrs+1
			case 3:
				words, utrs = append(words, rapid.StringMatching(`N[0-9]{15}`).Draw(rt, "N and 15")), utrs+1
			case 4:
				words, accounts = append(words, rapid.StringMatching(`(?:AC|ACCT)?[0-9]{9,18}`).Draw(rt, "account")), accounts+1
			}
		}
		text := strings.Join(words, rapid.SampledFrom([]string{"-", "/", " ", ", ", ":", "–", "\u00a0", "|", "·"}).Draw(rt, "between"))
		got := MaskRemarks(text, func(string) bool { return false })
		kept, masked := 0, 0
		for _, word := range words[1:] {
			switch {
			case strings.Contains(got, word):
				kept++
			default:
				masked++
			}
		}
		if kept != utrs || masked != accounts {
			rt.Fatalf("%q became %q", text, got)
		}
	})
}

// What a reading was made of stays as it is: masking gives another one.
func TestAMaskedReadingIsAnother(t *testing.T) {
	r := StatementRead{Entries: []StatementEntry{{Remarks: "50100012345678", Details: []EntryDetail{{Amount: 1, Remarks: "50100012345678"}}}}}
	m := r.Masked(func(string) bool { return false })
	if r.Entries[0].Remarks != "50100012345678" || r.Entries[0].Details[0].Remarks != "50100012345678" {
		t.Error("the reading itself was changed")
	}
	if m.Entries[0].Remarks != "XXXXXXXXXX5678" || m.Entries[0].Details[0].Remarks != "XXXXXXXXXX5678" {
		t.Errorf("got %+v", m.Entries)
	}
}

// Pages overlap where a line is added meanwhile: the same id and balance in one reading
// of the bank are one line, and of a file every line is one.
func TestWhatIsOneLineOfAReading(t *testing.T) {
	entry := func(id, day string, amount, closing Paise) StatementEntry {
		return StatementEntry{TransactionID: id, Debit: true, Amount: amount, Closing: closing, Transacted: day + " 10:00:00"}
	}
	a := entry("T1", "2031-03-01", 100, 900)
	tests := []struct {
		name   string
		source StatementSource
		second StatementEntry
		want   int
	}{
		{"the bank's again, pages overlap", FromInterface, a, 1},
		{"the bank's id with another balance", FromInterface, entry("T1", "2031-03-01", 100, 800), 2},
		{"the bank's id on another day", FromInterface, entry("T1", "2031-03-02", 100, 900), 2},
		{"two debits without an id", FromInterface, entry("", "2031-03-01", 100, 900), 2},
		{"a file's, to and fro in one day", FromFile, a, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := StatementRead{Source: tt.source, From: "2031-03-01", To: "2031-03-31", Entries: []StatementEntry{a, tt.second}}
			if got := len(r.KeptLines(1)); got != tt.want {
				t.Errorf("%d lines", got)
			}
		})
	}
}

func TestAReadingIsWhole(t *testing.T) {
	good := func() StatementRead {
		return StatementRead{BankAccountID: "a", Source: FromFile, Shape: ShapeEntries, From: "2031-03-01", To: "2031-03-02",
			FileName: "s.csv", FileSHA256: strings.Repeat("0", 64), FileFormat: "csv", Entries: []StatementEntry{{Amount: 1, Transacted: "2031-03-01"}}}
	}
	if r := good(); r.Check() != nil {
		t.Fatal(r.Check())
	}
	bad := map[string]func(*StatementRead){
		"days the wrong way":      func(r *StatementRead) { r.From = "2031-03-03" },
		"an amount below zero":    func(r *StatementRead) { r.Entries[0].Amount = -1 },
		"no day":                  func(r *StatementRead) { r.Entries[0].Transacted = "" },
		"beyond what there is":    func(r *StatementRead) { r.Entries[0].Closing = 1<<63 - 1; r.Entries[0].Debit = true },
		"a detail without amount": func(r *StatementRead) { r.Entries[0].Details = []EntryDetail{{}} },
	}
	for name, change := range bad {
		r := good()
		if change(&r); r.Check() == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestTheDayOfAnEntryIsWhenTheBankPostedIt(t *testing.T) {
	for _, tt := range []struct {
		entry StatementEntry
		want  string
	}{
		{StatementEntry{Transacted: "2031-03-01 23:59:59", Posted: "2031-03-02 00:00:01"}, "2031-03-02"},
		{StatementEntry{Transacted: "2031-03-01"}, "2031-03-01"},
	} {
		if got := tt.entry.Day(); got != tt.want {
			t.Errorf("%+v: %s", tt.entry, got)
		}
	}
}

// Which way round a bank has its entries is known from the balances, also where one
// is missing and all are of one day.
func TestEntriesAreKeptOldestFirst(t *testing.T) {
	entries := func(missing bool) []StatementEntry {
		balance, list := Paise(1000), []StatementEntry{}
		for i, amount := range []Paise{100, 100, 7, 300} {
			balance -= amount
			if missing && i == 1 {
				continue
			}
			list = append(list, StatementEntry{TransactionID: string(rune('a' + i)), Debit: true, Amount: amount, Closing: balance, Transacted: "2031-03-01"})
		}
		return list
	}
	for _, missing := range []bool{false, true} {
		want := entries(missing)
		newest := slices.Clone(want)
		slices.Reverse(newest)
		for _, given := range [][]StatementEntry{want, newest} {
			kept := StatementRead{Source: FromFile, From: "2031-03-01", To: "2031-03-31", Entries: given}.KeptLines(1)
			for i := range kept {
				if kept[i].TransactionID != want[i].TransactionID || kept[i].Ref.Line != i+1 {
					t.Errorf("missing %v: place %d has %s", missing, kept[i].Ref.Line, kept[i].TransactionID)
				}
			}
		}
	}
	two := []StatementEntry{{TransactionID: "b", Amount: 1, Closing: 50, Transacted: "2031-03-02"}, {TransactionID: "a", Amount: 1, Closing: 10, Transacted: "2031-03-01"}}
	if kept := (StatementRead{From: "2031-03-01", To: "2031-03-31", Entries: two}).KeptLines(1); kept[0].TransactionID != "a" {
		t.Error("where no balance tells, the moments do")
	}
}

// A debit and its return on the same second begin and end at the same balance,
// whichever is first: what the account holds tells.
func TestADebitThatCameBackIsBeforeItsReturn(t *testing.T) {
	debit := StatementEntry{TransactionID: "d", Debit: true, Amount: 100, Closing: 900, Transacted: "2031-03-01 10:00:00"}
	back := StatementEntry{TransactionID: "c", Amount: 100, Closing: 1000, Transacted: "2031-03-01 10:00:00"}
	for _, r := range []StatementRead{
		{Balances: []BalanceRead{{Balance: 900}, {Balance: 1000}}, Entries: []StatementEntry{back, debit}},
		{Closing: new(Paise(1000)), Entries: []StatementEntry{debit, back}},
	} {
		if kept := r.KeptLines(1); kept[0].TransactionID != "d" {
			t.Errorf("%+v", kept)
		}
	}
}

// Two people decide about a statement at most 72 hours apart, also if the clock was set back in between.
func TestADecisionAboutAStatementWaitsFor72Hours(t *testing.T) {
	first := StatementDecision{No: 1, Kind: WordVoid, Reading: 1, Actor: "asha", At: time.Date(2025, 11, 3, 9, 0, 0, 0, time.UTC)}
	for apart, want := range map[time.Duration]int64{0: 1, 72 * time.Hour: 1, 72*time.Hour + 1: 0, -time.Minute: 0, -100 * time.Hour: 0} {
		second := first
		second.Actor, second.At = "ravi", first.At.Add(apart)
		if no, err := second.Second([]StatementDecision{first}, Users{}); no != want || err != nil {
			t.Errorf("%s after the first: completes %d, %v", apart, no, err)
		}
	}
}
