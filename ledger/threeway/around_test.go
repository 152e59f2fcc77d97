package threeway_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"payrun/ledger"
	"payrun/ledger/threeway"
)

// exactly is a world as a source that gives what it is asked for and nothing more.
type exactly struct {
	*world
	t *rapid.T
}

func (w exactly) Statements(_ context.Context, account string) (list []ledger.KeptStatement, _ error) {
	for _, r := range w.reads {
		if r.BankAccountID == account {
			list = append(list, r)
		}
	}
	return list, nil
}

// EachEntryOf holds each entry against the sieve of its part, too.
func (w exactly) EachEntryOf(_ context.Context, account string, sought *ledger.SoughtEntries, fn func(ledger.KeptEntry) error) error {
	var making ledger.Sieving
	var part []ledger.KeptEntry
	check := func(p *ledger.SievePart) {
		if p != nil && !sought.MayBeIn(p.Sieve) && slices.ContainsFunc(part, func(e ledger.KeptEntry) bool { return sought.Has(&e) }) {
			w.t.Fatal("a sieve holds back an entry that is sought")
		}
		if p != nil {
			part = part[:0]
		}
	}
	for _, e := range w.entries {
		check(making.Add(&e))
		part = append(part, e)
		if e.BankAccountID == account && sought.Has(&e) {
			if err := fn(e); err != nil {
				return err
			}
		}
	}
	check(making.Last())
	return nil
}

func (w exactly) NewestEntry(_ context.Context, account string) (day string, _ error) {
	for _, e := range w.entries {
		if e.BankAccountID == account {
			day = max(day, e.Day())
		}
	}
	return day, nil
}

