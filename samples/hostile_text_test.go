package samples_test

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"payrun/ledger"
	"payrun/validate"
)

// plainCSV is the sheet that nothing is wrong with.
func plainCSV(t *testing.T) []byte { return six().csv(t) }

// rewritten changes the plain CSV as text.
func rewritten(change func(csv string) string) func(t *testing.T) []byte {
	return func(t *testing.T) []byte { return []byte(change(string(plainCSV(t)))) }
}

// relined changes the lines of the plain CSV.
func relined(change func(lines []string) string) func(t *testing.T) []byte {
	return rewritten(func(s string) string { return change(strings.SplitAfter(s, "\n")) })
}

// utf16be is UTF-16 as few programs write it, by its BOM too.
var utf16be = unicode.UTF16(unicode.BigEndian, unicode.UseBOM)

func inWindows1252(t *testing.T) []byte {
	s := six()
	for i := range s.payouts {
		s.payouts[i].name = "Café Malwa"
	}
	return encoded(t, charmap.Windows1252, s.csv(t))
}

// hostileText are the ways in which a CSV is text.
func hostileText() []hostileGroup {
	return []hostileGroup{{"CSV in every form that programs write", []hostile{
		{what: "no fault", sheet: "plain.csv", make: plainCSV, want: readsAsPlain()},
		{what: "byte order mark", sheet: "bom.csv", make: rewritten(func(s string) string { return byteOrderMark + s }), want: readsAsPlain()},
		{what: "quoted header behind a byte order mark", sheet: "bom-quoted-header.csv", want: readsAsPlain(),
			make: rewritten(func(s string) string {
				return byteOrderMark + strings.Replace(s, "merchant_txn_ref_id", `"merchant_txn_ref_id"`, 1)
			})},
		{what: "CRLF and LF mixed", sheet: "line-ends-mixed.csv", want: readsAsPlain(),
			make: rewritten(func(s string) string { return strings.Replace(strings.Replace(s, "\r\n", "\n", 3), "\n\r\n", "\n", 1) })},
		{what: "CR only", sheet: "line-ends-cr.csv", want: readsAsPlain(),
			make: rewritten(func(s string) string { return strings.ReplaceAll(s, "\r\n", "\r") })},
		{what: "no line break at the end", sheet: "line-end-missing.csv", want: readsAsPlain("7 bank_account_id file_end_unclear"),
			make: rewritten(func(s string) string { return strings.TrimSuffix(s, "\r\n") })},
		{what: "cut off in the last row", sheet: "cut-off-row.csv", want: refusesFile("7 - file_cut_off"),
			make: rewritten(func(s string) string { return s[:strings.LastIndex(s, ",TSTB0000666")] })},
		{what: "UTF-16, little-endian, by its byte order mark", sheet: "utf16-le.csv", want: readsAsPlain(),
			make: func(t *testing.T) []byte { return encoded(t, utf16le, plainCSV(t)) }},
		{what: "UTF-16, big-endian, by its byte order mark", sheet: "utf16-be.csv", want: readsAsPlain(),
			make: func(t *testing.T) []byte { return encoded(t, utf16be, plainCSV(t)) }},
		{what: "semicolons", sheet: "semicolons.csv", make: func(t *testing.T) []byte { return six().separated(t, ';') }, want: readsAsPlain()},
		{what: "tabs", sheet: "tabs.csv", make: func(t *testing.T) []byte { return six().separated(t, '\t') }, want: readsAsPlain()},
		{what: "pipes", sheet: "pipes.csv", make: func(t *testing.T) []byte { return six().separated(t, '|') }, want: readsAsPlain()},
		{what: "the line `sep=;` that names the separator to Excel", sheet: "sep-line.csv", want: readsAsPlain(),
			make: func(t *testing.T) []byte { return append([]byte("sep=;\r\n"), six().separated(t, ';')...) }},
		{what: "line breaks inside of quotes", sheet: "line-break-in-quotes.csv", want: reads(6, 1, "3 remarks text_line_break"),
			make: spoilt(1, func(p *payout) { p.remarks = "December advance,\nlot 2" })},
		{what: "NBSP and other spaces around values", sheet: "spaces-around.csv", want: readsAsPlain(),
			make: replaced("DEC25/B,", "\u00a0DEC25/B\u2003 ,")},
		{what: "a workbook named .csv", sheet: "workbook-named.csv", make: written(six().parts()), want: readsAsPlain()},
		{what: "a CSV named .xlsx", sheet: "csv-named.xlsx", make: plainCSV, want: readsAsPlain()},
	}}, {"Bytes that are no text", []hostile{
		{what: "Windows-1252", sheet: "windows-1252.csv", make: inWindows1252, want: refusesFile("2 - csv_encoding").saying("windows-1252")},
		{what: "Windows-1252, named", sheet: "windows-1252.csv", flags: "--encoding windows-1252",
			set: func(o *validate.Options) { o.Encoding = "windows-1252" }, make: inWindows1252, want: reads(6, 1)},
		{what: "UTF-8 named as Windows-1252", sheet: "plain.csv", flags: "--encoding windows-1252",
			set: func(o *validate.Options) { o.Encoding = "windows-1252" }, make: plainCSV, want: refusesFile("0 - csv_encoding").saying("UTF-8")},
		{what: "invalid UTF-8", sheet: "utf8-invalid.csv", make: replaced("Doab", "Do\xc3\x28b"), want: refusesFile("6 - csv_encoding")},
		{what: "cut off inside of a character", sheet: "utf8-cut-off.csv", want: refusesFile("3 - csv_encoding"),
			make: rewritten(func(s string) string { return s[:strings.Index(s, "मालवा")+4] })},
		{what: "NUL byte", sheet: "nul.csv", make: replaced("Doab", "Do\x00ab"), want: refusesFile("6 - csv_nul_byte")},
		{what: "UTF-16 without a byte order mark", sheet: "utf16-unmarked.csv", want: refusesFile("1 - csv_nul_byte").saying("UTF-16"),
			make: func(t *testing.T) []byte { return encoded(t, utf16le, plainCSV(t))[2:] }},
		{what: "half a pair of UTF-16", sheet: "utf16-half-pair.csv", want: refusesFile("8 - csv_encoding"),
			make: func(t *testing.T) []byte { return append(encoded(t, utf16le, plainCSV(t)), 0x3d, 0xd8, 'A', 0) }},
	}}, {"CSV whose rows cannot be separated", []hostile{
		{what: "quote that is never closed", sheet: "quote-unclosed.csv", make: replaced(`lot 6",`, `lot 6","`), want: refusesFile("7 - csv_quote_unclosed")},
		{what: "quote that begins in one row and ends in the next", sheet: "quote-two-rows.csv", want: refusesRows(4, "4 - row_holds_other_rows"),
			make: rewritten(func(s string) string {
				return strings.NewReplacer(`lot 3"`, `lot 3`, `"76,749.50","`, `76749.50,`).Replace(s)
			})},
		{what: "stray quote", sheet: "quote-stray.csv", make: replaced("Doab", `Do"ab`), want: refusesFile("6 - csv_quote_stray")},
		{what: "text behind a closing quote", sheet: "quote-then-text.csv", make: replaced(`lot 5"`, `lot 5"x`), want: refusesFile("6 - csv_text_after_quote")},
		{what: "short row", sheet: "row-short.csv", make: replaced(`,pb3`+"\r\nDEC25/F", "\r\nDEC25/F"), want: refusesRows(5, "6 - row_too_few_cells")},
		{what: "long row", sheet: "row-long.csv", make: replaced(`,pb3`+"\r\nDEC25/F", ",pb3,x\r\nDEC25/F"), want: refusesRows(5, "6 - row_too_many_cells")},
		{what: "unquoted 1,25,000.00", sheet: "amount-unquoted.csv", make: replaced(`"1,25,000.00"`, `1,25,000.00`), want: refusesRows(5, "3 - row_too_many_cells").saying("quotes")},
		{what: "`=\"0050200333333\"`, as programs keep zeros", sheet: "text-formula.csv", want: readsAsPlain(), make: replaced("0050200333333", `="0050200333333"`)},
		{what: "the same, with quotes around it", sheet: "text-formula-quoted.csv", want: readsAsPlain(), make: replaced("0050200333333", `"=""0050200333333"""`)},
		{what: "the same with something behind it", sheet: "text-formula-more.csv", want: refusesFile("4 - csv_quote_stray"), make: replaced("0050200333333", `="0050200333333"&""`)},
		{what: "note below the payouts", sheet: "row-note.csv", want: refusesRows(6, "8 - row_without_payout"),
			make: rewritten(func(s string) string { return s + "Prepared by accounts\r\n" })},
		{what: "no bytes", sheet: "empty.csv", make: func(*testing.T) []byte { return nil }, want: refusesFile("0 - file_empty")},
		{what: "only a byte order mark", sheet: "bom-only.csv", make: func(*testing.T) []byte { return []byte(byteOrderMark) }, want: refusesFile("0 - file_empty")},
		{what: "header only", sheet: "header-only.csv", make: func(t *testing.T) []byte { b, _, _ := bytes.Cut(plainCSV(t), []byte("\n")); return append(b, '\n') },
			want: refusesFile("0 - no_rows")},
		{what: "513 columns", sheet: "columns-513.csv", want: refusesFile("1 - too_many_columns").saying("512"),
			make: rewritten(func(s string) string { return strings.Replace(s, "\r\n", strings.Repeat(",", 506)+"\r\n", 1) })},
		{what: "cell of 32,768 characters", sheet: "cell-32768.csv", make: replaced("Doab", strings.Repeat("x", 32_768-len(" Electricals"))), want: refusesFile("6 - cell_too_long").saying("32767")},
		{what: "cell of 32,767 characters", sheet: "cell-32767.csv", make: replaced("Doab", strings.Repeat("x", 32_767-len(" Electricals"))), want: reads(6, 1)},
	}}}
}

