package ledger

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Books are what the bank's statement of one debit account says, with the
// balance that was asked for before and after it was read. They are one of the
// two things on which people may decide that a submit never arrived; the other is
// the bank's written word (safety.md, "Setting aside", 3 and 4).
type Books struct {
	BankAccountID string
	From, To      time.Time   // what the statement covers: from the first moment, to before the last
	ReadAt        time.Time   // when it was asked for
	Closed        bool        // its pages closed properly
	Why           string      // where they did not
	Entries       []BookEntry // oldest first
	Before, After Paise       // the balance, read before and after the statement
	// Opening is the balance before the first entry, where an earlier entry or the
	// file tells it.
	Opening    Paise
	HasOpening bool
	// UnchangedSince is the first of the readings of the balance, all equal to
	// After and up to it, that are on record; zero where there is only this one.
	UnchangedSince time.Time
	// Owed are debits of payouts that the bank does not call paid, and that no credit
	// which carries their name gives back; also of before From, as far as it was read.
	Owed []Owed
}

// Owed is a debit whose credit is still to come, or has come without a name.
type Owed struct {
	WireRef string
	Amount  Paise
}

// BookEntry is one entry of a statement.
type BookEntry struct {
	At      time.Time // when it was posted; the day's first moment where only the day is known
	Debit   bool
	Amount  Paise // above zero
	Balance Paise // after it
	Words   []string
	// Matched is the wire reference of the payout that the entry belongs to, where
	// a reference or UTR in it says so; "" otherwise.
	Matched string
	// Explained says what else it is, where that is known; "" otherwise. Of a credit:
	// that it carries the name of a payout, or is made of several.
	Explained string
}

// Sought is what must not be in the books: the debit of these payouts.
type Sought struct {
	BankAccountID string
	Names         []string // references, batch ids, the bank's own ids and UTRs
	WireRefs      []string // of the payouts: an entry that is matched to one of them is theirs
	Amounts       []Paise  // of the payouts
	Total         Paise    // of their batch
	Since         time.Time
	// BookedBy is when money may have moved last without the ledger's knowing: an
	// entry later than that by half of Waits.Wait shows that it would be booked.
	BookedBy time.Time
	// Hidden: the bank did not list the batch before it was submitted; OtherShown:
	// since then it has shown another batch of the account that it had accepted.
	Hidden, OtherShown bool
}

// booksFresh is how old books may be when something is decided on them.
const booksFresh = 15 * time.Minute

// The rules of the books, as a refusal names them.
const (
	RuleBooksAccount   = "books_account" // they are of another debit account
	RuleBooksFresh     = "books_fresh"   // they were read too long ago
	RuleBooksWindow    = "books_window"  // they do not cover the time
	RuleBooksClosed    = "books_closed"  // the pages did not close
	RuleBooksChain     = "books_chain"   // a balance is not the one before and its entry
	RuleBooksBalance   = "books_balance" // the last balance is not that of the account
	RuleBooksLate      = "books_late"    // nothing shows that the debit would be booked by now
	RuleBooksNamed     = "books_named"   // a debit carries a name of it
	RuleBooksAmount    = "books_amount"  // a debit equals a payout or the total
	RuleBooksUnclear   = "books_unclear" // a debit that is large enough is explained by nothing
	RuleBooksOtherOnly = "books_other"   // the bank showed no other batch since
	RuleBooksDebited   = "books_debited" // the debit is there without its credit
	RuleBooksMissing   = "books_missing" // they are not to be had, and there is no word of the bank
)

// NoDebitOf returns nil where the books show that no money moved for what is
// sought, and a *NotYet with the rule that does not hold otherwise. It is pure
// (safety.md, "Setting aside", 3).
func (b Books) NoDebitOf(s Sought, w Waits, now time.Time) error {
	if err := b.sound(s, w, now); err != nil {
		return err
	}
	smallest := slices.Min(append([]Paise{s.Total}, s.Amounts...))
	for _, e := range b.Entries {
		if !e.Debit {
			continue
		}
		switch other := e.Matched != "" && !slices.Contains(s.WireRefs, e.Matched); {
		case e.names(s):
			return notYet(RuleBooksNamed, "the statement has a debit of %s of %s that carries a name of it", e.Amount, day(e.At))
		case other:
			continue
		case e.equals(s):
			return notYet(RuleBooksAmount, "the statement has a debit of %s of %s that equals it, and is not matched to another payout by its reference", e.Amount, day(e.At))
		case e.Explained == "" && e.Amount >= smallest:
			return notYet(RuleBooksUnclear, "the statement has a debit of %s of %s that nothing explains", e.Amount, day(e.At))
		}
	}
	if s.Hidden && !s.OtherShown {
		return notYet(RuleBooksOtherOnly, "the bank did not show the batch before it was submitted, and has since then shown no other batch of the account that it accepted")
	}
	return nil
}

// Debited reports whether the books show the debit of what is sought without its
// credit, by name alone.
func (b Books) Debited(s Sought) bool {
	debits, credits := 0, 0
	for _, e := range b.Entries {
		switch {
		case !e.names(s):
		case e.Debit:
			debits++
		default:
			credits++
		}
	}
	return debits > credits
}

// perhaps returns a debit that equals what is sought, and that no name gives to a
// payout: it may be its own.
func (b Books) perhaps(s Sought) (e BookEntry, is bool) {
	i := slices.IndexFunc(b.Entries, func(e BookEntry) bool {
		return e.Debit && e.Matched == "" && e.Explained == "" && e.equals(s) && !e.names(s)
	})
	if i < 0 {
		return e, false
	}
	return b.Entries[i], true
}

