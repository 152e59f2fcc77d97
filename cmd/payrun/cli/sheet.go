package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
)

// sheetFlags are those of check, load and run.
func sheetFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringFlag{Name: "sheet-name", Usage: "the XLSX tab `NAME`"},
		&urfave.StringFlag{Name: "account", Usage: "the debit account for rows without one, by `NAME_OR_ID`"},
		&urfave.IntFlag{Name: "expect-count", Usage: "refuse the sheet unless it has `N` rows"},
		&urfave.StringFlag{Name: "expect-total", Usage: "refuse the sheet unless its rows sum to `AMOUNT`"},
		&urfave.StringFlag{Name: "expect-sha256", Usage: "refuse the sheet unless its bytes have the SHA-256 `HEX` that payrun check --json gives"},
		&urfave.StringSliceFlag{Name: "map", Usage: "read a column from another header, as in `\"amount=Net Pay\"`; may be repeated"},
		&urfave.BoolFlag{Name: "keep-columns", Usage: "save --map for all sheets with exactly this header; --keep-columns=false ignores what was saved, and a load deletes it"},
		&urfave.StringFlag{Name: "ref-prefix", Usage: "put `TEXT` before every reference, so that a register keyed on employee codes can be loaded every month"},
		&urfave.BoolFlag{Name: "correct", Usage: "read each row as a correction of a loaded payout that was surely not paid"},
		&urfave.BoolFlag{Name: "skip-bad", Usage: "leave bad rows out instead of refusing the sheet"},
		&urfave.StringFlag{Name: "hidden-rows", Usage: "what to do with hidden rows: `error|skip|include`", Value: "error"},
		&urfave.StringFlag{Name: "encoding", Usage: "of a CSV that is not UTF-8: `windows-1252`"},
		&urfave.BoolFlag{Name: "numeric-accounts", Usage: "accept account numbers in numeric cells, up to 15 digits, with a warning"},
		&urfave.BoolFlag{Name: "strict", Usage: "treat warnings as errors"},
	}
}

// sheetOptions reads them.
func sheetOptions(c *urfave.Context) (app.SheetOptions, error) {
	o := app.SheetOptions{
		RefPrefix: c.String("ref-prefix"), Account: c.String("account"), Tab: c.String("sheet-name"), Encoding: strings.ToLower(c.String("encoding")),
		HiddenRows: c.String("hidden-rows"), NumericAccounts: c.Bool("numeric-accounts"), Strict: c.Bool("strict"), SkipBad: c.Bool("skip-bad"), Correct: c.Bool("correct"),
	}
	if !slices.Contains([]string{"error", "skip", "include"}, o.HiddenRows) {
		return o, usage("--hidden-rows %s: want error, skip or include", ledger.Plain(o.HiddenRows))
	}
	if o.Encoding != "" && o.Encoding != "windows-1252" {
		return o, usage("--encoding %s: only windows-1252 has to be named; UTF-8 and UTF-16 are recognised", ledger.Plain(o.Encoding))
	}
	if c.IsSet("expect-count") {
		n := c.Int("expect-count")
		if n < 0 {
			return o, usage("--expect-count %d: want a number of rows", n)
		}
		o.ExpectCount = &n
	}
	if c.IsSet("expect-total") {
		total, err := app.ParseAmount(c.String("expect-total"))
		if err != nil {
			return o, usage("--expect-total: %v", err)
		}
		o.ExpectTotal = &total
	}
	if c.IsSet("expect-sha256") {
		o.ExpectSHA256 = strings.ToLower(strings.TrimSpace(c.String("expect-sha256")))
		if sum, err := hex.DecodeString(o.ExpectSHA256); err != nil || len(sum) != sha256.Size {
			return o, usage("--expect-sha256 %s: want 64 hexadecimal digits, as payrun check --json gives them", ledger.Plain(c.String("expect-sha256")))
		}
		if c.NArg() > 1 {
			return o, usage("--expect-sha256 is of one sheet, and %d are named", c.NArg())
		}
	}
	if c.IsSet("keep-columns") {
		keep := c.Bool("keep-columns")
		o.KeepColumns = &keep
	}
	var err error
	o.Map, err = columnMap(c.StringSlice("map"))
	return o, err
}

// columnMap reads --map "amount=Net Pay".
func columnMap(pairs []string) (map[string]string, error) {
	m := map[string]string{}
	for _, pair := range pairs {
		column, header, ok := strings.Cut(pair, "=")
		column, header = strings.TrimSpace(column), strings.TrimSpace(header)
		if !ok || column == "" || header == "" {
			return nil, usage("--map %s: want COLUMN=HEADER, such as \"amount=Net Pay\"", ledger.Plain(pair))
		}
		if _, again := m[column]; again {
			return nil, usage("--map names the column %s twice", ledger.Plain(column))
		}
		m[column] = header
	}
	return m, nil
}

// writeSheet writes a sheet: the document, payrun.check/v1 or payrun.load/v1, or words.
// funds is the document's; nil where the bank was not asked.
func (s *session) writeSheet(schema string, sheet *app.Sheet, funds []doc.Funds) error {
	if !s.term.JSON {
		s.showSheet(sheet)
		return nil
	}
	out := doc.NewStream(s.term.Out)
	sheetFields(out, schema, sheet)
	if funds != nil {
		out.Field("funds", funds)
	}
	return out.End()
}

func sheetFields(out *doc.Stream, schema string, sheet *app.Sheet) {
	s := sheet.Sheet
	out.Field("schema", schema)
	out.Field("sheet", doc.Sheet{
		Name: s.Name, SHA256: s.SHA256, Format: s.Format, Tab: s.Tab, Rows: s.Rows, Total: s.Total, ID: s.ID, AlreadyLoaded: sheet.AlreadyLoaded,
	})
	out.Field("accepted", s.Accepted)
	out.Field("rejected", s.Rejected)
	if len(sheet.Corrections) > 0 {
		out.Field("corrected", s.Corrected)
		doc.List(out, "corrections", slices.Values(sheet.Changes()))
	}
	doc.List(out, "findings", slices.Values(sheet.Findings))
	doc.List(out, "batches", sheet.Planned())
	doc.List(out, "columns", slices.Values(sheet.Read))
	doc.List(out, "unread", unreadHeaders(sheet))
	if kept := sheet.KeptBy(); kept != nil {
		out.Field("kept", kept)
	}
	out.Field("otps", sheet.OTPs())
	if sheet.RejectedPath != "" {
		out.Field("rejected_sheet", sheet.RejectedPath)
	}
	if sheet.Banks != nil {
		doc.List(out, "banks", slices.Values(sheet.Banks))
	}
}

// unreadHeaders gives the names of the columns that are not read.
func unreadHeaders(sheet *app.Sheet) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, c := range sheet.Unread {
			if !yield(c.Header) {
				return
			}
		}
	}
}
