package reports

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"payrun/ledger"
	"payrun/reports/xlsx"
)

// Text from a sheet or a bank is made harmless here, where it enters the reports, and nowhere else.

// Clean makes text from a sheet or a bank safe to show. It spells out what is not visible (control characters,
// and with them ANSI escapes, direction and other format characters, line breaks, broken UTF-8) as \t or
// \u202e, so that nothing is lost, as it may be on a terminal (ledger.Plain). It cuts the text to what a
// spreadsheet cell holds, because a bank's words may be longer. Cleaning twice changes nothing.
func Clean(s string) string {
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
		if shown += xlsx.Length(piece); shown > xlsx.MaxCellLength-1 {
			b.WriteRune('…')
			break
		}
		b.WriteString(piece)
	}
	return b.String()
}

func isPlain(s string) bool {
	return len(s) < xlsx.MaxCellLength && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// isShown reports whether a terminal or a spreadsheet program shows a character, be it as a space.
func isShown(r rune) bool {
	return !ledger.Unprintable(r) || unicode.Is(unicode.Zs, r) || r == unicode.ReplacementChar
}

// formulaStarts begin a formula in some spreadsheet program; the wide forms do in East Asian editions. Clean
// already spells out TAB and CR; they are here so that this check does not depend on Clean.
const formulaStarts = "=+-@\t\r\n＝＋－＠"

// Inert returns a CSV cell that no spreadsheet program takes for a formula. A program whose separator is the
// semicolon splits the cell there, even in quotes, so each part is made inert.
func Inert(s string) string {
	if strings.IndexByte(s, ';') < 0 {
		return inertPart(s)
	}
	parts := strings.Split(s, ";")
	for i := range parts {
		parts[i] = inertPart(parts[i])
	}
	return strings.Join(parts, ";")
}

func inertPart(s string) string {
	if s == "" || '0' <= s[0] && s[0] <= '9' || 'A' <= s[0] && s[0] <= 'z' { // as in nearly every cell
		return s
	}
	if bare := strings.TrimLeft(s, " \u00a0\u3000\""); bare != "" {
		if r, _ := utf8.DecodeRuneInString(bare); strings.ContainsRune(formulaStarts, r) {
			return "'" + s
		}
	}
	return s
}

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
		*f = Clean(*f)
	}
}
