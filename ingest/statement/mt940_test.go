package statement_test

import (
	"strings"
	"testing"

	"payrun/ingest/statement"
)

// swiftOf is a bare MT940 of one page, from 1000.00 to the closing balance.
func swiftOf(closing string, entries ...string) string {
	return lines(append(append([]string{":20:STMT", ":25:BANKINBB/" + account + "INR", ":28C:00001/001", ":60F:C261119INR1000,00"}, entries...), ":62F:"+closing)...)
}

func TestAnMT940ThatIsRefused(t *testing.T) {
	paid := ":61:2611201120D100,00NTRFUTR1"
	for name, c := range map[string]struct {
		content string
		code    string
	}{
		"no closing balance":         {strings.Replace(swiftOf("C261120INR900,00", paid), ":62F:C261120INR900,00", "", 1), statement.CodeIncomplete},
		"a page in the middle":       {strings.Replace(swiftOf("C261120INR900,00", paid), ":60F:", ":60M:", 1), statement.CodeIncomplete},
		"no opening balance":         {lines(":20:STMT", ":25:"+account, ":62F:C261120INR900,00"), statement.CodeIncomplete},
		"pages that part":            {strings.Replace(november().mt940(2, false), ":60M:C251121INR", ":60M:C251121INR9", 1), statement.CodeChain},
		"a page missing":             {withoutPage(november().mt940(1, false), 1), statement.CodeChain},
		"cut off in its block":       {strings.TrimRight(november().mt940(0, true), "\r\n")[:500], statement.CodeIncomplete},
		"cut off in the next block":  {november().mt940(0, true) + "\r\n{1:F01BANKINBBAXXX0000000000}{2:O940}{4:", statement.CodeIncomplete},
		"cut off in its first tag":   {november().mt940(0, true) + "\r\n{1:F01BANKINBBAXXX0000000000}{2:O940}{4:\r\n:2", statement.CodeSyntax},
		"an indented field after it": {swiftOf("C261120INR900,00", paid) + " :20:STMT2\n :25:" + account + "\n :61:2611201120D5,00NTRFX\n", statement.CodeSyntax},
		"a field without its colon":  {swiftOf("C261120INR900,00", paid) + "-\n20:STMT2\n", statement.CodeSyntax},
		"an opening of two lines":    {strings.Replace(swiftOf("C261120INR900,00", paid), "INR1000,00", "INR1000,\n50", 1), statement.CodeChain},
		"a missing entry":            {swiftOf("C261120INR900,00"), statement.CodeChain},
		"a changed amount":           {swiftOf("C261120INR900,00", strings.Replace(paid, "100,00", "100,01", 1)), statement.CodeChain},
		"an expected debit":          {swiftOf("C261120INR900,00", strings.Replace(paid, "D100", "ED100", 1)), statement.CodeSyntax},
		"another funds code":         {swiftOf("C261120INR900,00", strings.Replace(paid, "D100", "DD100", 1)), statement.CodeCurrency},
		"dollars":                    {strings.ReplaceAll(swiftOf("C261120INR900,00", paid), "INR", "USD"), statement.CodeCurrency},
		"no such day":                {swiftOf("C261120INR900,00", strings.Replace(paid, "261120", "261131", 1)), statement.CodeDate},
		"no such entry day":          {swiftOf("C261120INR900,00", strings.Replace(paid, "1120D", "1131D", 1)), statement.CodeDate},
		"no opening before an entry": {strings.Replace(swiftOf("C261120INR900,00", paid), ":60F:C261119INR1000,00\n", "", 1), statement.CodeSyntax},
		"an entry behind a hyphen":   {swiftOf("C261120INR900,00", paid) + "-\n" + paid + "\n", statement.CodeSyntax},
		"another account's IBAN":     {strings.Replace(swiftOf("C261120INR900,00", paid), "BANKINBB/"+account, "GB29NWBK60161331926819", 1), statement.CodeAccountOther},
		"an entry behind the end":    {swiftOf("C261120INR900,00", paid) + paid + "\n", statement.CodeSyntax},
		"a second opening":           {swiftOf("C261120INR900,00", ":60F:C261119INR1000,00", paid), statement.CodeSyntax},
		"a NUL byte":                 {swiftOf("C261120INR900,00", paid, ":86:a\x00b"), statement.CodeSyntax},
		"windows-1252, not said":     {swiftOf("C261120INR900,00", paid, ":86:Caf\xe9"), statement.CodeSyntax},
		"another account":            {strings.ReplaceAll(swiftOf("C261120INR900,00", paid), account, "000200349999"), statement.CodeAccountOther},
	} {
		t.Run(name, func(t *testing.T) {
			refusedWith(t, read(t, c.content, statement.Options{Ours: ours}), c.code, c.content)
		})
	}
}

