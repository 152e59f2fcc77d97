package cli

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

// showSheet shows a checked or loaded sheet: its totals, its findings, and its batches with their OTPs.
func (s *session) showSheet(sheet *app.Sheet) {
	if s.sheets++; s.sheets > 1 {
		s.term.Resultf("")
	}
	s.showRows(sheet)
	s.showReading(sheet)
	s.showFindings(sheet.Findings)
	s.showCorrections(sheet)
	s.showBanks(sheet)
	s.showPlan(sheet)
}

// plain reports whether a sheet corrects nothing and all its rows were accepted.
func plain(sheet *app.Sheet) bool {
	info := sheet.Sheet
	return !sheet.FileRefused() && info.Rows > 0 && info.Accepted.Count == info.Rows
}

// showPlainSheet is a short showSheet for a plain sheet: the number of rows, how each column was read, and
// the findings.
func (s *session) showPlainSheet(sheet *app.Sheet) {
	info := sheet.Sheet
	s.term.Resultf("%s%s: %s of %s, all accepted", ledger.Plain(info.Name), ofTab(info.Tab), ledger.CountedRows(info.Rows), info.Total.Rupees())
	read := doc.Each(sheet.Read, func(c app.ReadColumn) string { return app.FieldWords(c.Column) + " from " + headerAt(c) })
	s.term.Resultf("Read  %s", strings.Join(read, ", "))
	s.showKeptAndUnread(sheet)
	s.showFindings(sheet.Findings)
}

// longName is the longest sheet name, in characters, that fits into the table.
const longName = 30

// showRows shows the result of the rows. If the sheet was refused before its rows were read, it says so.
func (s *session) showRows(sheet *app.Sheet) {
	info := sheet.Sheet
	if info.Rows == 0 {
		s.term.Resultf("%s: no rows were checked", ledger.Plain(info.Name))
		return
	}
	name := ledger.Plain(info.Name)
	if utf8.RuneCountInString(name) > longName {
		s.term.Resultf("%s", name)
		name = ""
	}
	t := s.term.Table(term.Columns{name, "Count", "Total"}, 2, 3)
	t.Row("rows", ledger.Grouped(info.Rows), info.Total.Rupees())
	if sheet.AlreadyLoaded {
		t.Row("loaded before", ledger.Grouped(info.Rows), info.Total.Rupees())
		t.Render()
		return
	}
	t.Row("accepted", ledger.Grouped(info.Accepted.Count), info.Accepted.Total.Rupees())
	if info.Corrected.Count > 0 {
		t.Row("corrected", ledger.Grouped(info.Corrected.Count), info.Corrected.Total.Rupees())
	}
	t.Row("rejected", ledger.Grouped(info.Rejected.Count), info.Rejected.Total.Rupees())
	t.Render()
}

// showReading shows what each column of the sheet was read as, and which columns were not read. A column in
// the wrong place is noticed here or not at all.
func (s *session) showReading(sheet *app.Sheet) {
	if len(sheet.Read) == 0 {
		return
	}
	s.term.Resultf("")
	header := either(sheet.Read[0].At == "", "Element", "Header"+ofTab(sheet.Sheet.Tab))
	t := s.term.Table(term.Columns{"Read as", "From", header})
	for _, c := range sheet.Read {
		t.Row(app.FieldWords(c.Column), c.At, c.Header)
	}
	t.Render()
	s.showKeptAndUnread(sheet)
}

// showKeptAndUnread says whether columns are saved, and names those that were not read.
func (s *session) showKeptAndUnread(sheet *app.Sheet) {
	s.showKept(sheet)
	if len(sheet.Unread) == 0 {
		s.term.Resultf("Every column was read.")
		return
	}
	s.term.Resultf("not read: %s", strings.Join(doc.Each(sheet.Unread, headerAt), ", "))
}

// headerAt returns a header with its column's letters. An XML element has no letters.
func headerAt(c app.ReadColumn) string {
	return ledger.Plain(c.Header) + either(c.At == "", "", " ("+c.At+")")
}

