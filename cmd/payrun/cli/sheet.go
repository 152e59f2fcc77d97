package cli

import (
	"slices"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
)

// sheetFlags are the flags of check, load and run.
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

// sheetOptions returns the values of sheetFlags.
func sheetOptions(c *urfave.Context) app.SheetOptions {
	o := app.SheetOptions{SkipBad: c.Bool("skip-bad"), Choices: app.Choices{
		RefPrefix: c.String("ref-prefix"), Account: c.String("account"), Tab: c.String("sheet-name"), Encoding: given[string](c, "encoding"),
		HiddenRows: given[string](c, "hidden-rows"), NumericAccounts: c.Bool("numeric-accounts"), Strict: c.Bool("strict"), Correct: c.Bool("correct"),
		ExpectCount: given[*int](c, "expect-count"), ExpectTotal: given[*ledger.Paise](c, "expect-total"), ExpectSHA256: given[string](c, "expect-sha256"),
		Map: given[map[string]string](c, "map"),
	}}
	if c.IsSet("keep-columns") {
		o.KeepColumns = new(c.Bool("keep-columns"))
	}
	return o
}

// oneSheet refuses --expect-sha256 with several sheets.
func oneSheet(c *urfave.Context) error {
	return usageIf(c.IsSet("expect-sha256") && c.NArg() > 1, "--expect-sha256 is of one sheet, and %d are named", c.NArg())
}

// writeSheet writes a sheet as payrun.check/v1 or payrun.load/v1, or in words. funds is for the document;
// nil if the bank was not asked.
func (s *session) writeSheet(schema string, sheet *app.Sheet, funds []doc.Funds) error {
	if !s.term.JSON {
		s.showSheet(sheet)
		return nil
	}
	checked := newChecked(schema, sheet)
	checked.Funds = funds
	return s.document("", checked)
}

// checked is the document payrun.check/v1 or payrun.load/v1.
type checked struct {
	Schema        string             `json:"schema"`
	Sheet         doc.Sheet          `json:"sheet"`
	Accepted      ledger.Tally       `json:"accepted"`
	Rejected      ledger.Tally       `json:"rejected"`
	Corrected     *ledger.Tally      `json:"corrected,omitempty"`
	Corrections   []doc.Correction   `json:"corrections,omitempty"`
	Findings      []ledger.Finding   `json:"findings"`
	Batches       []doc.PlannedBatch `json:"batches"`
	Columns       []app.ReadColumn   `json:"columns"`
	Unread        []string           `json:"unread"` // headers
	Kept          *doc.KeptColumns   `json:"kept,omitempty"`
	OTPs          int                `json:"otps"`
	RejectedSheet string             `json:"rejected_sheet,omitempty"` // path
	Banks         []app.BankTally    `json:"banks,omitzero"`           // absent without a branch list
	Funds         []doc.Funds        `json:"funds,omitzero"`
}

func newChecked(schema string, sheet *app.Sheet) checked {
	s := sheet.Sheet
	c := checked{
		Schema: schema,
		Sheet: doc.Sheet{
			Name: s.Name, SHA256: s.SHA256, Format: s.Format, Tab: s.Tab, Rows: s.Rows, Total: s.Total, ID: s.ID, AlreadyLoaded: sheet.AlreadyLoaded,
		},
		Accepted: s.Accepted, Rejected: s.Rejected, Corrections: sheet.Changes(), Findings: doc.List(sheet.Findings),
		Batches: slices.AppendSeq([]doc.PlannedBatch{}, sheet.Planned()), Columns: doc.List(sheet.Read),
		Unread: doc.Each(sheet.Unread, func(c app.ReadColumn) string { return c.Header }),
		Kept:   sheet.KeptBy(), OTPs: sheet.OTPs(), RejectedSheet: sheet.RejectedPath, Banks: sheet.Banks,
	}
	if len(c.Corrections) > 0 {
		c.Corrected = &s.Corrected
	}
	return c
}
