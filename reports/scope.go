package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"payrun/ledger"
)

// Scope selects the sheets of a report: all, or those that are named and were loaded in a period.
type Scope struct {
	SheetIDs     []string  // empty: every sheet
	Since, Until time.Time // loaded at or after Since and before Until; zero: no bound
}

// IsAll reports whether the scope covers everything.
func (c Scope) IsAll() bool { return len(c.SheetIDs) == 0 && c.Since.IsZero() && c.Until.IsZero() }

// Has reports whether reports of that scope include the sheet.
func (c Scope) Has(s ledger.Sheet) bool {
	return (len(c.SheetIDs) == 0 || slices.Contains(c.SheetIDs, s.ID)) &&
		!s.LoadedAt.Before(c.Since) && (c.Until.IsZero() || s.LoadedAt.Before(c.Until))
}

// named names the scope by its sheets, "" for all, and by days in that time zone.
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

// lastDay returns a time on the last day before Until, in that time zone.
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

// About says whose money the reports are about and where it moved. It comes from the configuration, not from
// the ledger.
type About struct {
	Environment string                // "sandbox" or "production"
	Merchant    string                // the sub-merchant; "" if none is configured
	By          string                // who requested the reports
	Accounts    []ledger.DebitAccount // those with a name
}

// sandbox is the environment in which no money moves.
const sandbox = "sandbox"

// inSandbox reports whether this is a rehearsal, which every file must say.
func (a About) inSandbox() bool { return a.Environment == sandbox }

// sandboxWords are on every page of a rehearsal.
const sandboxWords = "SANDBOX: no money moved"

// line returns environment, merchant and author, as every file shows them; "" if none is known.
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

// account returns the name of a debit account with the end of its number, or its id if it has no name.
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

// Sentences in both the page and the workbook.

func asOf(s *Snapshot) string {
	if s.head.Length == 0 {
		return "As of an empty ledger."
	}
	return fmt.Sprintf("As of %s, event %s of the ledger.", s.when(s.head.At), ledger.Grouped(int(s.head.Length)))
}

func bankName(id int) string {
	if id == 0 {
		return "Not known"
	}
	return "Partner bank " + strconv.Itoa(id)
}

const maskWords = "Account numbers show their last four characters."