// withoutPage takes a message out of a bare file.
func withoutPage(text string, n int) string {
	pages := strings.SplitAfter(text, "\r\n-\r\n")
	return strings.Join(append(pages[:n:n], pages[n+1:]...), "")
}

// TestTheSidesOfAnMT940: D and C, their reversals, and the funds code behind each.
func TestTheSidesOfAnMT940(t *testing.T) {
	for side, want := range map[string]struct {
		debit   bool
		closing string
	}{
		"D": {true, "C261120INR900,"}, "C": {false, "C261120INR1100,"}, "RD": {false, "C261120INR1100,"}, "RC": {true, "C261120INR900,"},
		"DR": {true, "C261120INR900,"}, "CR": {false, "C261120INR1100,"}, "RDR": {false, "C261120INR1100,"}, "RCR": {true, "C261120INR900,"},
	} {
		f := read(t, swiftOf(want.closing, ":61:2611201120"+side+"100,NTRFUTR1"), statement.Options{})
		if f.Refused() || f.Entries[0].Debit != want.debit || f.Entries[0].Amount != 100_00 {
			t.Errorf("%s: %+v", side, f)
		}
	}
}

func TestTheDayOfAnMT940EntryIsInTheNearestYear(t *testing.T) {
	for _, c := range []struct{ value, entry, want string }{
		{"261231", "0101", "2027-01-01"}, {"270101", "1231", "2026-12-31"}, {"261120", "1119", "2026-11-19"}, {"261120", "", "2026-11-20"}, {"240229", "0229", "2024-02-29"},
	} {
		text := strings.Replace(swiftOf("C270102INR900,00", ":61:"+c.value+c.entry+"D100,00NTRFUTR1"), "C261119", "C240101", 1)
		if f := read(t, text, statement.Options{}); f.Refused() || f.Entries[0].Day() != c.want {
			t.Errorf("%s %s: %+v, want %s", c.value, c.entry, f, c.want)
		}
	}
}

// TestAReferenceThatMT940Cuts: :61: keeps 16 characters, the whole is in :86:,
// over the end of a line too.
func TestAReferenceThatMT940Cuts(t *testing.T) {
	const whole = "HDFCR52026112000000001"
	filler := strings.Repeat("X", 65-10-1) + "/"
	for name, c := range map[string]struct{ text, want string }{
		"whole in one line":   {":86:RTGS/" + whole + "/INV-1", whole},
		"over the line's end": {":86:" + filler + whole[:10] + "\n" + whole[10:] + "/INV-1", whole},
		"in a short line":     {":86:RTGS\n" + whole, whole},
		"not there":           {":86:RTGS/INV-1", whole[:16]},
		"two that begin so":   {":86:" + whole[:21] + "2 " + whole[:21] + "3", whole[:16]},
	} {
		f := read(t, swiftOf("C261120INR900,00", ":61:2611201120D100,00NTRF"+whole[:16]+"//BANKREF1", c.text), statement.Options{})
		if f.Refused() || f.Entries[0].Reference != c.want {
			t.Errorf("%s: %+v, want %s", name, f.Entries, c.want)
		} else if !strings.Contains(f.Entries[0].Remarks, "BANKREF1") {
			t.Errorf("%s: the bank's own reference is lost: %q", name, f.Entries[0].Remarks)
		}
	}
}

