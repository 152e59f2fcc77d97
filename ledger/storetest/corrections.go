package storetest

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var corrections = []Check{
	{"a corrected payout is a further attempt with what the row says", aCorrectionIsAnAttempt},
	{"what was corrected stays corrected in the retries after it", aCorrectionStays},
	{"a payout that may be paid is not corrected", notWhatMayBePaid},
	{"what is corrected to another debit account is looked for under the old one", aCorrectionMoves},
	{"a corrected account is one that was paid before", aCorrectedPayeeIsKnown},
	{"what was corrected away hides nobody who was paid", correctedAwayHidesNobody},
	{"what is corrected to the account of another payout of its sheet is compared with it", aCorrectionMeetsItsSheet},
	{"a correction is loaded whole or not at all", aCorrectionIsWhole},
	{"a row that was left out becomes one payout", aRowComesBackOnce},
}

// cancelled loads a sheet of n payouts in one batch, and abandons the batch.
func (d *desk) cancelled(name string, n int) []ledger.Attempt {
	d.Helper()
	id := d.load(name, n, n)[0].ID
	d.abandon(id, minute(1))
	attempts := d.retryable(id)
	if len(attempts) != n {
		d.Fatalf("%d may be retried", len(attempts))
	}
	return attempts
}

// correct loads a sheet that corrects payouts and has fresh new ones.
func (d *desk) correct(name string, list []ledger.Corrected, fresh int) (ledger.Sheet, []ledger.Batch, error) {
	d.Helper()
	p := partOf(name, fresh, list...)
	batches, err := d.loadParts(p)
	return p.sheet, batches, err
}

// to corrects an attempt, as a row of a later sheet does.
func to(a ledger.Attempt, row int, account string, amount ledger.Paise) ledger.Corrected {
	c := ledger.Corrected{After: a, Is: a.Payout}
	c.Is.Row, c.Is.BankAccountNumber, c.Is.IFSC, c.Is.Amount, c.Is.Remarks = row, account, "SBIN0001234", amount, ""
	return c
}

func aCorrectionIsAnAttempt(t testing.TB, o Opener) {
	d := begin(t, o)
	attempts := d.cancelled("nov", 3)
	first := attempts[0].Payout
	before, err := d.Tallies(d.ctx)
	d.must(err)
	sh, batches, err := d.correct("fixed", []ledger.Corrected{to(attempts[0], 2, "77700012345", 999_99), to(attempts[2], 3, "77700012346", attempts[2].Amount)}, 1)
	d.must(err)
	d.reopen()
	if len(batches) != 2 || batches[0].SheetID != sh.ID || batches[1].SheetID != first.SheetID || batches[1].Count != 2 || batches[1].Total != 999_99+attempts[2].Amount {
		d.Fatalf("%+v", batches)
	}
	for _, id := range []string{sh.ID, first.SheetID} {
		link, err := d.SheetCorrections(d.ctx, id)
		if want := []ledger.SheetCorrection{{Of: first.SheetID, By: sh.ID, BatchID: batches[1].ID}}; err != nil || !slices.Equal(link, want) {
			d.Errorf("sheet %s is linked by %v, %v; want %v", id, link, err, want)
		}
	}
	got := d.attempts(batches[1].ID)
	if len(got) != 2 {
		d.Fatalf("%d attempts", len(got))
	}
	a := got[0]
	if a.Number != 2 || a.ID != first.ID || a.SheetID != first.SheetID || a.Row != first.Row || a.Ref != first.Ref || a.WireRef != first.Ref {
		d.Errorf("the payout is another: %+v", a)
	}
	if a.Amount != 999_99 || a.BankAccountNumber != "77700012345" || a.IFSC != "SBIN0001234" || a.Remarks != "" || a.VendorName != first.VendorName {
		d.Errorf("it does not send what the row says: %+v", a)
	}
	// the first attempt keeps what it sent
	all := d.listed(ledger.Filter{Attempts: true, SheetID: first.SheetID})
	if len(all) != 5 || all[0].Amount != first.Amount || all[0].BankAccountNumber != first.BankAccountNumber || all[1].Amount != 999_99 {
		d.Errorf("%+v", all)
	}
	// a payout's amount is that of its latest attempt
	after, err := d.Tallies(d.ctx)
	d.must(err)
	was, is := before[ledger.PayoutCancelled], after[ledger.PayoutPlanned]
	if fresh := batches[0].Total; is.Count != 3 || is.Total != 999_99+attempts[2].Amount+fresh || after[ledger.PayoutCancelled].Total != was.Total-first.Amount-attempts[2].Amount {
		d.Errorf("before %v, after %v", before, after)
	}
	sheets, err := d.Sheets(d.ctx)
	if err != nil || len(sheets) != 2 {
		d.Fatalf("%d sheets, %v", len(sheets), err)
	}
	if diff := cmp.Diff(sh, sheets[1]); diff != "" {
		d.Errorf("the correcting sheet (-want +got):\n%s", diff)
	}
	// an export names the row and the sheet of the correction
	want := ledger.RecordedCorrection{Number: 2, Payout: to(attempts[0], 2, "77700012345", 999_99).Is}
	want.SheetID = sh.ID
	if kept := d.world().Corrections; len(kept) != 2 || kept[0] != want {
		d.Errorf("exported: %+v, want %+v first", kept, want)
	}
	// the audit trail has the old values and the new ones
	var details []string
	if err := d.Events(d.ctx, func(e ledger.Event) error {
		if e.Kind == ledger.EventCorrected && e.BatchID == batches[1].ID && e.SheetID == sh.ID {
			details = append(details, e.Words())
		}
		return nil
	}); err != nil {
		d.Fatal(err)
	}
	if len(details) != 2 || !strings.Contains(details[0], `row 2: `) || !strings.Contains(details[0], `amount "`+first.Amount.String()+`" → "999.99"`) || strings.Contains(details[0], "77700012345") {
		d.Errorf("corrections: %q", details)
	}
	d.whole()
}

