package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"payrun/ledger"
)

// maxShown bounds any text in a report. It is the most a spreadsheet cell
// holds; a bank's words may be longer.
const maxShown = 32_767

const (
	zeroWidthNonJoiner = '\u200c' // Devanagari and other scripts are
	zeroWidthJoiner    = '\u200d' // misspelt without these two
)

// clean makes text from a sheet or a bank safe to show: what is not visible
// (control characters and with them ANSI escapes, direction and other format
// characters, line breaks, broken UTF-8) is spelt out, as \t or \u202e.
// Cleaning twice changes nothing.
func clean(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	shown := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		piece := s[i : i+size]
		switch {
		case r == utf8.RuneError && size == 1:
			piece = fmt.Sprintf(`\x%02x`, s[i])
		case !isShown(r):
			piece = strings.Trim(strconv.QuoteRuneToASCII(r), "'")
		}
		i += size
		if shown += utf16Length(piece); shown > maxShown-1 {
			b.WriteRune('…')
			break
		}
		b.WriteString(piece)
	}
	return b.String()
}

func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return len(s) < maxShown
}

func isShown(r rune) bool {
	return strconv.IsGraphic(r) || r == zeroWidthNonJoiner || r == zeroWidthJoiner
}

// utf16Length counts as spreadsheet programs do.
func utf16Length(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// formulaStarts begin a formula in some spreadsheet program. The wide forms
// count in East Asian editions. TAB and CR are spelt out by clean already, and
// are here so that this line of defence stands alone.
const formulaStarts = "=+-@\t\r\n＝＋－＠"

// inert makes a CSV cell that no spreadsheet program takes for a formula.
func inert(s string) string {
	if bare := strings.TrimLeft(s, " \u00a0\u3000"); bare != "" {
		if r, _ := utf8.DecodeRuneInString(bare); strings.ContainsRune(formulaStarts, r) {
			return "'" + s
		}
	}
	return s
}

// What a sheet or a bank wrote is cleaned here, where it enters the reports,
// and nowhere else.

func cleanSheet(s *ledger.Sheet) {
	cleanAll(&s.ID, &s.Name, &s.Tab, &s.LoadedBy)
}

func cleanBatch(b *ledger.Batch) {
	cleanAll(&b.ID, &b.SheetID, &b.BankAccountID, &b.SubMerchantID, &b.TransactionTypeID, &b.BeneLEI, &b.Reason, &b.OpenBatchID, &b.Note)
}

func cleanEvent(e *ledger.Event) {
	cleanAll(&e.Actor, &e.Kind, &e.SheetID, &e.BatchID, &e.Detail, &e.Hash)
}

func cleanAttempt(a *ledger.Attempt) {
	cleanAll(&a.SheetID, &a.Ref, &a.VendorName, &a.BankAccountNumber, &a.IFSC, &a.Remarks, &a.BankAccountID,
		&a.WireRef, &a.BatchID, &a.Status, &a.BankStatusCode, &a.OpenTxnID, &a.BankTxnRefID, &a.Reason)
}

func cleanAll(fields ...*string) {
	for _, f := range fields {
		*f = clean(*f)
	}
}

// grouped is a count with lakh and crore groups.
func grouped(n int) string {
	return strings.TrimSuffix(ledger.Paise(n*100).Indian(), ".00")
}

// counted is a count with its noun: 1 payout, 2 payouts.
func counted(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case slices.Contains([]string{"batch"}, noun):
		return grouped(n) + " " + noun + "es"
	}
	return grouped(n) + " " + noun + "s"
}

func rupees(p ledger.Paise) string {
	if p < 0 {
		return "−₹" + (-p).Indian()
	}
	return "₹" + p.Indian()
}