// showKept says whose saved columns the sheet was read with, and whether its own are saved or saved ones
// deleted.
func (s *session) showKept(sheet *app.Sheet) {
	loaded := sheet.Loaded != nil
	if k := sheet.Kept; k != nil {
		who, day := ledger.Plain(config.Who(k.Actor)), s.set.Day(k.At)
		switch {
		case sheet.AsKept:
			s.term.Resultf("columns as %s saved them on %s; --keep-columns=false reads without", who, day)
		case sheet.Forgets() && loaded:
			s.term.Resultf("read without the columns that %s saved on %s; they were deleted", who, day)
		case sheet.Forgets():
			s.term.Resultf("read without the columns that %s saved on %s; loading it deletes them", who, day)
		}
	}
	if sheet.Keep == nil || sheet.AlreadyLoaded {
		return
	}
	s.term.Resultf("%s for sheets with exactly this header", either(loaded, "the columns were saved", "loading it saves these columns"))
}

// showCorrections shows what each correction changes: the old value and the new one.
func (s *session) showCorrections(sheet *app.Sheet) {
	all := sheet.Changes()
	if len(all) == 0 {
		return
	}
	s.term.Resultf("")
	t := s.term.Table(term.Columns{"Row", "Corrects", "Column", "Was", "Is"})
	showList(s, t, all, shownCorrections, "corrections", func(c doc.Correction) {
		if len(c.Changes) == 0 {
			t.Row(c.Row, c.Ref, "", "nothing is changed", "")
		}
		for _, f := range c.Changes {
			t.Row(c.Row, c.Ref, app.FieldWords(f.Column), f.Was, f.Is)
		}
	})
}

// shownCorrections is how many corrections are shown without --verbose.
const shownCorrections = 50

// ofTab names the tab of a workbook, or returns "".
func ofTab(tab string) string {
	return either(tab == "", "", fmt.Sprintf(" in tab %q", ledger.Plain(tab)))
}

// shownBanks is how many banks of a sheet are shown without --verbose.
const shownBanks = 10

// showBanks shows which banks a sheet pays, if there is a branch list.
func (s *session) showBanks(sheet *app.Sheet) {
	if len(sheet.Banks) == 0 {
		return
	}
	s.term.Resultf("")
	t := s.term.Table(term.Columns{"Paid at", "Payouts", "Total"}, 2, 3)
	showList(s, t, sheet.Banks, shownBanks, "banks", func(b app.BankTally) {
		t.Row(b.Bank, ledger.Grouped(b.Count), b.Total.Rupees())
	})
}

// shownProblems and shownRuns are how many problems of one code, and how many runs of rows with the same
// problem, are shown without --verbose.
const (
	shownProblems = 5
	shownRuns     = 8
)

// showFindings groups the findings by code, errors first, each with its fix.
func (s *session) showFindings(all []ledger.Finding) {
	byCode := groups(all, func(f ledger.Finding) string { return f.Code })
	slices.SortStableFunc(byCode, func(a, b []ledger.Finding) int { return a[0].Severity.Order() - b[0].Severity.Order() })
	for _, found := range byCode {
		s.showFinding(found)
	}
}

// showFinding shows the findings of one code.
func (s *session) showFinding(found []ledger.Finding) {
	severity := found[0].Severity
	title := fmt.Sprintf("%s %s%s", severity, found[0].Code, either(len(found) > 1, fmt.Sprintf(" (%d times)", len(found)), ""))
	s.term.Resultf("\n%s", s.term.Paint(severityColor(severity), title))
	problems := sameProblems(found)
	if s.term.Verbose { // each finding with its own value
		problems = slices.Collect(slices.Chunk(found, 1))
	}
	shown, fix := 0, ""
	for _, same := range head(problems, s.shownOf(len(problems), shownProblems)) {
		s.showProblem(same)
		if f := same[0]; f.Option.EndFix(f.Fix) != fix {
			fix = f.Option.EndFix(f.Fix)
			s.term.Resultf("    fix: %s", ledger.Plain(fix))
		}
		shown += len(same)
	}
	if left := len(found) - shown; left > 0 {
		s.term.Resultf("  … and %d more (--verbose shows all)", left)
	}
}

