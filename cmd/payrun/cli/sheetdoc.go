package cli

import (
	"iter"
	"slices"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
)

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