// allOf calls fn for every attempt of the payouts of which one is asked for.
func (w exactly) allOf(is func(a *ledger.Attempt, b *ledger.Batch) bool, fn func(ledger.Attempt) error) error {
	asked := map[int64]bool{}
	for _, a := range w.attempts {
		b, _ := w.Batch(context.Background(), a.BatchID)
		asked[a.ID] = asked[a.ID] || is(&a, &b)
	}
	for _, a := range w.attempts {
		if asked[a.ID] {
			if err := fn(a); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w exactly) AttemptsNamed(_ context.Context, names []string, fn func(ledger.Attempt) error) error {
	return w.allOf(func(a *ledger.Attempt, _ *ledger.Batch) bool {
		return slices.Contains(names, strings.ToLower(a.WireRef)) || slices.Contains(names, strings.ToLower(a.BankTxnRefID))
	}, fn)
}

func submittedIn(b *ledger.Batch, account string, from, to time.Time) bool {
	at := b.SubmittedAt
	if at.IsZero() && (b.State == ledger.BatchSubmitting || b.State == ledger.BatchSubmitUnknown) {
		at = b.StateSince
	}
	return b.BankAccountID == account && !at.IsZero() && !at.Before(from) && at.Before(to)
}

func (w exactly) AttemptsOf(_ context.Context, account string, amount ledger.Paise, from, to time.Time, fn func(ledger.Attempt) error) (whole []ledger.Batch, _ error) {
	for _, b := range w.batches {
		if submittedIn(&b, account, from, to) && b.Total == amount && b.Count > 1 {
			whole = append(whole, b)
		}
	}
	return whole, w.allOf(func(a *ledger.Attempt, b *ledger.Batch) bool {
		return a.Amount == amount && submittedIn(b, account, from, to)
	}, fn)
}

func (w exactly) AttemptsReturned(_ context.Context, amount ledger.Paise, fn func(ledger.Attempt) error) error {
	return w.allOf(func(a *ledger.Attempt, _ *ledger.Batch) bool {
		return a.Amount == amount && a.State == ledger.PayoutReturned
	}, fn)
}

func (w exactly) Batch(_ context.Context, id string) (ledger.Batch, error) {
	i := slices.IndexFunc(w.batches, func(b ledger.Batch) bool { return b.ID == id })
	return w.batches[i], nil
}

func (w exactly) Attempts(_ context.Context, batchID string) (list []ledger.Attempt, _ error) {
	for _, a := range w.attempts {
		if a.BatchID == batchID {
			list = append(list, a)
		}
	}
	return list, nil
}

// somewhere draws a world in which much is alike: few names, amounts and days.
func somewhere(t *rapid.T) *world {
	w := &world{}
	of := func(list ...string) string { return rapid.SampledFrom(list).Draw(t, "of") }
	amount := func() ledger.Paise {
		return rapid.SampledFrom([]ledger.Paise{100_00, 100_00, 200_00, 300_00}).Draw(t, "amount")
	}
	day := func() int { return rapid.IntRange(9, 12).Draw(t, "day") }
	state := func() ledger.PayoutState {
		return rapid.SampledFrom([]ledger.PayoutState{ok, ok, ok, ok, ledger.PayoutReturned, ledger.PayoutFailed, ledger.PayoutPending, ledger.PayoutPlanned}).Draw(t, "state")
	}
	var names []string
	for id := int64(1); id <= int64(rapid.IntRange(1, 6).Draw(t, "payouts")); {
		var members []ledger.Attempt
		for range rapid.IntRange(1, 3).Draw(t, "members") {
			a := attempt(id, 1, state(), amount())
			a.WireRef = fmt.Sprintf(of("INV-%d", "%d", "PAY/%d", "LONGINV%d"), id)
			if of("utr", "utr", "none") == "none" {
				a.BankTxnRefID = of("", "UTIBNSHARED")
			}
			a.UpdatedAt = time.Date(2031, 3, day(), 13, 0, 0, 0, ist)
			if id++; of("once", "once", "retried") == "retried" {
				again := a
				again.Number, again.WireRef, again.State = 2, a.WireRef+of("-R2", ""), state()
				again.BankTxnRefID = utr(id)[:14] + "02"
				w.batch(of("a", "b"), day(), again)
				names = append(names, again.WireRef, again.BankTxnRefID)
			}
			names = append(names, a.WireRef, a.BankTxnRefID)
			members = append(members, a)
		}
		w.batch(of("a", "a", "b"), day(), members...)
		if b := &w.batches[len(w.batches)-1]; of("sent", "sent", "sent", "not") == "not" {
			b.SubmittedAt, b.State = time.Time{}, ledger.BatchSubmitUnknown
			if of("doubt", "planned") == "planned" {
				b.State = ledger.BatchPlanned
			} else {
				b.StateSince = time.Date(2031, 3, day(), 12, 0, 0, 0, ist)
			}
		}
	}
	for _, account := range []string{"a", "b"} {
		for _, source := range []ledger.StatementSource{api, file} {
			if of("gives", "gives", "not") == "gives" {
				w.covers(source, account)
			}
		}
	}
	words := func() string {
		var list []string
		for range rapid.IntRange(0, 2).Draw(t, "words") {
			list = append(list, of(append(names, "NEFT", "RAO")...))
		}
		return strings.Join(list, of(" ", "/", "-", "  "))
	}
	for range rapid.IntRange(0, 8).Draw(t, "entries") {
		r := w.reads
		if len(r) == 0 {
			break
		}
		from := rapid.SampledFrom(r).Draw(t, "reading")
		sum := amount()
		if of("one", "total") == "total" {
			sum = rapid.SampledFrom(w.batches).Draw(t, "batch").Total
		}
		if of("debit", "debit", "credit") == "debit" {
			sum = -sum
		}
		var details []ledger.EntryDetail
		if of("plain", "plain", "plain", "details") == "details" {
			details = []ledger.EntryDetail{{Amount: amount(), Reference: words()}, {Amount: amount(), Remarks: words()}}
		}
		w.shows(from.Source, from.BankAccountID, day(), sum, words(), of("", words()), details...)
		w.entries[len(w.entries)-1].ReadNo = from.No
	}
	slices.SortStableFunc(w.entries, func(a, b ledger.KeptEntry) int { return int(a.ReadNo - b.ReadNo) })
	for i := range w.entries {
		w.entries[i].Place = i + 1
	}
	return w
}

// Whatever there is in the ledger: what the part of it around a payout tells of it is
// what the whole tells.
func TestAPartTellsWhatTheWholeTells(t *testing.T) {
	seen, perhaps, by := 0, 0, map[threeway.Reason]int{}
	rapid.Check(t, func(t *rapid.T) {
		w := somewhere(t)
		asked := map[int64]bool{}
		for _, a := range w.attempts {
			if asked[a.ID] {
				continue
			}
			asked[a.ID] = true
			whole := w.following(set, a.ID)
			var own []threeway.Asked
			for _, at := range w.attempts {
				if at.ID == a.ID {
					one := threeway.Asked{Attempt: at}
					if rapid.Bool().Draw(t, "intended") {
						one.Intended = time.Date(2031, 3, rapid.IntRange(8, 12).Draw(t, "when"), 10, 0, 0, 0, ist)
					}
					own = append(own, one)
				}
			}
			slices.SortFunc(own, func(a, b threeway.Asked) int { return a.Number - b.Number })
			shown, err := threeway.Around(t.Context(), exactly{w, t}, set, own)
			if err != nil {
				t.Fatal(err)
			}
			all := threeway.Pieces(w.entries)
			unclear := w.matcher(set, a.ID).WholeUnclear(own, w.reads)
			perhaps += len(unclear)
			if d := gocmp.Diff(lines(unclear, all), lines(shown.Unclear, shown.Pieces)); d != "" {
				t.Errorf("payout %d, unclear (-whole +part):\n%s", a.ID, d)
			}
			for i, one := range whole.Seen {
				seen++
				by[one.By]++
				for _, l := range one.Lines {
					if l.By == threeway.ByNothing {
						t.Fatal("a line of an attempt is its own by nothing")
					}
				}
				if d := gocmp.Diff(lines(one.Lines, all), lines(shown.Seen[i].Lines, shown.Pieces)); d != "" {
					t.Errorf("payout %d, lines (-whole +part):\n%s", a.ID, d)
				}
			}
			if d := gocmp.Diff(whole.Seen, shown.Seen, cmpopts.IgnoreFields(threeway.Seen{}, "Lines"), cmpopts.EquateEmpty()); d != "" {
				t.Errorf("payout %d (-whole +part):\n%s", a.ID, d)
			}
		}
	})
	t.Logf("%d attempts, by %v, and %d lines that may be theirs", seen, by, perhaps)
	for _, why := range []threeway.Reason{threeway.ByUTR, threeway.ByReference, threeway.ByAmount, threeway.ByBatch} {
		if by[why] == 0 {
			t.Errorf("nothing was found %v", why)
		}
	}
}

// lines tells lines in words, with where their entries stand.
func lines(list []threeway.Line, pieces []threeway.Piece) (told []string) {
	for _, l := range list {
		p := pieces[l.Piece-1]
		told = append(told, fmt.Sprintf("%v %v %s by %v: %d/%d %q %q", l.Of, l.Debit, l.Amount, l.By, p.ReadNo, p.Place, p.Reference, p.Remarks))
	}
	slices.Sort(told)
	return told
}
