package statement_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"payrun/ingest/statement"
	"payrun/ledger"
)

// account is the one that all statements of these tests are of.
const account = "000200345678"

// books are what a statement shows, whatever its format.
type books struct {
	opening ledger.Paise
	entries []ledger.StatementEntry // oldest first
}

func (b books) closing() ledger.Paise {
	if len(b.entries) == 0 {
		return b.opening
	}
	return b.entries[len(b.entries)-1].Closing
}

// november is a month with a payout of each kind of end.
func november() books {
	b := books{opening: 10_00_000_00}
	b.add("2025-11-20", true, 1_25_000_50, "HDFCN52025112000", "NEFT/INV-17/ACME SUPPLIES")
	b.add("2025-11-21", true, 2_00_000_00, "HDFCR52025112100000001", "RTGS/INV-18/BRIGHT TOOLS")
	b.add("2025-11-21", false, 2_00_000_00, "HDFCR52025112100000001", "RTGS RETURN/INV-18")
	b.add("2025-11-23", true, 1, "IMPS00000000001", "IMPS/INV-19")
	return b
}

func (b *books) add(day string, debit bool, amount ledger.Paise, reference, remarks string) {
	e := ledger.StatementEntry{Transacted: day, Debit: debit, Amount: amount, Reference: reference, Remarks: remarks}
	e.Closing, _ = b.closing().Plus(e.Change())
	b.entries = append(b.entries, e)
}

// must ends a test at an error that it is not about.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// write puts a file into a folder of the test.
func write(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// read reads content, under a name that says nothing.
func read(t testing.TB, content string, o statement.Options) statement.File {
	t.Helper()
	f, err := statement.Read(write(t, "statement.dat", content), o)
	must(t, err)
	return f
}

// What an export could not say is not recorded: a name is UTF-8, whatever the file system has.
func TestTheNameOfAFileIsUTF8(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b\xffd.csv")
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Skip("the file system has such names only: ", err)
	}
	if f, err := statement.Read(path, statement.Options{}); err != nil || f.Name != "b\ufffdd.csv" {
		t.Errorf("%q, %v", f.Name, err)
	}
}

// slashed gives YYYY-MM-DD as DD/MM/YYYY.
func slashed(day string) string { return day[8:10] + "/" + day[5:7] + "/" + day[:4] }

// rows is the statement as a table with a column for each side.
func (b books) rows(newestFirst bool) [][]string {
	var out [][]string
	for _, e := range b.entries {
		sides := []string{"", e.Amount.Indian()}
		if e.Debit {
			sides = []string{e.Amount.Indian(), "0.00"}
		}
		out = append(out, []string{slashed(e.Transacted), e.Remarks, e.Reference, sides[0], sides[1], e.Closing.Indian()})
	}
	if newestFirst {
		slices.Reverse(out)
	}
	return append([][]string{{"Date", "Narration", "Chq./Ref.No.", "Withdrawal Amt.", "Deposit Amt.", "Closing Balance"}}, out...)
}

func csvOf(rows [][]string) string {
	var s strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				s.WriteByte(',')
			}
			s.WriteString(`"` + strings.ReplaceAll(cell, `"`, `""`) + `"`)
		}
		s.WriteString("\r\n")
	}
	return s.String()
}

// xlsxOf writes the cells as a bank's workbook has them: amounts as numbers.
func xlsxOf(t testing.TB, rows [][]string) string {
	t.Helper()
	x := excelize.NewFile()
	defer func() { _ = x.Close() }()
	for r, row := range rows {
		for c, text := range row {
			cell, _ := excelize.CoordinatesToCellName(c+1, r+1)
			if plain := strings.ReplaceAll(text, ",", ""); c >= 3 && digitsOnly(plain) {
				if err := x.SetCellDefault("Sheet1", cell, plain); err != nil { // a number in its own digits
					t.Fatal(err)
				}
				continue
			}
			must(t, x.SetCellStr("Sheet1", cell, text))
		}
	}
	b, err := x.WriteToBuffer()
	must(t, err)
	return b.String()
}

func side(isDebit bool, debit, credit string) string {
	if isDebit {
		return debit
	}
	return credit
}

func abs(p ledger.Paise) ledger.Paise { return max(p, -p) }

func camtBalance(code string, p ledger.Paise, day string) string {
	return fmt.Sprintf(`<Bal><Tp><CdOrPrtry><Cd>%s</Cd></CdOrPrtry></Tp><Amt Ccy="INR">%s</Amt><CdtDbtInd>%s</CdtDbtInd><Dt><Dt>%s</Dt></Dt></Bal>`,
		code, abs(p), side(p < 0, "DBIT", "CRDT"), day)
}

func camtEntry(e ledger.StatementEntry, version string) string {
	status := "BOOK"
	if version == "08" {
		status = "<Cd>BOOK</Cd>"
	}
	return fmt.Sprintf(`<Ntry><Amt Ccy="INR">%s</Amt><CdtDbtInd>%s</CdtDbtInd><Sts>%s</Sts><BookgDt><Dt>%s</Dt></BookgDt>`+
		`<AcctSvcrRef>%s</AcctSvcrRef><NtryDtls><TxDtls><Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs><RmtInf><Ustrd>%s</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`,
		e.Amount, side(e.Debit, "DBIT", "CRDT"), status, e.Transacted, e.Reference, e.Remarks)
}