func aCorrectionStays(t testing.TB, o Opener) {
	d := begin(t, o)
	attempts := d.cancelled("nov", 2)
	_, batches, err := d.correct("fixed", []ledger.Corrected{to(attempts[0], 2, "77700012345", 500_00)}, 0)
	d.must(err)
	d.abandon(batches[0].ID, minute(2))
	again, _, err := d.Retryable(d.ctx, batches[0].ID)
	if err != nil || len(again) != 1 || again[0].Amount != 500_00 {
		d.Fatalf("%+v, %v", again, err)
	}
	planned, err := d.PlanRetry(d.ctx, asha, t0.Add(time.Hour), again, plan(payoutsOf(again), 1))
	d.must(err)
	got := d.attempts(planned[0].ID)
	if len(got) != 1 || got[0].Number != 3 || got[0].Amount != 500_00 || got[0].BankAccountNumber != "77700012345" || planned[0].Total != 500_00 {
		d.Errorf("%+v of %+v", got, planned)
	}
	d.whole()
}

func aCorrectionMoves(t testing.TB, o Opener) {
	d := begin(t, o)
	attempts := d.cancelled("nov", 1)
	c := to(attempts[0], 2, "77700012345", attempts[0].Amount)
	c.Is.BankAccountID = accountOne
	copied, err := d.PlanRetry(d.ctx, asha, t0.Add(time.Hour), attempts, plan(payoutsOf(attempts), 1)) // a copy of the ledger would do this
	d.must(err)
	d.reset()
	attempts = d.cancelled("nov", 1)
	_, batches, err := d.correct("fixed", []ledger.Corrected{c}, 0)
	d.must(err)
	b := batches[0]
	if b.BankAccountID != accountOne || b.Sequence != copied[0].Sequence || b.Attempt != copied[0].Attempt || b.ID == copied[0].ID {
		d.Errorf("it is %+v, of a copy %+v", b, copied[0])
	}
	d.hold(b.ID)
	k, err := d.BatchRecord(d.ctx, b.ID)
	if err != nil || !slices.Contains(k.MovedIDs(), copied[0].ID) {
		d.Errorf("a copy's %s is not among %v, %v", copied[0].ID, k.MovedIDs(), err)
	}
	submit := ledger.Step{BatchID: b.ID, From: ledger.BatchHeld, Event: ledger.SubmitIntended, At: minute(90), Actor: asha, PayloadSHA256: hash("payload"),
		Looks: looked(b.ID, attempts[0].BatchID), Statements: fetched}
	if err := d.Apply(d.ctx, submit); !errors.Is(err, ledger.ErrLook) {
		d.Errorf("nobody looked for the copy's batch: %v", err)
	}
	submit.Looks = append(submit.Looks, looked(k.MovedIDs()...)...)
	if err := d.Apply(d.ctx, submit); err != nil {
		d.Error(err)
	}
	d.whole()
}

