package app

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
	"payrun/ledger/reconcile"
	"payrun/ledger/storetest"
)

var matched = flag.Int("matched", 4_500, "payouts that TestTheDifferencesAreFound reconciles")

// month is payouts of three sheets and four debit accounts, what the bank said of
// them, and what it booked.
type month struct {
	*operation
	t       testing.TB
	batches []ledger.Batch
	planned map[string]ledger.PayoutState // by wire reference, of those that do not end as success
	entries map[string][]ledger.StatementEntry
	want    map[ledger.Attention]int
	serial  int
}

const size = 250

// Sixty differences of every kind, among thousands of payouts, are found: these,
// and nothing else, and the balances explain each rupee.
func TestTheDifferencesAreFound(t *testing.T) {
	d := newDesk(t)
	err := d.write(t.Context(), Call{Actor: "asha"}, func(o *operation) error {
		m := &month{operation: o, t: t, planned: map[string]ledger.PayoutState{}, entries: map[string][]ledger.StatementEntry{}, want: map[ledger.Attention]int{}}
		for i, name := range []string{"oct", "nov", "dec"} {
			m.load(name, (*matched+2-i)/3)
		}
		for i, b := range m.batches {
			m.book(i, b)
		}
		m.record()
		r, err := o.match(t.Context())
		if err != nil {
			return err
		}
		m.judge(r)
		m.asksOne(r)
		m.asksAll(r)
		if problems, err := o.store.Verify(t.Context()); err != nil || len(problems) > 0 {
			t.Errorf("%v, %v", problems, err)
		}
		return nil
	})
	must(t, err)
}

// asksOne holds what the story of a payout tells of the statements against what the
// whole matching tells: of every payout with a difference, and of some others.
func (m *month) asksOne(r *reconcile.Result) {
	m.t.Helper()
	differs := map[int64]bool{}
	for _, e := range r.Exceptions {
		differs[e.Of.PayoutID] = true
	}
	asked, lines := 0, 0
	for _, b := range m.batches {
		attempts, err := m.store.Attempts(m.t.Context(), b.ID)
		must(m.t, err)
		for _, a := range attempts {
			if !differs[a.ID] && a.ID%97 != 0 {
				continue
			}
			story, err := m.payoutStory(m.t.Context(), a.Ref)
			must(m.t, err)
			found := r.Found[a.Key()]
			booked := story.Attempts[0].OnStatement
			kind := ledger.NeedsNothing
			if i := slices.IndexFunc(r.Exceptions, func(e reconcile.Exception) bool { return e.Of == a.Key() }); i >= 0 {
				kind = r.Exceptions[i].Kind
			}
			if booked.Kind != kind || booked.Found != found {
				m.t.Errorf("%s: %s by %s (%v), want %s by %s (%v)", a.Ref, booked.Kind, booked.By, booked.Ties, kind, found.By, found.Ties)
			}
			if found.By != "" && len(booked.Lines) == 0 || booked.Words == "" {
				m.t.Errorf("%s: %+v", a.Ref, booked)
			}
			asked, lines = asked+1, lines+len(booked.Lines)
		}
	}
	if asked < 60 || lines < asked/2 {
		m.t.Errorf("%d payouts were asked for, with %d lines", asked, lines)
	}
}