// sameProblems groups findings that differ only in row and value. A finding of the file, not of a row,
// stays alone.
func sameProblems(found []ledger.Finding) [][]ledger.Finding {
	type problem struct {
		column, message, fix string // with its flag
		ofFile               int
	}
	ofFile := 0
	return groups(found, func(f ledger.Finding) problem {
		if f.Row == 0 {
			ofFile++
			return problem{ofFile: ofFile}
		}
		return problem{column: f.Column, message: f.Message, fix: f.Option.EndFix(f.Fix)}
	})
}

// showProblem shows one problem and all rows that have it.
func (s *session) showProblem(same []ledger.Finding) {
	first := same[0]
	if len(same) == 1 {
		s.term.Resultf("  %s%s", whereIs(first), ledger.Plain(first.Message))
		return
	}
	rows := doc.Each(same, func(f ledger.Finding) int { return f.Row })
	slices.Sort(rows)
	rows = slices.Compact(rows)
	s.term.Resultf("  %s the same problem: %s", ledger.Counted(len(rows), "row has", "rows have"), runs(rows, shownRuns))
	s.term.Resultf("    as in %s%s", whereIs(first), ledger.Plain(first.Message))
}

// runs lists ascending numbers, each gapless run as one range: 17, 22-31, ….
func runs(numbers []int, most int) string {
	var b strings.Builder
	for n := 0; len(numbers) > 0; n++ {
		if n > 0 {
			b.WriteString(", ")
		}
		if n == most {
			b.WriteString("… (--verbose shows all)")
			break
		}
		k := 1
		for k < len(numbers) && numbers[k] == numbers[k-1]+1 {
			k++
		}
		fmt.Fprint(&b, numbers[0])
		if k > 1 {
			fmt.Fprintf(&b, "-%d", numbers[k-1])
		}
		numbers = numbers[k:]
	}
	return b.String()
}

// whereIs names the place of a finding: the cell and its column's header, or the row; then reference and
// value.
func whereIs(f ledger.Finding) string {
	where := ledger.Plain(f.Place())
	if where == "" {
		return ""
	}
	if f.Ref != "" {
		where += ", " + ledger.Plain(f.Ref)
	}
	if f.Value != "" && f.Value != f.Ref {
		where += fmt.Sprintf(" [%s]", ledger.Plain(f.Value))
	}
	return where + ": "
}

func severityColor(s ledger.Severity) term.Color {
	return either(s == ledger.SeverityError, term.Bad, either(s == ledger.SeverityWarning, term.Attend, term.Ordinary))
}

// showPlan shows the batches and the number of OTPs that they need.
func (s *session) showPlan(sheet *app.Sheet) {
	n := sheet.OTPs()
	if n == 0 {
		return
	}
	s.showPlanned(n, sheet.Planned())
	fewest := sheet.FewestOTPs()
	s.term.Resultf("%s, %s (the minimum%s)", ledger.CountedBatches(n), ledger.Counted(n, "OTP", "OTPs"), either(fewest < n, " is "+ledger.Grouped(fewest), ""))
}

// showPlanned shows n batches: what each needs, and why it ends where it does.
func (s *session) showPlanned(n int, batches iter.Seq[doc.PlannedBatch]) {
	s.term.Resultf("")
	t := s.term.Table(term.Columns{"Batch", "Account", "Bank", "Payouts", "Total", "Needs", "Priority", "Ends because"}, 3, 4, 5, 7).Notes()
	left := s.shownOf(n, shownBatches)
	for b := range batches {
		if left--; left < 0 {
			break
		}
		needs := either(b.NeedsApproval, "approval, ", "") + "OTP" + either(b.NeedsToken, ", token", "") + either(b.NeedsLEI, ", LEI", "")
		priority := either(b.Priority > 0, strconv.Itoa(b.Priority), "")
		t.Row(ledger.ShortID(b.ID), s.set.AccountName(b.BankAccountID), b.PartnerBankID, b.Count, b.Total.Rupees(), needs, priority, b.Reason)
	}
	t.Render()
	s.showMore(n, shownBatches, "batches")
}