func aCorrectedPayeeIsKnown(t testing.TB, o Opener) {
	d := begin(t, o)
	attempts := d.cancelled("nov", 1)
	c := to(attempts[0], 2, "77700012345", attempts[0].Amount)
	if _, _, err := d.correct("fixed", []ledger.Corrected{c}, 0); err != nil {
		d.Fatal(err)
	}
	named := func(p ledger.Payout) ledger.NamedAccount {
		return ledger.NamedAccount{VendorName: p.VendorName, Account: ledger.Account{BankAccountNumber: p.BankAccountNumber, IFSC: p.IFSC}}
	}
	other := c.Is
	other.BankAccountNumber = "88800012345"
	ask := []ledger.NamedAccount{named(c.Is), named(other)}
	elsewhere, err := d.Payees(strings.ToLower).PaidElsewhere(d.ctx, ask, 20)
	if err != nil || len(elsewhere[ask[0]]) > 0 || len(elsewhere[ask[1]]) == 0 {
		d.Errorf("%v, %v", elsewhere, err)
	}
	was, is := attempts[0].Payee(), c.Is.Payee()
	for _, indexed := range []bool{false, true} { // the index keeps the old values for ever
		if indexed {
			d.index()
		}
		for _, named := range []bool{false, true} {
			paid, err := d.Payees(strings.ToLower).PaidSince(d.ctx, []ledger.Payee{was, is}, t0, named)
			if _, there := paid[is]; err != nil || len(paid) != 1 || !there {
				d.Errorf("indexed %t, named %t: %v, %v", indexed, named, paid, err)
			}
		}
	}
	past, err := d.Payees(strings.ToLower).PastPayouts(d.ctx, []int64{attempts[0].ID})
	if err != nil || past[attempts[0].ID].BankAccountNumber != "77700012345" {
		d.Errorf("%+v, %v", past, err)
	}
}

func correctedAwayHidesNobody(t testing.TB, o Opener) {
	d := begin(t, o)
	t1 := t0.AddDate(0, 0, 30)
	d.loadAt("oct", t0, paidTo(2, 100_00))
	var list []ledger.Corrected
	for i, b := range d.loadAt("nov", t1, paidTo(2, 100_00), paidTo(3, 55_00)) {
		d.abandon(b.ID, t1.Add(time.Minute))
		a := d.retryable(b.ID)[0]
		another, more := to(a, 2, "77700012345", a.Amount), to(a, 3, a.BankAccountNumber, 999_00)
		more.Is.IFSC = a.IFSC
		list = append(list, [...]ledger.Corrected{another, more}[i])
	}
	if _, _, err := d.correct("fixed", list, 0); err != nil {
		d.Fatal(err)
	}
	var busy []ledger.Payout // many to an account to which an older payout was corrected
	for i := range 150 {
		busy = append(busy, paidTo(i+2, ledger.Paise(i+1), account("77700012345"), branch("SBIN0001234")))
	}
	t2 := t1.AddDate(0, 0, 30)
	d.loadAt("busy", t2, busy...)
	for _, indexed := range []bool{false, true} {
		if indexed {
			d.index()
		}
		p := d.Payees(plainFold)
		for _, c := range []struct {
			name  string
			asked ledger.Payout
			since time.Time
			want  string
		}{
			{"the same was paid before what was corrected to another account", paidTo(0, 100_00), t0, "oct-1"},
			{"only what was corrected to another amount was the same", paidTo(0, 55_00), t0, ""},
			{"what it was corrected to", paidTo(0, 999_00), t0, "nov-2"},
			{"the first of many, after one that was corrected", busy[0], t2, "busy-1"},
		} {
			for _, named := range []bool{false, true} {
				found, err := p.PaidSince(d.ctx, []ledger.Payee{payeeOf(c.asked)}, c.since, named)
				use, there := found[payeeOf(c.asked)]
				if err != nil || there != (c.want != "") || named && use.Ref != c.want {
					d.Errorf("%s, indexed %t, named %t: %+v, %v; want %q", c.name, indexed, named, found, err, c.want)
				}
			}
		}
	}
}