// asksAll holds what status and the list of payouts say of the statements against what the whole matching says.
func (m *month) asksAll(r *reconcile.Result) {
	m.t.Helper()
	batches, payouts := map[string]ledger.Attention{}, map[int64]ledger.Attention{}
	for _, e := range slices.Backward(r.Exceptions) { // the gravest comes last
		if e.Of.PayoutID != 0 && e.Kind.NeedsPerson() && e.Kind != ledger.MissingInStatement {
			batches[e.BatchID], payouts[e.Of.PayoutID] = e.Kind, e.Kind
		}
	}
	s, err := m.status(m.t.Context())
	must(m.t, err)
	for _, b := range s.Batches {
		if kinds := s.kinds[b.ID]; len(kinds) > 0 != (batches[b.ID] != "") || len(kinds) > 0 && (kinds[0] != batches[b.ID] || s.Asks(b) != batches[b.ID]) {
			m.t.Errorf("batch %s: %v, want %q", b.ID, kinds, batches[b.ID])
		}
	}
	toRetry := map[string]unpaid{}
	must(m.t, m.payouts(m.t.Context(), ledger.Filter{}, func(at PayoutRow) error {
		asks := at.Asks
		if u := toRetry[at.BatchID]; asks == ledger.PayoutNotPaid || asks == ledger.PayoutCameBack {
			u.Add(at.Amount)
			if asks == ledger.PayoutCameBack || u.asks == "" {
				u.asks = asks
			}
			toRetry[at.BatchID] = u
		}
		if want := payouts[at.ID]; want != asks && (want != "" || asks != at.Attempt.Asks(ledger.Batch{State: ledger.BatchSettled})) {
			m.t.Errorf("%s: %q, want %q", at.Ref, asks, want)
		}
		return nil
	}))
	for batch := range batches {
		one := Status{Batches: []ledger.Batch{{ID: batch}}}
		if must(m.t, m.weigh(m.t.Context(), &one)); one.kinds[batch][0] != batches[batch] {
			m.t.Errorf("batch %s alone: %v, want %q", batch, one.kinds[batch], batches[batch])
		}
	}
	if !maps.Equal(s.unpaid, toRetry) {
		m.t.Errorf("to retry: %v, want %v", s.unpaid, toRetry)
	}
	if len(batches) == 0 || len(payouts) < 30 {
		m.t.Errorf("%d batches and %d payouts are contradicted", len(batches), len(payouts))
	}
}

func (m *month) account(i int) string { return fmt.Sprintf("acc-%d", i%4) }

// load records a sheet in batches of one debit account each.
func (m *month) load(name string, n int) {
	m.t.Helper()
	list := storetest.Payouts(name, n)
	plan := storetest.Plan(list, size)
	for i := range plan {
		plan[i].BankAccountID = m.account(i)
		for _, at := range plan[i].Members {
			list[at].BankAccountID = m.account(i)
		}
	}
	batches, err := storetest.TryLoad(m.store.(storetest.Store), name, list, plan)
	must(m.t, err)
	m.batches = append(m.batches, batches...)
}

func (m *month) apply(s ledger.Step) {
	m.t.Helper()
	s.Actor = "asha"
	must(m.t, m.store.Apply(m.t.Context(), s))
}

// says is one answer of the bank about a batch.
func (m *month) says(b ledger.Batch, from ledger.BatchState, event ledger.BatchEvent, at time.Time, status string) {
	m.t.Helper()
	attempts, err := m.store.Attempts(m.t.Context(), b.ID)
	must(m.t, err)
	s := ledger.Step{BatchID: b.ID, From: from, Event: event, At: at}
	if event != "" {
		s.Outcome, s.HTTPStatus, s.OpenBatchID = ledger.Accepted, 200, "ob-"+b.ID
	}
	for _, a := range attempts {
		o := ledger.Observation{WireRef: a.WireRef, Status: status, Amount: a.Amount, HasAmount: true, OpenTxnID: "tx-" + a.WireRef}
		if status == ledger.StatusSuccess {
			o.BankTxnRefID = utrOf(a.WireRef)
			if m.planned[a.WireRef] == ledger.PayoutFailed {
				o.Status = ledger.StatusFailed
			}
		}
		s.Observed = append(s.Observed, ledger.Observed{PayoutID: a.ID, Number: a.Number, Observation: o, Verdict: ledger.Judge(a, o)})
	}
	m.apply(s)
}

func utrOf(ref string) string { return "UTIB" + strings.ToUpper(strings.ReplaceAll(ref, "-", "N")) }

