package ledger

import (
	"slices"
	"strings"
)

// mostWords is of how many words a name may be: references have dashes and slashes
// in them.
const mostWords = 8

// EachName calls known for each word of a text, and for each run of words with what
// stands between them, longest first, as the places where it begins and ends. Where
// known says that it is a name, what is inside of it is not asked about: a name
// inside a longer one is not that name, and none is a part of a word.
func EachName(text string, known func(start, end int) bool) {
	var room [32]span
	words := wordsIn(text, room[:0])
	for first := 0; first < len(words); first++ {
		for last := min(len(words), first+mostWords) - 1; last >= first; last-- {
			if known(words[first].start, words[last].end) {
				first = last
				break
			}
		}
	}
}

// ShortName is from which length a word is a name by itself.
const ShortName = longName

// WeakName reports whether a part of a text may be another's name than it seems: it
// is short, as "1001" is, or a dash, a dot or an underscore ties it to words beside
// it. It is a name only with the amount.
func WeakName(text string, start, end int) bool {
	tie := func(c byte) bool { return c == '-' || c == '_' || c == '.' }
	return end-start < ShortName || start > 1 && tie(text[start-1]) && inWord(text[start-2]) || end+1 < len(text) && tie(text[end]) && inWord(text[end+1])
}

// Bookings finds in the statements on record what they show of the earlier attempts
// of payouts that are about to be sent again.
type Bookings struct {
	attempts []KnownAttempt
	names    map[string][]bookedAt // by account and name, in lower case
	shown    map[bookedAt]*[2]booking
}

// bookedAt is an earlier attempt: its places.
type bookedAt struct{ attempt, earlier int }

type booking struct{ debits, credits int }

// NewBookings looks for the earlier attempts of these; nil where there are none.
func NewBookings(attempts []KnownAttempt) *Bookings {
	b := &Bookings{attempts: attempts, names: map[string][]bookedAt{}, shown: map[bookedAt]*[2]booking{}}
	for i := range attempts {
		for j, e := range attempts[i].Earlier {
			for _, name := range []string{e.WireRef, e.BankTxnRefID} {
				if name != "" {
					key := bookedName(e.BankAccountID, name)
					b.names[key] = append(b.names[key], bookedAt{i, j})
				}
			}
		}
	}
	if len(b.names) == 0 {
		return nil
	}
	return b
}

func bookedName(account, name string) string { return account + "\x00" + strings.ToLower(name) }

// Entry takes in an entry of a statement.
func (b *Bookings) Entry(e *KeptEntry) {
	if len(e.Details) == 0 {
		b.piece(e, e.Amount, e.Reference, e.Remarks)
	}
	for _, d := range e.Details {
		b.piece(e, d.Amount, d.Reference, d.Remarks)
	}
}

func (b *Bookings) piece(e *KeptEntry, amount Paise, texts ...string) {
	found := map[bookedAt]bool{}
	for _, text := range texts {
		EachName(text, func(start, end int) bool {
			list := b.names[bookedName(e.BankAccountID, text[start:end])]
			for _, at := range list {
				if !WeakName(text, start, end) || b.attempts[at.attempt].had(amount) {
					found[at] = true
				}
			}
			return len(list) > 0
		})
	}
	for at := range found {
		if b.shown[at] == nil {
			b.shown[at] = &[2]booking{}
		}
		side := &b.shown[at][0]
		if e.Source == FromFile {
			side = &b.shown[at][1]
		}
		if e.Debit {
			side.debits++
		} else {
			side.credits++
		}
	}
}

// had reports whether the payout has this amount, or had it before a correction:
// whoever pays it by hand pays the one or the other.
func (a *KnownAttempt) had(amount Paise) bool {
	return a.Amount == amount || slices.ContainsFunc(a.Earlier, func(e Earlier) bool { return e.Amount == amount })
}

// Mark says of each earlier attempt whether the statements show its debit and not
// its return. What both sources show counts as often as the one that shows it more.
func (b *Bookings) Mark() {
	for at, s := range b.shown {
		e := &b.attempts[at.attempt].Earlier[at.earlier]
		came := max(s[0].credits, s[1].credits)
		if !e.SetAside && e.attempt().DecidedBack() {
			came++
		}
		e.Booked = max(s[0].debits, s[1].debits) > came
	}
}

// DecidedBack reports whether two people decided of an attempt that failed that a
// credit without its name is its return (Deciding.cameBack): of one debit, and no
// other.
func (a Attempt) DecidedBack() bool {
	return a.State == PayoutFailed && a.Resolved == ResolutionNotPaid
}

func (e Earlier) attempt() Attempt { return Attempt{State: e.State, Resolved: e.Resolved} }

// BookedBefore is the rule that a payout is not paid again while a statement on
// record shows the debit of an earlier attempt and not its return, whatever the
// bank's status says of it: until the status says that it came back, or two people
// that it was not paid (statements.md, "Matching"). Of one that failed they can say
// so where the bank's own statement has an equal credit after the debit, and the bank
// says in writing that it is the return.
func (e Earlier) BookedBefore() error {
	decided := !e.SetAside && !e.attempt().DecidedBack() && (e.Resolved == ResolutionNotPaid || e.Resolved == ResolutionGone)
	if !e.Booked || e.State == PayoutReturned || decided {
		return nil
	}
	do := "Ask the bank whether the money came back, quoting the debit. If it stays paid, give this batch up."
	if e.State == PayoutFailed && e.Resolved == ResolutionNone {
		do = "Where the money came back without its name, ask the bank to confirm that in writing; then two people decide it: payrun resolve " +
			shellWord(e.WireRef) + " --as not-paid --reason TEXT --bank-ticket TEXT"
	}
	return forbidden(e.BatchID, do, "the bank's statement shows the debit of %q and not its return, and the ledger has it as %s: it is not paid again", e.WireRef, e.State)
}