func aCorrectionMeetsItsSheet(t testing.TB, o Opener) {
	d := begin(t, o)
	for _, indexed := range []bool{false, true} {
		d.reset()
		paid := paidTo(2, 100_00)
		nov := d.loadAt("nov", t0, paid, paidTo(3, 100_00, account("111")), paid)
		d.settle(nov[0].ID)
		d.abandon(nov[1].ID, minute(1))
		if indexed {
			d.index()
		}
		known := func(batch string) []ledger.Payment {
			found, err := d.PayeesWithout(plainFold, batch).LatestPayments(d.ctx, []ledger.Account{paid.AccountOf()}, 9)
			d.must(err)
			return found[paid.AccountOf()]
		}
		if list := known(nov[2].ID); len(list) > 0 {
			d.Errorf("indexed %t: nothing is planned again, and its sheet counts: %v", indexed, list)
		}
		c := to(d.retryable(nov[1].ID)[0], 2, paid.BankAccountNumber, paid.Amount)
		c.Is.IFSC = paid.IFSC
		_, batches, err := d.correct("fixed", []ledger.Corrected{c}, 0)
		d.must(err)
		if list := known(batches[0].ID); !slices.Equal(list, []ledger.Payment{{PayoutID: 1, Amount: paid.Amount}}) { // not itself, nor what is planned
			d.Errorf("indexed %t: %v", indexed, list)
		}
	}
}

func notWhatMayBePaid(t testing.TB, o Opener) {
	d := begin(t, o)
	attempts := d.cancelled("nov", 2)
	planned, err := d.PlanRetry(d.ctx, asha, t0.Add(time.Hour), attempts[:1], plan(payoutsOf(attempts[:1]), 1))
	d.must(err)
	before := d.world()
	// its second attempt is planned: neither attempt can be corrected
	second := d.attempts(planned[0].ID)
	for name, a := range map[string]ledger.Attempt{"one that is planned": second[0], "one that is not the last": attempts[0]} {
		if _, _, err := d.correct("fixed", []ledger.Corrected{to(a, 2, "77700012345", 1)}, 0); !errors.Is(err, ledger.ErrPayoutLocked) {
			d.Errorf("%s: %v", name, err)
		}
		d.is(before, "%s", name)
	}
	// the state that the caller claims does not count
	a := second[0]
	a.State = ledger.PayoutCancelled
	if _, _, err := d.correct("fixed", []ledger.Corrected{to(a, 2, "77700012345", 1)}, 0); err == nil {
		d.Error("one that is said to be cancelled was corrected")
	}
	d.is(before, "one that is said to be cancelled")
	d.whole()
}

func aRowComesBackOnce(t testing.TB, o Opener) {
	d := begin(t, o)
	d.load("nov", 2, 2)
	sheets, err := d.Sheets(d.ctx)
	d.must(err)
	from := ledger.RowOrigin{SheetID: sheets[0].ID, Row: 17}
	again := func(name string, from ledger.RowOrigin) error {
		news := payouts(name, 2)
		list := keyed(news)
		list[1].From = &from
		l := d.loading(list)
		_, err = l.Commit(sheetOf(name, news), plan(news, 2))
		return err
	}
	before := d.world()
	if err := again("lost", ledger.RowOrigin{SheetID: "shnone", Row: 17}); !errors.Is(err, ledger.ErrNotFound) {
		d.Errorf("of no sheet: %v", err)
	}
	d.is(before, "of no sheet")
	d.must(again("back", from))
	after := d.world()
	if err := again("twice", from); err == nil {
		d.Error("the row became two payouts")
	}
	d.is(after, "a second time")
	d.reopen()
	used, err := d.RowsUsed(d.ctx, from.SheetID, []int{17, 18, payouts("nov", 1)[0].Row})
	if err != nil || len(used) != 2 || used[17].Ref != payouts("back", 2)[1].Ref || used[17].Own || !used[payouts("nov", 1)[0].Row].Own {
		d.Errorf("%+v, %v", used, err)
	}
	var rows []int
	err = d.Elsewhere(d.ctx, from.SheetID, func(row int, a ledger.Attempt) error {
		rows = append(rows, row)
		if a.Ref != used[17].Ref {
			d.Errorf("row %d is %+v", row, a)
		}
		return nil
	})
	if err != nil || !slices.Equal(rows, []int{17}) {
		d.Errorf("rows %v, %v", rows, err)
	}
	if len(after.Origins) != 1 {
		d.Errorf("exported: %v", after.Origins)
	}
	d.whole()
}

func aCorrectionIsWhole(t testing.TB, o Opener) {
	o.FailAt(0)
	d := begin(t, o)
	attempts := d.cancelled("nov", 2)
	before := d.world()
	for n := 1; ; n++ {
		o.FailAt(n)
		_, _, err := d.correct("fixed", []ledger.Corrected{to(attempts[0], 2, "77700012345", 5)}, 1)
		failed := o.Failed()
		o.FailAt(0)
		if !failed {
			d.must(err)
			break
		}
		if err == nil {
			d.Fatalf("row %d failed, and the load did not", n)
		}
		d.is(before, "row %d failed", n)
	}
	d.whole()
}
