package cli

import (
	"slices"

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
		read("expect-count", "refuse the sheet unless it has `N` rows", optional(count)),
		read("expect-total", "refuse the sheet unless its rows sum to `AMOUNT`", optional(app.ParseAmount)),
		read("expect-sha256", "refuse the sheet unless its bytes have the SHA-256 `HEX` that payrun check --json gives", digest),
		mapFlag("read a column from another header, as in `\"amount=Net Pay\"`; may be repeated"),
		&urfave.BoolFlag{Name: "keep-columns", Usage: "save --map for all sheets with exactly this header; --keep-columns=false ignores what was saved, and a load deletes it"},
		&urfave.StringFlag{Name: "ref-prefix", Usage: "put `TEXT` before every reference, so that a register keyed on employee codes can be loaded every month"},
		&urfave.BoolFlag{Name: "correct", Usage: "read each row as a correction of a loaded payout that was surely not paid"},
		&urfave.BoolFlag{Name: "skip-bad", Usage: "leave bad rows out instead of refusing the sheet"},
		read("hidden-rows", "what to do with hidden rows: `error|skip|include`", oneOf("error", "skip", "include")),
		encodingFlag("of a CSV that is not UTF-8: `windows-1252`"),
		&urfave.BoolFlag{Name: "numeric-accounts", Usage: "accept account numbers in numeric cells, up to 15 digits, with a warning"},
		&urfave.BoolFlag{Name: "strict", Usage: "treat warnings as errors"},
	}
}

// sheetOptions are what they say.
func sheetOptions(c *urfave.Context) app.SheetOptions {
	o := app.SheetOptions{SkipBad: c.Bool("skip-bad"), Choices: app.Choices{
		RefPrefix: c.String("ref-prefix"), Account: c.String("account"), Tab: c.String("sheet-name"), Encoding: given[string](c, "encoding"),
		HiddenRows: given[string](c, "hidden-rows"), NumericAccounts: c.Bool("numeric-accounts"), Strict: c.Bool("strict"), Correct: c.Bool("correct"),
		ExpectCount: given[*int](c, "expect-count"), ExpectTotal: given[*ledger.Paise](c, "expect-total"), ExpectSHA256: given[string](c, "expect-sha256"),
		Map: given[map[string]string](c, "map"),
	}}
	if c.IsSet("keep-columns") {
		keep := c.Bool("keep-columns")
		o.KeepColumns = &keep
	}
	return o
}

// oneSheet refuses the hash of one sheet for several.
func oneSheet(c *urfave.Context) error {
	if c.IsSet("expect-sha256") && c.NArg() > 1 {
		return usage("--expect-sha256 is of one sheet, and %d are named", c.NArg())
	}
	return nil
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
	unread := []string{}
	for _, c := range sheet.Unread {
		unread = append(unread, c.Header)
	}
	out.Field("unread", unread)
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