// send brings a batch to its end, submitted on a day and ended at a moment.
func (m *month) send(b ledger.Batch, submitted, ended time.Time) {
	m.apply(ledger.Step{BatchID: b.ID, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: submitted, PayloadSHA256: storetest.Hash(b.ID), Looks: storetest.Looked(b.ID)})
	m.says(b, ledger.BatchInitiating, ledger.InitiateAccepted, submitted, ledger.StatusRequestInitiated)
	m.apply(ledger.Step{BatchID: b.ID, From: ledger.BatchHeld, Event: ledger.SubmitIntended, At: submitted, PayloadSHA256: storetest.Hash("s" + b.ID), Looks: storetest.Looked(b.ID)})
	m.says(b, ledger.BatchSubmitting, ledger.SubmitAccepted, submitted, ledger.StatusPending)
	m.says(b, ledger.BatchSubmitted, "", ended, ledger.StatusSuccess)
	if len(m.planned) > 0 { // failed is confirmed by a second read
		m.says(b, ledger.BatchSubmitted, "", ended.Add(time.Minute), ledger.StatusSuccess)
	}
}

// line books an amount: debits below zero.
func (m *month) line(account string, day int, amount ledger.Paise, reference, remarks string, details ...ledger.EntryDetail) {
	m.serial++
	m.entries[account] = append(m.entries[account], ledger.StatementEntry{TransactionID: fmt.Sprintf("T%d", m.serial), Debit: amount < 0, Amount: max(amount, -amount),
		Transacted: now.AddDate(0, 0, day).Format(time.DateOnly) + " 12:00:00", Reference: reference, Remarks: remarks, Details: details})
}

// hidden is the reference of what moved and is left out of the statement.
const hidden = "hidden"

// booked gives the statement of an account in the order of its days, each with the
// balance after it.
func (m *month) booked(account string) (list []ledger.StatementEntry) {
	all, balance := m.entries[account], ledger.Paise(0)
	slices.SortStableFunc(all, func(a, b ledger.StatementEntry) int { return strings.Compare(a.Transacted, b.Transacted) })
	for _, e := range all {
		balance += e.Change()
		if e.Closing = balance; e.Reference != hidden {
			list = append(list, e)
		}
	}
	return list
}

// book sends a batch, and books its payouts with the differences that fall to it.
func (m *month) book(i int, b ledger.Batch) {
	m.t.Helper()
	attempts, err := m.store.Attempts(m.t.Context(), b.ID)
	must(m.t, err)
	submitted, ended := now.AddDate(0, 0, 2), now.AddDate(0, 0, 2).Add(time.Hour)
	clear(m.planned)
	switch i {
	case 0: // from before the days that any statement covers
		submitted, ended = now, now.Add(time.Hour)
		m.want[ledger.StatementNotAvailable]++
	case 1: // its debits may still come
		ended = now.AddDate(0, 0, 5)
	case 2:
		for _, a := range attempts[:7] {
			m.planned[a.WireRef] = ledger.PayoutFailed
		}
	}
	m.send(b, submitted, ended)
	if i == 0 {
		return
	}
	acc := b.BankAccountID
	if i == 4 { // one line, with each payment in it
		var details []ledger.EntryDetail
		for _, a := range attempts {
			details = append(details, ledger.EntryDetail{Amount: a.Amount, Reference: utrOf(a.WireRef)})
		}
		m.line(acc, 2, -b.Total, "BULK", "", details...)
		return
	}
	for n, a := range attempts {
		m.bookOne(i, n, acc, a)
	}
	if i == 3 { // with the names of two payouts each
		for n := range 8 {
			m.line(acc, 3, -(7_00 + ledger.Paise(n)), utrOf(attempts[n].WireRef), utrOf(attempts[n+1].WireRef))
			m.want[ledger.UnknownDebit]++
		}
	}
	m.line(acc, 2+i%2, 5_00, "INTEREST", "")
	m.line(acc, 3, -1_00, "CHARGES", "SMS CHARGES")
}

