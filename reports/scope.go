package reports

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
)

// Scope selects the sheets of a report: all, or those that are named and were loaded in a time.
type Scope struct {
	SheetIDs     []string  // none: every sheet
	Since, Until time.Time // loaded at or after Since and before Until; zero: no bound
}

// IsAll reports a scope that leaves nothing out.
func (c Scope) IsAll() bool { return len(c.SheetIDs) == 0 && c.Since.IsZero() && c.Until.IsZero() }

// Has reports whether reports of that scope are about the sheet.
func (c Scope) Has(s ledger.Sheet) bool {
	return (len(c.SheetIDs) == 0 || slices.Contains(c.SheetIDs, s.ID)) &&
		!s.LoadedAt.Before(c.Since) && (c.Until.IsZero() || s.LoadedAt.Before(c.Until))
}

// named names the scope by a name of its sheets, "" for every one, and by days of that zone.
func (c Scope) named(sheets string, zone *time.Location, between string) string {
	var words []string
	if sheets != "" {
		words = append(words, sheets)
	}
	if !c.Since.IsZero() {
		words = append(words, "since", c.Since.In(zone).Format(time.DateOnly))
	}
	if !c.Until.IsZero() {
		words = append(words, "until", c.lastDay(zone).Format(time.DateOnly))
	}
	return cmp.Or(strings.Join(words, between), "all")
}

// lastDay is in the last day before Until, where the days are counted in that zone.
func (c Scope) lastDay(zone *time.Location) time.Time { return c.Until.Add(-1).In(zone) }

// scopeWords says what the reports are about, for people.
func scopeWords(s *Snapshot) string {
	var what string
	switch {
	case len(s.sheets) == 1 && len(s.SheetIDs) == 1:
		what = s.sheets[0].Name + " (" + s.sheets[0].ID + ")"
	case len(s.sheets) == 1:
		what = s.sheets[0].Name
	default:
		what = ledger.Counted(len(s.sheets), "sheet", "sheets")
	}
	since, until := s.Since.In(s.Zone).Format(dateWords), s.lastDay(s.Zone).Format(dateWords)
	switch {
	case s.Since.IsZero() && s.Until.IsZero():
		return what
	case s.Until.IsZero():
		return what + ", loaded since " + since
	case s.Since.IsZero():
		return what + ", loaded until " + until
	}
	return what + ", loaded " + since + " to " + until
}

// dateWords is a date as people read it.
const dateWords = "2 Jan 2006"

// About says whose money the reports are about and where it moved. Nothing of
// it is in the ledger: it comes from the configuration.
type About struct {
	Environment string                // "sandbox" or "production"
	Merchant    string                // the sub-merchant; "" where none is configured
	By          string                // who had them written
	Accounts    []ledger.DebitAccount // those that have a name
}

// sandbox is the environment in which no money moves.
const sandbox = "sandbox"

// inSandbox reports a rehearsal, which no file may be silent about.
func (a About) inSandbox() bool { return a.Environment == sandbox }

// sandboxWords are on every page of a rehearsal.
const sandboxWords = "SANDBOX: no money moved"

// line says environment, merchant and who, as every file does; "" where nothing
// is known.
func (a About) line() string {
	var parts []string
	for _, p := range [][2]string{{"", a.Environment}, {"merchant ", a.Merchant}, {"written by ", a.By}} {
		if p[1] != "" {
			parts = append(parts, p[0]+Clean(p[1]))
		}
	}
	words := strings.Join(parts, ", ")
	if words == "" {
		return ""
	}
	return strings.ToUpper(words[:1]) + words[1:] + "."
}

// account names a debit account with the tail of its number; where it has no
// name, by its id.
func (a About) account(id string) string {
	for _, known := range a.Accounts {
		if !strings.EqualFold(known.BankAccountID, id) {
			continue
		}
		name := Clean(known.Name)
		if n := len(known.AccountNumber); n > 4 {
			name += " ••" + Clean(known.AccountNumber[n-4:])
		}
		return name
	}
	return id
}