func camtDocument(version string, statements ...string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.` + version + `"><BkToCstmrStmt><GrpHdr><MsgId>M1</MsgId></GrpHdr>` +
		strings.Join(statements, "\n") + `</BkToCstmrStmt></Document>`
}

func camtStatement(number, balances, entries string) string {
	return `<Stmt><Id>S1</Id><Acct><Id><Othr><Id>` + number + `</Id></Othr></Id><Ccy>INR</Ccy></Acct>` + balances + entries + `</Stmt>`
}

func (b books) camt(version string) string {
	entries := ""
	first, last := "2026-11-20", "2026-11-20"
	for i, e := range b.entries {
		if i == 0 {
			first = e.Transacted
		}
		entries, last = entries+camtEntry(e, version), e.Transacted
	}
	return camtDocument(version, camtStatement(account, camtBalance("OPBD", b.opening, first)+camtBalance("CLBD", b.closing(), last), entries))
}

func swift(p ledger.Paise) string { return strings.ReplaceAll(abs(p).String(), ".", ",") }

func swiftDay(day string) string { return day[2:4] + day[5:7] + day[8:10] }

func swiftBalance(p ledger.Paise, day string) string {
	return side(p < 0, "D", "C") + swiftDay(day) + "INR" + swift(p)
}

func swiftEntry(e ledger.StatementEntry) string {
	reference := e.Reference
	if len(reference) > 16 {
		reference = reference[:16]
	}
	text, lines := e.Reference+" "+e.Remarks, ""
	for len(text) > 65 {
		lines, text = lines+text[:65]+"\r\n", text[65:]
	}
	return ":61:" + swiftDay(e.Transacted) + side(e.Debit, "D", "C") + swift(e.Amount) + "NTRF" + reference + "\r\n:86:" + lines + text + "\r\n"
}

// mt940 writes pages of so many entries; 0 for one page.
func (b books) mt940(perPage int, blocks bool) string {
	if perPage == 0 {
		perPage = max(len(b.entries), 1)
	}
	var s strings.Builder
	balance, day := b.opening, "2026-11-20"
	if len(b.entries) > 0 {
		day = b.entries[0].Transacted
	}
	for at := 0; at == 0 || at < len(b.entries); at += perPage {
		page := b.entries[at:min(at+perPage, len(b.entries))]
		open, closing := "60M", "62M"
		if at == 0 {
			open = "60F"
		}
		if at+perPage >= len(b.entries) {
			closing = "62F"
		}
		if blocks {
			s.WriteString("{1:F01BANKINBBAXXX0000000000}{2:O9401200261121BANKINBBAXXX00000000002611211200N}{4:\r\n")
		}
		s.WriteString(":20:STMT\r\n:25:" + account + "\r\n:28C:1/1\r\n:" + open + ":" + swiftBalance(balance, day) + "\r\n")
		for _, e := range page {
			s.WriteString(swiftEntry(e))
			balance, day = e.Closing, e.Transacted
		}
		s.WriteString(":" + closing + ":" + swiftBalance(balance, day) + "\r\n-")
		if blocks {
			s.WriteString("}{5:{CHK:0123456789AB}}")
		}
		s.WriteString("\r\n")
	}
	return s.String()
}

func digitsOnly(text string) bool { return text != "" && strings.Trim(text, "-.0123456789") == "" }

var update = flag.Bool("update", false, "write the statements of samples/ anew")

// TestTheShippedStatements: the month in every format, under names that people
// give such files, is read alike.
func TestTheShippedStatements(t *testing.T) {
	b := november()
	titled := append([][]string{{"Statement of account", "", "", "", "", ""}, {"Account No", account, "", "", "", ""}}, b.rows(false)...)
	for name, want := range map[string]struct{ format, content string }{
		"november.csv":        {statement.FormatCSV, csvOf(titled)},
		"november.xlsx":       {statement.FormatXLSX, xlsxOf(t, titled)},
		"november-02.xml":     {statement.FormatCamt, b.camt("02")},
		"november-08.xml":     {statement.FormatCamt, b.camt("08")},
		"november.sta":        {statement.FormatMT940, b.mt940(2, false)},
		"november-blocks.sta": {statement.FormatMT940, b.mt940(0, true)},
	} {
		path := filepath.Join("..", "..", "samples", "statements", name)
		if *update {
			must(t, os.WriteFile(path, []byte(want.content), 0o644))
		}
		f, err := statement.Read(path, statement.Options{Ours: ours, Format: want.format})
		if err != nil || f.Refused() {
			t.Fatalf("%s: %v %+v", name, err, f.Findings)
		}
		if f.Account != account || f.From != "2025-11-20" || f.To != "2025-11-23" {
			t.Errorf("%s: account %s, %s to %s", name, f.Account, f.From, f.To)
		}
		same(t, name, f, b)
	}
}