func TestAnMT940OfSeveralAccounts(t *testing.T) {
	paid := ":61:2611201120D100,00NTRFUTR1"
	other := strings.ReplaceAll(strings.ReplaceAll(swiftOf("C261120INR900,00", paid), account, "000200349999"), "INR", "USD")
	f := read(t, other+swiftOf("C261120INR900,00", paid)+strings.ReplaceAll(swiftOf("C261121INR900,00"), "C261119INR1000,00", "C261120INR900,00"), statement.Options{Ours: ours})
	if f.Refused() || len(f.Entries) != 1 || f.Account != account || f.To != "2026-11-21" || !strings.Contains(f.Findings[0].Message, "9999") {
		t.Errorf("%+v", f)
	}
	if f := read(t, strings.Replace(swiftOf("C261120INR900,00", paid), ":25:BANKINBB/"+account+"INR\n", "", 1), statement.Options{Ours: ours}); f.Refused() || f.Account != "" {
		t.Errorf("without a number: %+v", f)
	}
}

// TestMessagesThatFollowOnOneLine: programs put blocks together in their own ways.
func TestMessagesThatFollowOnOneLine(t *testing.T) {
	b := november()
	for name, text := range map[string]string{
		"as SWIFT sends them":        b.mt940(1, true),
		"the next behind the last":   strings.ReplaceAll(b.mt940(1, true), "}}\r\n{1:", "}}{1:"),
		"without trailers":           strings.ReplaceAll(b.mt940(1, true), "{5:{CHK:0123456789AB}}", ""),
		"with $ between them":        strings.ReplaceAll(b.mt940(1, true), "}}\r\n{1:", "}}\r\n$\r\n{1:"),
		"with line feeds alone":      strings.ReplaceAll(b.mt940(1, true), "\r", ""),
		"bare, without their hyphen": strings.ReplaceAll(b.mt940(1, false), "\r\n-\r\n", "\r\n"),
	} {
		f := read(t, text, statement.Options{})
		if f.Refused() {
			t.Errorf("%s: %+v", name, f.Findings)
			continue
		}
		same(t, name, f, b)
	}
	f := read(t, strings.ReplaceAll(b.mt940(1, true), "}}\r\n{1:", "}}\r\nmore\r\n{1:"), statement.Options{})
	refused(t, f, statement.CodeSyntax, 10)
}

// TestTheEnvelopeOfAnMT940: what is around a message tells nothing of it.
func TestTheEnvelopeOfAnMT940(t *testing.T) {
	b := november()
	bare, blocks := b.mt940(2, false), b.mt940(2, true)
	for name, text := range map[string]string{
		"SOH before each block":         strings.ReplaceAll(blocks, "{1:", "\x01{1:") + "\x03",
		"a hyphen in a text":            strings.Replace(bare, "ACME SUPPLIES", "ACME SUPPLIES\r\n-", 1),
		"a tag of three digits":         strings.ReplaceAll(bare, ":20:", ":940:\r\n:20:"),
		"a hyphen with the bank's sign": strings.ReplaceAll(bare, "\r\n-\r\n", "\r\n-XXX\r\n"),
		"blocks, and no text block":     "{1:F01BANKINBBAXXX0000000000}\r\n" + bare,
		"a text of the whole last":      bare[:len(bare)-3] + ":86:INFORMATION\r\n-\r\n",
		"blocks that end with a hyphen": strings.ReplaceAll(blocks, "\r\n-}", "\r\n-\r\n"),
		"a hyphen and a brace":          strings.ReplaceAll(blocks, "\r\n-}", "\r\n-\r\n}"),
		"an indented end of a block":    strings.ReplaceAll(blocks, "\r\n-}", "\r\n -}"),
		"an end on the last line":       strings.ReplaceAll(blocks, "\r\n-}", "-}"),
		"a line of marks":               strings.ReplaceAll(blocks, "\r\n-}", "\r\n-}\r\n-----\r\n"),
		"a clock below":                 bare + "20:15:07 printed\r\n",
		"a line, and then :64:":         strings.TrimSuffix(strings.TrimSuffix(bare, "\r\n"), "-") + "printed\r\n:64:C261122INR1,00\r\n-\r\n",
		"a block's sign in a text":      strings.Replace(bare, "ACME SUPPLIES", "ACME SUPPLIES\r\n{4::20:X", 1),
		"lines that end with CR":        strings.ReplaceAll(bare, "\r\n", "\r"),
		"points in the number":          strings.ReplaceAll(bare, account, "0002.00.345678"),
	} {
		f := read(t, text, statement.Options{Ours: ours, Format: statement.FormatMT940})
		if f.Refused() {
			t.Errorf("%s: %+v\n%s", name, f.Findings, text)
			continue
		}
		if same(t, name, f, b); f.Account != account {
			t.Errorf("%s: account %q", name, f.Account)
		}
	}
}