// hostileHeaders are headers by which no one can say what a column is.
func hostileHeaders() []hostileGroup {
	head := func(before, after string) func(t *testing.T) []byte {
		return rewritten(func(s string) string { return strings.Replace(s, before, after, 1) })
	}
	return []hostileGroup{{"Headers", []hostile{
		{what: "the words people use, other case, spaces, units", sheet: "header-aliases.csv", want: readsAsPlain(),
			make: head("merchant_txn_ref_id,vendor_name,bank_account_number,ifsc,amount,remarks,bank_account_id", "Payout Ref*,BENEFICIARY NAME,A/c No.,IFSC Code,Net Pay (INR),Narration,Debit Account")},
		{what: "a name of their own, given with --map", sheet: "header-map.csv", flags: `--map "amount=Take Away"`, want: readsAsPlain(),
			set: func(o *validate.Options) { o.Map = map[string]string{"amount": "Take Away"} }, make: head("amount", "Take Away")},
		{what: "repeated", sheet: "header-repeated.csv", make: head("remarks", "amount"), want: refusesFile("1 amount column_repeated")},
		{what: "repeated after folding", sheet: "header-repeated-folded.csv", make: head("remarks", "Amount (INR)"), want: refusesFile("1 amount column_repeated").saying("Rename")},
		{what: "required column missing", sheet: "header-missing.csv", make: head("ifsc", "branch"), want: refusesFile("1 ifsc column_missing")},
		{what: "required column misspelt", sheet: "header-misspelt.csv", make: head("amount", "amuont"), want: refusesFile("1 amount column_missing").saying("did you mean")},
		{what: "no header", sheet: "header-none.csv", want: refusesFile("0 - header_missing"),
			make: rewritten(func(s string) string { _, rows, _ := strings.Cut(s, "\n"); return rows })},
		{what: "look-alike with NBSP inside", sheet: "header-nbsp.csv", make: head("vendor_name", "vendor\u00a0name"), want: refusesFile("1 vendor_name header_look_alike").saying("did you mean")},
		{what: "look-alike with a zero-width space", sheet: "header-zero-width.csv", make: head("amount", "amo\u200bunt"), want: refusesFile("1 amount header_look_alike").saying("did you mean")},
		{what: "look-alike with a Cyrillic letter", sheet: "header-cyrillic.csv", make: head("amount", "аmount"), want: refusesFile("1 amount header_look_alike").saying("did you mean")},
		{what: "look-alike of an optional column", sheet: "header-cyrillic-optional.csv", make: head("bank_account_id", "bank_аccount_id"),
			want: refusesFile("1 bank_account_id header_look_alike").saying("did you mean")},
		{what: "optional column misspelt, whose values are debit accounts: read by them, or refused with --strict", sheet: "header-optional-misspelt.csv", make: head("bank_account_id", "bank_acount_id"),
			flags: "--account pb3", set: func(o *validate.Options) { o.Account = "pb3" }, want: reads(6, 1, "2 bank_account_id debit_account_by_contents").saying("is read as bank_account_id")},
		{what: "the same with --strict", sheet: "header-optional-misspelt.csv", make: head("bank_account_id", "bank_acount_id"),
			flags: "--account pb3 --strict", set: func(o *validate.Options) { o.Account, o.Strict = "pb3", true }, want: refusesFile("1 bank_account_id column_similar")},
		{what: "Payout Amount of a template that also exists in paise", sheet: "header-paise.csv", want: refusesFile("1 amount amount_unit_unclear"),
			make: rewritten(func(s string) string {
				return strings.Replace(strings.Replace(s, "amount", "Payout Amount", 1), "remarks", "Fund Account Id", 1)
			})},
	}}, {"Titles and totals", []hostile{
		{what: "two title rows above the header, a blank row below", sheet: "titles.csv", want: readsAsPlain(),
			make: rewritten(func(s string) string { return "Vendor payments,,,,,,\r\n\"1,2 and 3\",,,,,,\r\n,,,,,,\r\n" + s })},
		{what: "header in row 21", sheet: "header-row-21.csv", make: rewritten(func(s string) string { return strings.Repeat("note\r\n", 20) + s }), want: refusesFile("0 - header_missing").saying("20")},
		{what: "sorted together with its header", sheet: "header-sorted-in.csv", want: refusesFile("4 - payouts_above_header").saying("row 1 looks like a payout"),
			make: relined(func(lines []string) string {
				return strings.Join(lines[1:4], "") + lines[0] + strings.Join(lines[4:], "")
			})},
		{what: "two tables, the first of which lacks a name that is known", sheet: "header-second-table.csv", want: refusesFile("5 - payouts_above_header").saying("row 2 looks like a payout"),
			make: relined(func(lines []string) string {
				return strings.Replace(lines[0], "vendor_name", "As we call them", 1) + strings.Join(lines[1:4], "") + lines[0] + strings.Join(lines[4:], "")
			})},
		{what: "the debit account and a total above the header, in other places", sheet: "titles-debit-account.csv", want: readsAsPlain(),
			make: rewritten(func(s string) string {
				return "From,HDFC0001234,50200000000011,\"3,00,000.00\",,,\r\nPayments,November,,,,,\r\n" + s
			})},
		{what: "control total that agrees", sheet: "total.csv", make: totalled(300_000_00, nil), want: readsAsPlain()},
		{what: "control total a paisa off", sheet: "total-differs.csv", make: totalled(300_000_01, nil), want: refusesFile("8 amount control_total_differs")},
		{what: "control total over a row that is refused too", sheet: "total-with-bad-row.csv", want: refusesRows(5, "4 ifsc ifsc_malformed"),
			make: totalled(300_000_00, func(s *sheet) { s.payouts[2].ifsc = "TST" })},
		{what: "Total in the middle is a sub-total, and no payout", sheet: "total-in-the-middle.csv", want: refusesRows(6, "6 - row_without_payout"),
			make: rewritten(func(s string) string {
				return strings.Replace(s, "DEC25/E", "Total,,,,\"1,00,000.00\",,pb3\r\nDEC25/E", 1)
			})},
		{what: "sub-totals, a heading and signatures: one finding each, and the total holds", sheet: "footers.csv",
			want: refusesRows(6, "2 - row_without_payout", "6 - row_without_payout", "11 - row_without_payout", "12 - row_without_payout").saying("heading"),
			make: relined(func(lines []string) string {
				return lines[0] + "North,,,,,,\r\n" + strings.Join(lines[1:4], "") + ",Sub Total,,,\"1,83,250.50\",,\r\n" + strings.Join(lines[4:7], "") +
					",,Grand Total,,\"3,00,000.00\",,\r\nRupees three lakh only,,,,,,\r\nPrepared by,,,Authorised Signatory,,,\r\n"
			})},
		{what: "a sum below the payouts without the word total", sheet: "total-bare.csv", want: refusesRows(6, "8 - row_without_payout").saying("as a total does"),
			make: rewritten(func(s string) string { return s + ",,,,\"3,00,000.00\",,\r\n" })},
		{what: "the header again, where two pages were put together", sheet: "header-again.csv", want: refusesRows(6, "5 - row_without_payout").saying("repeated"),
			make: relined(func(lines []string) string {
				return strings.Join(lines[:4], "") + lines[0] + strings.Join(lines[4:], "")
			})},
		{what: "a total in Hindi, its label next to the amount", sheet: "total-hindi.csv", want: readsAsPlain(),
			make: rewritten(func(s string) string { return s + ",,,कुल योग,\"3,00,000.00\",,\r\n" })},
		{what: "a total over a credit note", sheet: "total-credit.csv", want: refusesRows(5, "4 amount amount_negative"),
			make: totalled(300_000_00-2*18_250_50, func(s *sheet) { s.payouts[2].written = "(18,250.50)" })},
		{what: "a total with the noise of =SUM()", sheet: "total-noise.xlsx", want: readsAsPlain(), make: written(six().parts().tab(`</sheetData>`,
			`<row r="8"><c r="A8" t="inlineStr"><is><t>Total</t></is></c><c r="E8" s="2"><f>SUM(E2:E7)</f><v>300000.00000000006</v></c></row></sheetData>`))},
		{what: "a total a paisa off, as a number", sheet: "total-differs.xlsx", want: refusesFile("8 amount control_total_differs").saying("3,00,000.01"), make: written(six().parts().tab(`</sheetData>`,
			`<row r="8"><c r="A8" t="inlineStr"><is><t>Total</t></is></c><c r="E8" s="2"><v>300000.01</v></c></row></sheetData>`))},
		{what: "fewer rows than expected", sheet: "plain.csv", flags: "--expect-count 7", set: func(o *validate.Options) { n := 7; o.ExpectCount = &n }, make: plainCSV, want: refusesFile("0 - count_differs")},
		{what: "another total than expected", sheet: "plain.csv", flags: "--expect-total 300000.01", set: func(o *validate.Options) { p := six().sum() + 1; o.ExpectTotal = &p }, make: plainCSV, want: refusesFile("0 - total_differs")},
		{what: "other bytes than those that were checked", sheet: "plain.csv", flags: "--expect-sha256 " + strings.Repeat("0", 64), set: func(o *validate.Options) { o.ExpectSHA256 = strings.Repeat("0", 64) }, make: plainCSV, want: refusesFile("0 - sheet_changed")},
	}}}
}

// totalled writes the plain sheet with a total row.
func totalled(total ledger.Paise, change func(*sheet)) func(t *testing.T) []byte {
	return six().but(func(s *sheet) {
		s.total = total
		if change != nil {
			change(s)
		}
	})
}
