package statement_test

import (
	"strings"
	"testing"

	"payrun/ingest/statement"
	"payrun/ledger"
)

var (
	openAt  = camtBalance("OPBD", 1000_00, "2026-11-20")
	closeAt = camtBalance("CLBD", 900_00, "2026-11-20")
	paid    = camtEntry(ledger.StatementEntry{Transacted: "2026-11-20", Debit: true, Amount: 100_00, Reference: "UTR1", Remarks: "INV-1"}, "02")
)

func oneCamt(balances, entries string) string {
	return camtDocument("02", camtStatement(account, balances, entries))
}

// batchOf is a booking of 100.00 with details, in the way of each version.
func batchOf(details string) string {
	return strings.Replace(paid, paid[strings.Index(paid, "<NtryDtls>"):strings.Index(paid, "</NtryDtls>")], "<NtryDtls><Btch><NbOfTxs>2</NbOfTxs></Btch>"+details, 1)
}

func detail02(amount, reference string) string {
	return `<TxDtls><Refs><EndToEndId>` + reference + `</EndToEndId></Refs><AmtDtls><TxAmt><Amt Ccy="INR">` + amount + `</Amt></TxAmt></AmtDtls></TxDtls>`
}

func detail08(amount, reference string) string {
	return `<TxDtls><Refs><TxId>` + reference + `</TxId></Refs><Amt Ccy="INR">` + amount + `</Amt><CdtDbtInd>DBIT</CdtDbtInd></TxDtls>`
}

func TestACamtThatIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		code    string
	}{
		"camt.052":                     {strings.ReplaceAll(november().camt("02"), "camt.053.001.02", "camt.052.001.02"), statement.CodeFormat},
		"camt.054 in an envelope":      {enveloped(strings.ReplaceAll(november().camt("08"), "camt.053", "camt.054")), statement.CodeFormat},
		"two messages in an envelope":  {enveloped(november().camt("08") + november().camt("08")), statement.CodeSyntax},
		"another version":              {strings.ReplaceAll(november().camt("02"), "camt.053.001.02", "camt.053.001.11"), statement.CodeFormat},
		"other XML":                    {`<?xml version="1.0"?><payments/>`, statement.CodeFormat},
		"an entity declared late":      {strings.Replace(november().camt("02"), "<GrpHdr>", `<!ENTITY x SYSTEM "file:///etc/passwd"><GrpHdr>`, 1), statement.CodeSyntax},
		"an unknown entity":            {oneCamt(openAt+closeAt, strings.Replace(paid, "INV-1", "&x;", 1)), statement.CodeSyntax},
		"cut off":                      {november().camt("02")[:900], statement.CodeSyntax},
		"text behind it":               {november().camt("02") + "more", statement.CodeSyntax},
		"an amount twice":              {oneCamt(openAt+closeAt, strings.Replace(paid, "<CdtDbtInd>", `<Amt Ccy="INR">1.00</Amt><CdtDbtInd>`, 1)), statement.CodeSyntax},
		"deep nesting":                 {oneCamt(openAt+closeAt, strings.Repeat("<a>", 100)+strings.Repeat("</a>", 100)), statement.CodeSyntax},
		"a missing entry":              {oneCamt(openAt+closeAt, ""), statement.CodeChain},
		"an entry twice":               {oneCamt(openAt+closeAt, paid+paid), statement.CodeChain},
		"no opening balance":           {oneCamt(closeAt, paid), statement.CodeIncomplete},
		"no closing balance":           {oneCamt(openAt, paid), statement.CodeIncomplete},
		"a page that another follows":  {oneCamt(openAt+strings.Replace(closeAt, "CLBD", "ITBD", 1), paid), statement.CodeIncomplete},
		"a page in the middle":         {oneCamt(strings.Replace(openAt, "OPBD", "ITBD", 1)+closeAt, paid), statement.CodeIncomplete},
		"it says that more follows":    {strings.Replace(oneCamt(openAt+closeAt, paid), "</GrpHdr>", "<MsgPgntn><PgNb>1</PgNb><LastPgInd>false</LastPgInd></MsgPgntn></GrpHdr>", 1), statement.CodeIncomplete},
		"two closing balances":         {oneCamt(openAt+closeAt+closeAt, paid), statement.CodeSyntax},
		"it was closed otherwise":      {oneCamt(camtBalance("PRCD", 1001_00, "2026-11-19")+openAt+closeAt, paid), statement.CodeChain},
		"an entry in dollars":          {oneCamt(openAt+closeAt, strings.Replace(paid, `"INR"`, `"USD"`, 1)), statement.CodeCurrency},
		"an account in dollars":        {strings.Replace(oneCamt(openAt+closeAt, paid), "<Ccy>INR", "<Ccy>USD", 1), statement.CodeCurrency},
		"a status that is none":        {oneCamt(openAt+closeAt, strings.Replace(paid, "BOOK", "DONE", 1)), statement.CodeSyntax},
		"no direction":                 {oneCamt(openAt+closeAt, strings.Replace(paid, "<CdtDbtInd>DBIT</CdtDbtInd>", "", 1)), statement.CodeDirection},
		"a third of a paisa":           {oneCamt(openAt+closeAt, strings.Replace(paid, "100.00", "100.003", 1)), statement.CodeAmount},
		"a negative amount":            {oneCamt(openAt+closeAt, strings.Replace(paid, "100.00", "-100.00", 1)), statement.CodeAmount},
		"no date":                      {oneCamt(openAt+closeAt, strings.Replace(paid, "<BookgDt><Dt>2026-11-20</Dt></BookgDt>", "", 1)), statement.CodeDate},
		"a balance without a date":     {oneCamt(strings.Replace(openAt, "<Dt><Dt>2026-11-20</Dt></Dt>", "", 1)+closeAt, paid), statement.CodeDate},
		"no such day":                  {oneCamt(openAt+closeAt, strings.Replace(paid, "2026-11-20", "2026-11-31", 1)), statement.CodeDate},
		"a date with slashes":          {oneCamt(openAt+closeAt, strings.Replace(paid, "2026-11-20", "2025/11/20", 1)), statement.CodeDate},
		"a date in words":              {oneCamt(openAt+closeAt, strings.Replace(paid, "2026-11-20", "1 Nov 2026", 1)), statement.CodeDate},
		"an hour of one digit":         {oneCamt(openAt+closeAt, strings.Replace(paid, "<Dt>2026-11-20</Dt>", "<DtTm>2026-11-20T1:00:05</DtTm>", 1)), statement.CodeDate},
		"a day of another century":     {oneCamt(openAt+closeAt, strings.Replace(paid, "2026-11-20", "1926-11-20", 1)), statement.CodeDate},
		"details that are less":        {oneCamt(openAt+closeAt, batchOf(detail02("60.00", "INV-1")+detail02("39.99", "INV-2"))), statement.CodeDetails},
		"details that are fewer":       {oneCamt(openAt+closeAt, batchOf(detail02("100.00", "INV-1"))), statement.CodeDetails},
		"a detail without an amount":   {oneCamt(openAt+closeAt, batchOf(detail02("60.00", "INV-1")+"<TxDtls></TxDtls>")), statement.CodeDetails},
		"a detail that goes back":      {oneCamt(openAt+closeAt, batchOf(detail08("60.00", "UTR1")+strings.Replace(detail08("40.00", "UTR2"), "DBIT", "CRDT", 1))), statement.CodeDetails},
		"two statements that part":     {camtDocument("02", camtStatement(account, openAt+closeAt, paid), camtStatement(account, openAt+closeAt, paid)), statement.CodeChain},
		"no statement":                 {camtDocument("02"), statement.CodeIncomplete},
		"another account's IBAN":       {strings.Replace(oneCamt(openAt+closeAt, paid), "<Othr><Id>"+account+"</Id></Othr>", "<IBAN>GB29NWBK60161331926819</IBAN>", 1), statement.CodeAccountOther},
		"another account":              {strings.ReplaceAll(oneCamt(openAt+closeAt, paid), account, "000200349999"), statement.CodeAccountOther},
		"two accounts that both serve": {camtDocument("02", camtStatement(account, openAt+closeAt, paid), camtStatement("99"+account[2:], openAt+closeAt, paid)), statement.CodeAccount},
	} {
		t.Run(name, func(t *testing.T) {
			refusedWith(t, read(t, c.content, statement.Options{Ours: ours}), c.code, c.content)
		})
	}
}