// sound holds books that may be judged: whole, of the account and the time, and
// so far on that the debit would be in them.
func (b Books) sound(s Sought, w Waits, now time.Time) error {
	switch {
	case !strings.EqualFold(b.BankAccountID, s.BankAccountID):
		return notYet(RuleBooksAccount, "the statement is of another debit account")
	case b.ReadAt.After(now), now.Sub(b.ReadAt) > booksFresh:
		return notYet(RuleBooksFresh, "the statement was read more than %s ago", booksFresh)
	case b.From.After(s.Since.Add(-24 * time.Hour)), b.To.Before(b.ReadAt):
		return notYet(RuleBooksWindow, "the statement does not cover the time from the day before %s to today", day(s.Since))
	case !b.Closed:
		return notYet(RuleBooksClosed, "the statement could not be read to its end (%s)", b.Why)
	}
	if err := b.chained(s); err != nil {
		return err
	}
	last, known := b.Opening, b.HasOpening
	if n := len(b.Entries); n > 0 {
		last, known = b.Entries[n-1].Balance, true
	}
	if b.Before != b.After || known && last != b.After {
		return notYet(RuleBooksBalance, "the last balance of the statement is not what the account holds, or the balance moved while it was read")
	}
	return b.late(s, w)
}

// chained holds each balance against the one before it. What came before the
// first entry has to be known too, or be of before the time in question: else the
// debit could be what was left out there.
func (b Books) chained(s Sought) error {
	last, known, at := b.Opening, b.HasOpening, b.From
	if n := len(b.Entries); n > 0 && !known && !b.Entries[0].At.Before(s.Since.Truncate(time.Second)) { // a statement has no parts of a second
		return notYet(RuleBooksChain, "the statement begins with an entry of after %s, and what the account held before it is not known", day(s.Since))
	}
	for _, e := range b.Entries {
		change := e.Amount
		if e.Debit {
			change = -change
		}
		if sum, fits := last.Plus(change); known && (!fits || sum != e.Balance) || e.At.Before(at) {
			return notYet(RuleBooksChain, "the balance after the entry of %s of %s is not the one before it and the entry", e.Amount, day(e.At))
		}
		last, known, at = e.Balance, true, e.At
	}
	return nil
}

// late holds books against the time that a debit may take to be booked: a later
// entry, or a balance that stood still since.
func (b Books) late(s Sought, w Waits) error {
	booked := s.BookedBy.Add(w.booked())
	if n := len(b.Entries); n > 0 && !b.Entries[n-1].At.Before(booked) {
		return nil
	}
	still := b.UnchangedSince
	if still.IsZero() {
		still = b.ReadAt
	}
	if n := len(b.Entries); n > 0 && still.Before(s.BookedBy) {
		still = s.BookedBy // what stood still before says nothing
	} else if n == 0 && still.After(s.Since) && !(b.HasOpening && b.Opening == b.After) {
		// No entry ties the balance to the time before: it has to be known of then.
		return notYet(RuleBooksLate, "the statement has no entry, and the balance of %s is not on record", day(s.Since))
	}
	if until := still.Add(w.Wait); b.ReadAt.Before(until) {
		e := notYet(RuleBooksLate, "the newest entry of the statement is not %s later than the time in question, and the balance has not stood still for %s", w.booked(), w.Wait)
		e.Until = booked
		if until.Before(booked) {
			e.Until = until
		}
		return e
	}
	return nil
}

// equals: the amount is one of the payouts', or the batch's.
func (e BookEntry) equals(s Sought) bool {
	return e.Amount == s.Total || slices.Contains(s.Amounts, e.Amount)
}

// names reports whether a name of what is sought is in the entry, however the
// bank spells it. A name is not found inside a longer word; a long one is, with
// whatever stands between its letters and digits left out, but in an entry that
// is another payout's.
func (e BookEntry) names(s Sought) bool {
	if e.Matched != "" && slices.Contains(s.WireRefs, e.Matched) {
		return true
	}
	for _, words := range e.Words {
		lower, bare := strings.ToLower(words), bareWord(words)
		for _, name := range s.Names {
			name = strings.ToLower(name)
			if name == "" {
				continue
			}
			if hasWord(lower, name) {
				return true
			}
			short := bareWord(name)
			if e.Matched == "" && short != "" && (bare == short || len(short) >= longName && strings.Contains(bare, short)) {
				return true
			}
		}
	}
	return false
}

// longName is from which length a name is looked for inside of others' words.
const longName = 6

// hasWord reports whether name is in text with no letter or digit beside it.
func hasWord(text, name string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i]) // at an end no letter
		after, _ := utf8.DecodeRuneInString(text[i+len(name):])
		if !alnum(before) && !alnum(after) {
			return true
		}
		from = i + 1
	}
}

func alnum(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// bareWord is text in lower case without whatever is no letter or digit.
func bareWord(text string) string {
	return strings.Map(func(r rune) rune {
		if alnum(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// day is a moment as a person looks for it in a statement.
func day(t time.Time) string { return t.UTC().Format("2006-01-02") }

// summary is what of the books is kept with a decision and told by the audit
// trail: enough to find the statement again, no words of anybody.
func (b *Books) summary() string {
	if b == nil {
		return ""
	}
	return fmt.Sprintf("statement %s to %s read %s, %d entries, balance %s", b.From.UTC().Format(time.RFC3339), b.To.UTC().Format(time.RFC3339),
		b.ReadAt.UTC().Format(time.RFC3339), len(b.Entries), b.After)
}