// TestSeveralTextsOfOneEntry: all of them are the entry's, in their order.
func TestSeveralTextsOfOneEntry(t *testing.T) {
	f := read(t, swiftOf("C261120INR900,00", ":61:2611201120D100,00NTRFUTR1//BANKREF", ":86:first", ":86:second", "line"), statement.Options{})
	if f.Refused() || f.Entries[0].Remarks != "first second line BANKREF" {
		t.Errorf("%+v", f)
	}
}

// TestATypeWithSpaces: banks that have a shorter one fill it up.
func TestATypeWithSpaces(t *testing.T) {
	for _, code := range []string{"NIT ", "S   ", " NTRF"} {
		if f := read(t, swiftOf("C261120INR000000000000900,00", ":61:2611201120D100,00"+code+"UTR1"), statement.Options{}); f.Refused() || f.Entries[0].Reference != "UTR1" {
			t.Errorf("%q: %+v", code, f)
		}
	}
}

// TestAFaultInAnEntryIsNamed: with what is there.
func TestAFaultInAnEntryIsNamed(t *testing.T) {
	for line, want := range map[string]string{
		"26112D100,00NTRFX":            `an amount with a comma, and a type of four characters; it has "26112D100,00NTRFX"`,
		"2611201120X100,00NTRFX":       `an amount with a comma, and a type of four characters; it has "2611201120X100,00NTRFX"`,
		"2611201120D100.00NTRFX":       `an amount with a comma, and a type of four characters; it has "2611201120D100.00NTRFX"`,
		"2611201120DR 100,00NTRFX":     `an amount with a comma, and a type of four characters; it has "2611201120DR 100,00NTRFX"`,
		"2611201120D100,00trfX":        `an amount with a comma, and a type of four characters; it has "2611201120D100,00trfX"`,
		"2611311120D100,00NTRFX":       `the value date of :61:, "261131", is not a date`,
		"2611201131D100,00NTRFX":       `the entry date of :61:, "1131", is not a day of the year`,
		"2611201120DD100,00NTRFX":      `the funds code D of :61: is not that of the rupee`,
		"2611201120D1234567890,NTRF12": "",
	} {
		f := read(t, swiftOf("C261120INR900,00", ":61:"+line), statement.Options{})
		if want != "" && !strings.Contains(f.Findings[0].Message, want) {
			t.Errorf("%s: %s, want %s", line, f.Findings[0].Message, want)
		}
	}
}

// TestAnEntryWithoutAnEntryDate: a charge that is valued back, or ahead, is of a day that the file covers.
func TestAnEntryWithoutAnEntryDate(t *testing.T) {
	for value, want := range map[string]struct{ day, value string }{
		"261119": {"2026-11-19", ""}, // some banks give the opening balance the first day's date
		"261120": {"2026-11-20", ""},
		"261118": {"2026-11-20", "2026-11-18"},
		"260905": {"2026-11-20", "2026-09-05"},
		"261201": {"2026-11-21", "2026-12-01"},
	} {
		f := read(t, swiftOf("C261121INR900,00", ":61:"+value+"D100,00NTRFUTR1"), statement.Options{Today: "2026-11-30"})
		if f.Refused() || f.Entries[0].Day() != want.day || f.Entries[0].Value != want.value || f.From < "2026-11-19" || f.To != "2026-11-21" {
			t.Errorf("%s: %+v", value, f)
		}
	}
}
