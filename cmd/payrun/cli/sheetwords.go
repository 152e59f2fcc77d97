package cli

import (
	"fmt"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"payrun/ledger"
)

// showSheet shows a checked or loaded sheet to people: its totals, what was
// found, and the batches with their OTPs.
func (d *desk) showSheet(in intake) {
	s := in.Sheet
	t := d.newTable(table.Row{plain(s.Name), "Count", "Total"}, 2, 3)
	t.AppendRow(table.Row{"rows", grouped(s.Rows), rupees(s.Total)})
	t.AppendRow(table.Row{"accepted", grouped(s.Accepted.Count), rupees(s.Accepted.Total)})
	t.AppendRow(table.Row{"rejected", grouped(s.Rejected.Count), rupees(s.Rejected.Total)})
	t.Render()
	d.showFindings(in.Findings)
	d.showBanks(in.Banks)
	d.showPlan(in)
}

// shownRows is how many rows of one finding are shown without --verbose.
const shownRows = 5

// showFindings groups the findings by code, errors first, each with what to do.
func (d *desk) showFindings(all []ledger.Finding) {
	byCode := map[string][]ledger.Finding{}
	var codes []string
	for _, f := range all {
		if byCode[f.Code] == nil {
			codes = append(codes, f.Code)
		}
		byCode[f.Code] = append(byCode[f.Code], f)
	}
	slices.SortStableFunc(codes, func(a, b string) int {
		return severityOrder(byCode[a][0].Severity) - severityOrder(byCode[b][0].Severity)
	})
	for _, code := range codes {
		d.showFinding(code, byCode[code])
	}
}

func (d *desk) showFinding(code string, found []ledger.Finding) {
	severity := found[0].Severity
	title := fmt.Sprintf("%s %s", severity, code)
	if len(found) > 1 {
		title += fmt.Sprintf(" (%d times)", len(found))
	}
	d.show("\n%s", d.paint(severityColor(severity), title))
	most := d.most(shownRows)
	fix := ""
	for _, f := range head(found, most) {
		d.show("  %s%s", whereIs(f), plain(f.Message))
		if f.Fix != fix {
			fix = f.Fix
			d.show("    fix: %s", plain(fix))
		}
	}
	if left := len(found) - most; left > 0 {
		d.show("  … and %d more (--verbose shows all)", left)
	}
}

// whereIs names the place of a finding: row, column, reference and value.
func whereIs(f ledger.Finding) string {
	if f.Row == 0 {
		return ""
	}
	where := fmt.Sprintf("row %d", f.Row)
	for _, part := range []string{f.Column, f.Ref} {
		if part != "" {
			where += ", " + plain(part)
		}
	}
	if f.Value != "" && f.Value != f.Ref {
		where += fmt.Sprintf(" [%s]", plain(f.Value))
	}
	return where + ": "
}

func severityOrder(s ledger.Severity) int {
	return slices.Index([]ledger.Severity{ledger.SeverityError, ledger.SeverityWarning, ledger.SeverityInfo}, s)
}

func severityColor(s ledger.Severity) text.Color {
	switch s {
	case ledger.SeverityError:
		return text.FgRed
	case ledger.SeverityWarning:
		return text.FgYellow
	default:
		return text.Reset
	}
}

// showPlan shows the batches and counts the OTPs they need.
func (d *desk) showPlan(in intake) {
	n := len(in.plan.Batches)
	if n == 0 {
		return
	}
	d.show("")
	t := d.newTable(table.Row{"Batch", "Account", "Bank", "Payouts", "Total", "Needs", "Ends because"}, 3, 4, 5)
	left := d.most(shownBatches)
	for b := range d.planned(in) {
		if left--; left < 0 {
			break
		}
		t.AppendRow(table.Row{b.ID, plain(d.accountName(b.BankAccountID)), b.PartnerBankID, b.Count, rupees(b.Total), needsOf(b), plain(b.Reason)})
	}
	t.Render()
	d.showMore(n, "batches")
	d.show("%s needed, one a batch; no plan needs fewer than %s", counted(n, "OTP is", "OTPs are"), grouped(in.plan.LowerBound))
}

func needsOf(b plannedInfo) string {
	needs := "OTP"
	if b.NeedsToken {
		needs += ", token"
	}
	if b.NeedsLEI {
		needs += ", LEI"
	}
	return needs
}

// grouped shows a count to people, in the Indian way.
func grouped(n int) string {
	s := ledger.Paise(int64(n) * 100).Indian()
	return s[:len(s)-len(".00")]
}