// bookOne books a payout: by UTR, by reference, by amount alone, or otherwise than
// it should be.
func (m *month) bookOne(i, n int, acc string, a ledger.Attempt) {
	utr := utrOf(a.WireRef)
	switch {
	case i == 1 && n < 6:
		m.want[ledger.AwaitingStatement]++
		return
	case i == 2 && n < 7:
		m.want[ledger.FailedButDebited]++
	case i == 5 && n < 12: // of six the money moved all the same, and the balances tell
		m.want[ledger.MissingInStatement]++
		if n%2 == 0 {
			m.line(acc, 2, -a.Amount, hidden, "")
		}
		return
	case i == 6 && n < 10:
		m.want[ledger.DebitedTwice]++
		m.line(acc, 2, -a.Amount, utr, "NEFT")
	case i == 7 && n < 8:
		m.want[ledger.AmountDiffers]++
		m.line(acc, 2, -(a.Amount - 1), utr, "NEFT")
		return
	case i == 7 && n < 16:
		m.want[ledger.ReturnedInStatement]++
		m.line(acc, 2, -a.Amount, utr, "NEFT")
		m.line(acc, 4, a.Amount, utr, "NEFT RETURN")
		return
	case n%3 == 1:
		m.line(acc, 2, -a.Amount, "", "NEFT/"+a.WireRef+"/ASHA TRADERS/123456789012")
		return
	}
	m.line(acc, 2, -a.Amount, utr, "NEFT")
}

// record gives the statements of the interface, newest first, in windows that overlap by
// a day, and those of one account from two files, of which the second goes on in a day.
func (m *month) record() {
	m.t.Helper()
	name := func(days int) string { return now.AddDate(0, 0, days).Format(time.DateOnly) }
	for n := range 4 {
		list := m.booked(m.account(n))
		if n == 2 {
			half := len(list) / 2
			for part, entries := range [][]ledger.StatementEntry{list[:half], list[half:]} {
				m.reading(ledger.StatementRead{BankAccountID: m.account(n), Source: ledger.FromFile, From: entries[0].Day(), To: entries[len(entries)-1].Day(), Entries: entries,
					FileName: fmt.Sprintf("part%d.csv", part), FileSHA256: storetest.Hash(fmt.Sprint(part)), FileFormat: "csv"})
			}
			continue
		}
		for _, days := range [][2]int{{1, 3}, {3, 5}} {
			r := ledger.StatementRead{BankAccountID: m.account(n), Source: ledger.FromInterface, From: name(days[0]), To: name(days[1])}
			for _, e := range list {
				if r.From <= e.Day() && e.Day() <= r.To {
					r.Entries = append(r.Entries, e)
				}
			}
			if n == 1 {
				slices.Reverse(r.Entries)
			}
			m.reading(r)
		}
	}
}

func (m *month) reading(r ledger.StatementRead) {
	m.t.Helper()
	r.Shape, r.At, r.Actor = ledger.ShapeEntries, now.AddDate(0, 0, 5).Add(2*time.Hour), "asha"
	_, err := m.store.RecordStatement(m.t.Context(), r)
	must(m.t, err)
}

func (m *month) judge(r *reconcile.Result) {
	m.t.Helper()
	got, all := map[ledger.Attention]int{}, 0
	for _, e := range r.Exceptions {
		got[e.Kind]++
		all++
	}
	if diff := cmp.Diff(m.want, got); diff != "" {
		m.t.Errorf("differences (-want +got):\n%s", diff)
	}
	if all != 60 || r.Unexplained != 0 {
		m.t.Errorf("%d differences, unexplained %s", all, r.Unexplained)
	}
	unmatched := size + 6 + 7 + 12 + 10 + 8 + 8
	if want := *matched - unmatched; r.Ties().On.Count != want {
		m.t.Errorf("%d payouts matched, want %d", r.Ties().On.Count, want)
	}
}