// TestACamtIsOnlyItsBooks: what is not booked, of another account or of 0.00 is
// left out, and said.
func TestACamtIsOnlyItsBooks(t *testing.T) {
	pending := strings.Replace(paid, "BOOK", "PDNG", 1)
	nothing := strings.Replace(paid, "100.00", "0.00", 1)
	content := camtDocument("02",
		strings.ReplaceAll(camtStatement("000200349999", openAt+closeAt, paid), "INR", "USD"),
		camtStatement(account, openAt+closeAt, paid+pending+nothing),
		camtStatement(account, camtBalance("OPBD", 900_00, "2026-11-21")+camtBalance("CLBD", 900_00, "2026-11-22"), ""))
	f := read(t, content, statement.Options{Ours: ours})
	if f.Refused() || len(f.Entries) != 1 || len(f.Findings) != 3 || f.Account != account || f.From != "2026-11-20" || f.To != "2026-11-22" {
		t.Errorf("%+v", f)
	}
	for i, want := range []string{"1 entry is not booked", "1 entry is of 0.00", "those ending 9999"} {
		if !strings.Contains(f.Findings[i].Message, want) {
			t.Errorf("%q does not say %q", f.Findings[i].Message, want)
		}
	}
}

func TestTheDetailsOfABatchAreWitnesses(t *testing.T) {
	for name, details := range map[string]string{
		".02": detail02("60.00", "INV-1") + detail02("40.00", "INV-2"),
		".08": detail08("60.00", "INV-1") + detail08("40", "INV-2"),
	} {
		f := read(t, oneCamt(openAt+closeAt, batchOf(details)), statement.Options{})
		if f.Refused() || len(f.Entries) != 1 || len(f.Entries[0].Details) != 2 {
			t.Fatalf("%s: %+v", name, f)
		}
		d := f.Entries[0].Details
		if d[0].Amount != 60_00 || d[0].Reference != "INV-1" || d[1].Amount != 40_00 || d[1].Reference != "INV-2" {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

func TestAReversalInCamtIsWhatWasBooked(t *testing.T) {
	back := strings.Replace(strings.Replace(paid, "DBIT", "CRDT", 1), "<Sts>", "<RvslInd>true</RvslInd><Sts>", 1)
	f := read(t, oneCamt(openAt+camtBalance("CLBD", 1100_00, "2026-11-20"), back), statement.Options{})
	if f.Refused() || f.Entries[0].Debit {
		t.Errorf("%+v", f)
	}
}

func TestAMonthWithoutEntriesIsAStatement(t *testing.T) {
	f := read(t, oneCamt(camtBalance("OPBD", 900_00, "2026-11-01")+camtBalance("CLBD", 900_00, "2026-11-30"), ""), statement.Options{Today: "2026-11-22"})
	if f.Refused() || f.From != "2026-11-02" || f.To != "2026-11-22" {
		t.Errorf("%+v", f)
	}
}

func TestCamtTellsTheTimeOrNot(t *testing.T) {
	timed := func(s string) string {
		return strings.ReplaceAll(s, "<Dt>2026-11-20</Dt>", "<DtTm>2026-11-20T17:05:06.5+05:30</DtTm>")
	}
	f := read(t, timed(oneCamt(openAt+closeAt, paid)), statement.Options{})
	if f.Refused() || f.From != "2026-11-20" || f.To != "2026-11-20" || f.Entries[0].Transacted != "2026-11-20 17:05:06" {
		t.Errorf("%+v", f)
	}
}

// enveloped is a message as ISO 20022 sends it, behind a header of its own.
func enveloped(message string) string {
	return `<Envelope xmlns="urn:bank:envelope"><AppHdr xmlns="urn:iso:std:iso:20022:tech:xsd:head.001.001.02"><BizMsgIdr>B1</BizMsgIdr></AppHdr>` +
		strings.ReplaceAll(message, `<?xml version="1.0" encoding="UTF-8"?>`, "") + `</Envelope>`
}

// TestEveryVersionOfCamt053: the elements that are read did not change.
func TestEveryVersionOfCamt053(t *testing.T) {
	b := november()
	for _, version := range []string{"02", "03", "04", "05", "06", "07", "08", "09", "10"} {
		shape := "02"
		if version > "07" {
			shape = "08"
		}
		text := strings.ReplaceAll(b.camt(shape), "camt.053.001."+shape, "camt.053.001."+version)
		for _, content := range []string{text, enveloped(text)} {
			f := read(t, content, statement.Options{Ours: ours})
			if f.Refused() {
				t.Fatalf("%s: %+v", version, f.Findings)
			}
			same(t, version, f, b)
		}
	}
}

// TestARefusedCamtIsNamed: by its own name, also in an envelope.
func TestARefusedCamtIsNamed(t *testing.T) {
	for _, name := range []string{"camt.052.001.02", "camt.054.001.02"} {
		text := strings.ReplaceAll(november().camt("02"), "camt.053.001.02", name)
		for _, content := range []string{text, enveloped(text)} {
			if f := read(t, content, statement.Options{}); !strings.Contains(f.Findings[0].Message, name) {
				t.Errorf("%s: %s", name, f.Findings[0].Message)
			}
		}
	}
}

// TestADetailWithoutAnAmountIsNone: its texts are the entry's, where a reference is
// looked for.
func TestADetailWithoutAnAmountIsNone(t *testing.T) {
	empty := `<TxDtls><Refs><EndToEndId>INV-9</EndToEndId></Refs></TxDtls>`
	for name, c := range map[string]struct {
		details string
		want    int
	}{
		"next to one of all":    {detail02("100.00", "INV-1") + empty, 0},
		"next to one of 0":      {detail02("0.00", "INV-9") + detail02("100.00", "INV-1"), 0},
		"none has one":          {empty + empty, 0},
		"both are of 0":         {detail02("0", "INV-8") + detail02("0.00", "INV-9"), 0},
		"next to two that have": {detail02("60.00", "INV-1") + detail02("40.00", "INV-2") + empty, 2},
	} {
		text := batchOf(c.details)
		if c.want > 0 {
			text = strings.Replace(text, "<NbOfTxs>2<", "<NbOfTxs>3<", 1)
		}
		f := read(t, oneCamt(openAt+closeAt, text), statement.Options{})
		if f.Refused() || len(f.Entries[0].Details) != c.want || !strings.Contains(f.Entries[0].Reference+" "+f.Entries[0].Remarks, "INV-9") {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
