package threeway_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"payrun/ledger"
	"payrun/ledger/threeway"
)

var (
	ist = time.FixedZone("IST", 5*3600+1800)
	now = time.Date(2031, 3, 20, 12, 0, 0, 0, ist)
	set = threeway.Settings{Now: now, Grace: 48 * time.Hour, Zone: ist}
)

// world is payouts and statements in few words.
type world struct {
	batches  []ledger.Batch
	attempts []ledger.Attempt
	reads    []ledger.KeptStatement
	entries  []ledger.KeptEntry
	balance  map[string]ledger.Paise
}

// batch submits payouts of an account on a day of March 2031.
func (w *world) batch(account string, day int, list ...ledger.Attempt) {
	b := ledger.Batch{ID: fmt.Sprintf("b%d", len(w.batches)+1), BankAccountID: account, State: ledger.BatchSettled, Count: len(list),
		SubmittedAt: time.Date(2031, 3, day, 11, 0, 0, 0, ist)}
	for _, a := range list {
		a.BatchID = b.ID
		if a.UpdatedAt.IsZero() {
			a.UpdatedAt = b.SubmittedAt
		}
		b.Total += a.Amount
		w.attempts = append(w.attempts, a)
	}
	w.batches = append(w.batches, b)
}

func payout(id int64, state ledger.PayoutState, amount ledger.Paise) ledger.Attempt {
	return attempt(id, 1, state, amount)
}

func attempt(id int64, number int, state ledger.PayoutState, amount ledger.Paise) ledger.Attempt {
	ref := fmt.Sprintf("INV-%d", id)
	if number > 1 {
		ref += fmt.Sprintf("-R%d", number)
	}
	return ledger.Attempt{Payout: ledger.Payout{ID: id, Ref: fmt.Sprintf("INV-%d", id), Amount: amount}, Number: number, WireRef: ref, State: state,
		BankTxnRefID: fmt.Sprintf("UTIBN%08d%02d", id, number)}
}

func utr(id int64) string { return fmt.Sprintf("UTIBN%08d01", id) }

// covers says that a source gives the whole of March of an account.
func (w *world) covers(source ledger.StatementSource, account string) {
	w.reads = append(w.reads, ledger.KeptStatement{No: int64(len(w.reads) + 1), StatementRead: ledger.StatementRead{BankAccountID: account, Source: source,
		Shape: ledger.ShapeEntries, From: "2031-03-01", To: "2031-03-31"}})
}

// shows adds an entry behind the ones before: debits below zero.
func (w *world) shows(source ledger.StatementSource, account string, day int, amount ledger.Paise, reference, remarks string, details ...ledger.EntryDetail) {
	if w.balance == nil {
		w.balance = map[string]ledger.Paise{}
	}
	at := string(source) + account
	w.balance[at] += amount
	e := ledger.StatementEntry{Debit: amount < 0, Amount: max(amount, -amount), Closing: w.balance[at], Transacted: fmt.Sprintf("2031-03-%02d 11:30:00", day),
		Reference: reference, Remarks: remarks, Details: details}
	w.entries = append(w.entries, ledger.KeptEntry{BankAccountID: account, Source: source, StatementEntry: e})
}

func (w *world) match(s threeway.Settings) threeway.Result { return w.following(s, 0) }

// following is match, and tells more of one payout.
func (w *world) following(s threeway.Settings, payoutID int64) threeway.Result {
	return w.matcher(s, payoutID).Finish()
}

// matcher is one that has taken in all there is.
func (w *world) matcher(s threeway.Settings, payoutID int64) *threeway.Matcher {
	m := threeway.New(s)
	if payoutID != 0 {
		m.Follow(payoutID)
	}
	for _, b := range w.batches {
		m.Batch(b)
	}
	attempts := slices.Clone(w.attempts)
	slices.SortStableFunc(attempts, func(a, b ledger.Attempt) int { return cmp.Or(cmp.Compare(a.ID, b.ID), a.Number-b.Number) })
	for i := range attempts {
		m.Attempt(&attempts[i])
	}
	for _, r := range w.reads {
		m.Statement(r)
	}
	for i := range w.entries {
		m.Entry(&w.entries[i])
	}
	return m
}

// told is a result in few words.
func told(r threeway.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "matched %d", r.Matched.Count)
	for _, e := range r.Exceptions {
		fmt.Fprintf(&b, "; %s", e.Kind)
		if e.Of.PayoutID != 0 {
			fmt.Fprintf(&b, " %d/%d", e.Of.PayoutID, e.Of.Number)
		} else {
			fmt.Fprintf(&b, " of %s", e.Amount)
		}
	}
	others := 0
	for _, a := range r.Accounts {
		others += a.Others.Count
	}
	if others > 0 {
		fmt.Fprintf(&b, "; %d others", others)
	}
	if r.Unexplained != 0 {
		fmt.Fprintf(&b, "; unexplained %s", r.Unexplained)
	}
	return b.String()
}

const (
	api, file = ledger.FromInterface, ledger.FromFile
	ok        = ledger.PayoutSuccess
)

func TestWhatStatementsShow(t *testing.T) {
	tests := []struct {
		name string
		tell func(w *world)
		want string
	}{
		{"by UTR", func(w *world) { w.shows(api, "a", 10, -100_00, utr(1), "NEFT") }, "matched 1"},
		{"by UTR in the remarks, whatever its case", func(w *world) { w.shows(api, "a", 10, -100_00, "", "neft/"+strings.ToLower(utr(1))+"/rao") }, "matched 1"},
		{"by reference in the remarks, days later", func(w *world) { w.shows(api, "a", 15, -100_00, "X", "NEFT/INV-1/RAO") }, "matched 1"},
		{"by reference among dashes", func(w *world) { w.shows(api, "a", 10, -100_00, "X", "NEFT-INV-1-RAO") }, "matched 1"},
		{"a short word is a reference only with the amount", func(w *world) { w.shows(api, "a", 15, -90_00, "X", "RENT INV-1") }, "matched 0; missing_in_statement 1/1; 1 others"},
		{"a return by a short reference", func(w *world) {
			w.shows(api, "a", 10, -100_00, utr(1), "NEFT")
			w.shows(api, "a", 12, 100_00, "X", "RETURN INV-1")
		}, "matched 0; returned_in_statement 1/1"},
		{"by amount and day", func(w *world) { w.shows(api, "a", 11, -100_00, "X", "NEFT") }, "matched 1"},
		{"not by amount two days later", func(w *world) { w.shows(api, "a", 12, -100_00, "X", "NEFT") }, "matched 0; missing_in_statement 1/1; unknown_debit of 100.00"},
		{"UTR inside a longer number", func(w *world) { w.shows(api, "a", 15, -90_00, "9"+utr(1)+"7", "NEFT") }, "matched 0; missing_in_statement 1/1; 1 others"},
		{"a cut UTR of the same day", func(w *world) { w.shows(file, "a", 15, -90_00, utr(1)[:14], "NEFT") }, "matched 0; missing_in_statement 1/1; 1 others"},
		{"a longer reference is another one", func(w *world) { w.shows(api, "a", 15, -90_00, "X", "NEFT INV-1-R2 RAO") }, "matched 0; missing_in_statement 1/1; 1 others"},
		{"debited twice a minute apart", func(w *world) {
			w.shows(api, "a", 10, -100_00, utr(1), "NEFT")
			w.shows(api, "a", 10, -100_00, utr(1), "NEFT")
		}, "matched 0; double_debit 1/1"},
		{"two equal debits without a name: no guess", func(w *world) {
			w.shows(api, "a", 10, -100_00, "X", "")
			w.shows(api, "a", 10, -100_00, "X", "")
		}, "matched 0; missing_in_statement 1/1; unknown_debit of 100.00; unknown_debit of 100.00"},
		{"another amount", func(w *world) { w.shows(api, "a", 10, -90_00, utr(1), "NEFT") }, "matched 0; amount_differs 1/1"},
		{"came back", func(w *world) {
			w.shows(api, "a", 10, -100_00, utr(1), "NEFT")
			w.shows(api, "a", 12, 100_00, utr(1), "NEFT RETURN")
		}, "matched 0; returned_in_statement 1/1"},
		{"on the statement of another account", func(w *world) { w.covers(api, "b"); w.shows(api, "b", 10, -100_00, utr(1), "INV-1") }, "matched 0; missing_in_statement 1/1; 1 others"},
		{"from a file and from the interface", func(w *world) {
			w.covers(file, "a")
			w.shows(api, "a", 10, -100_00, utr(1), "NEFT")
			w.shows(file, "a", 10, -100_00, utr(1)[:14], "NEFT/"+utr(1))
		}, "matched 1"},
		{"from a file what the interface lacks", func(w *world) {
			w.covers(file, "a")
			w.shows(api, "a", 9, 1_00, "IN", "")
			w.shows(file, "a", 9, 1_00, "IN", "")
			w.shows(file, "a", 10, -100_00, utr(1), "")
			w.balance["interfacea"] -= 100_00
			w.shows(api, "a", 12, 2_00, "IN", "")
			w.shows(file, "a", 12, 2_00, "IN", "")
		}, "matched 1; 2 others"},
		{"what both sources lack counts once", func(w *world) {
			w.covers(file, "a")
			for _, s := range []ledger.StatementSource{api, file} {
				w.shows(s, "a", 10, -100_00, utr(1), "")
				w.balance[string(s)+"a"] -= 9_00
				w.shows(s, "a", 11, 2_00, "IN", "")
			}
		}, "matched 1; 1 others; unexplained 9.00"},
		{"a file that begins elsewhere than the interface ended", func(w *world) {
			w.covers(file, "a")
			w.shows(api, "a", 10, -100_00, utr(1), "")
			w.balance["filea"] = -107_00
			w.shows(file, "a", 15, 2_00, "IN", "")
		}, "matched 1; 1 others; unexplained 7.00"},
		{"others, once where both sources show them", func(w *world) {
			w.covers(file, "a")
			w.shows(api, "a", 10, -100_00, utr(1), "NEFT")
			w.shows(file, "a", 10, -100_00, utr(1), "NEFT")
			for _, day := range []int{12, 14} {
				w.shows(api, "a", day, -7_00, "OWN", "RENT")
				w.shows(file, "a", day+1, -7_00, "own ", "RENT OF MARCH")
			}
			w.shows(file, "a", 16, -7_00, "OWN", "RENT")
		}, "matched 1; 3 others"},
		{"a break in the balances", func(w *world) {
			w.shows(api, "a", 10, -100_00, utr(1), "NEFT")
			w.balance["interfacea"] -= 33_00
			w.shows(api, "a", 12, 5_00, "IN", "")
		}, "matched 1; 1 others; unexplained 33.00"},
		{"a break that what is missing explains", func(w *world) {
			w.shows(api, "a", 9, 500_00, "IN", "")
			w.balance["interfacea"] -= 100_00
			w.shows(api, "a", 12, 5_00, "IN", "")
		}, "matched 0; missing_in_statement 1/1; 2 others"},
		{"a day mixed by two readings", func(w *world) {
			w.shows(api, "a", 10, 500_00, "IN", "")
			w.shows(api, "a", 10, -100_00, utr(1), "NEFT")
			w.shows(api, "a", 10, -1_00, "OUT", "")
			w.shows(api, "a", 10, 1_00, "IN", "")
			w.entries[0], w.entries[3] = w.entries[3], w.entries[0]
			w.entries[1], w.entries[2] = w.entries[2], w.entries[1]
		}, "matched 1; 3 others"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var w world
			w.batch("a", 10, payout(1, ok, 100_00))
			w.covers(api, "a")
			tt.tell(&w)
			if tt.name != "by UTR" { // so that the newest entry is not older than the payout
				w.shows(api, "a", 16, 1, "INTEREST", "")
				tt.want = withOneMore(tt.want)
			}
			if got := told(w.match(set)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// withOneMore adds the interest to the others of account a, which come first.
func withOneMore(want string) string {
	parts := strings.Split(want, "; ")
	for i, p := range parts {
		var n int
		if _, err := fmt.Sscanf(p, "%d others", &n); err == nil && strings.HasSuffix(p, " others") {
			parts[i] = fmt.Sprintf("%d others", n+1)
			return strings.Join(parts, "; ")
		}
	}
	at := len(parts)
	if strings.HasPrefix(parts[at-1], "unexplained") {
		at--
	}
	return strings.Join(slices.Insert(parts, at, "1 others"), "; ")
}

func TestEveryAttemptCounts(t *testing.T) {
	retried := func(first, second ledger.PayoutState) *world {
		w := &world{}
		w.covers(api, "a")
		w.batch("a", 10, attempt(1, 1, first, 100_00))
		w.batch("a", 14, attempt(1, 2, second, 100_00))
		return w
	}
	w := retried(ledger.PayoutReturned, ok)
	w.shows(api, "a", 10, -100_00, utr(1), "INV-1")
	w.shows(api, "a", 12, 100_00, utr(1), "RETURN INV-1")
	w.shows(api, "a", 14, -100_00, "UTIBN0000000102", "INV-1-R2")
	if got := told(w.match(set)); got != "matched 2" {
		t.Errorf("debit, return and second debit: %s", got)
	}
	w = retried(ledger.PayoutFailed, ok)
	w.shows(api, "a", 10, -100_00, utr(1), "INV-1")
	w.shows(api, "a", 14, -100_00, "UTIBN0000000102", "INV-1-R2")
	if got, want := told(w.match(set)), "matched 1; double_debit 1/2; failed_but_debited 1/1"; got != want {
		t.Errorf("failed and debited, and the retry too: %s", got)
	}
	w = retried(ledger.PayoutCancelled, ok) // refused, and sent again under the same reference
	w.batches[0].SubmittedAt = time.Time{}
	w.attempts[0].BankTxnRefID, w.attempts[1].WireRef, w.attempts[1].BankTxnRefID = "", "INV-1", ""
	w.shows(api, "a", 14, -100_00, "X", "NEFT INV-1")
	if got := told(w.match(set)); got != "matched 1" {
		t.Errorf("a reference that two attempts had: %s", got)
	}
}

func TestABatchIsDebitedAsOne(t *testing.T) {
	three := func() *world {
		w := &world{}
		w.covers(api, "a")
		w.batch("a", 10, payout(1, ok, 100_00), payout(2, ok, 50_00), payout(3, ok, 7_00))
		return w
	}
	w := three()
	w.shows(api, "a", 10, -157_00, "BULK", "SALARY")
	if got := told(w.match(set)); got != "matched 3" {
		t.Error(got)
	}
	w = three()
	w.batch("b", 10, payout(4, ok, 1_00))
	w.attempts[1].ID, w.attempts[3].ID = 4, 2 // the payouts of two batches, one by one
	w.covers(api, "b")
	w.shows(api, "a", 10, -157_00, "BULK", "SALARY")
	w.shows(api, "b", 10, -1_00, "X", "")
	if got := told(w.match(set)); got != "matched 4" {
		t.Error(got)
	}
	w = three()
	w.batch("a", 10, payout(4, ok, 150_00), payout(5, ok, 7_00))
	w.shows(api, "a", 10, -157_00, "BULK", "SALARY")
	w.shows(api, "a", 16, 1, "INTEREST", "")
	if got := w.match(set); got.Matched.Count != 0 || len(got.Exceptions) != 5 {
		t.Errorf("two batches have the total: %s", told(got))
	}
	w = three()
	w.shows(api, "a", 10, -157_00, "BULK", "", ledger.EntryDetail{Amount: 100_00, Reference: utr(1)}, ledger.EntryDetail{Amount: 50_00, Remarks: "INV-2"})
	w.shows(api, "a", 16, 1, "INTEREST", "")
	if got, want := told(w.match(set)), "matched 2; missing_in_statement 3/1; 1 others; unexplained 7.00"; got != want {
		t.Errorf("details that lack one: %s", got)
	}
}

func TestWhatIsNotThereYet(t *testing.T) {
	young := func(w *world) { w.attempts[0].UpdatedAt = now.Add(-time.Hour) }
	tests := []struct {
		name string
		tell func(w *world)
		want string
	}{
		{"no statement at all", func(w *world) {}, "matched 0; statement_not_available of 100.00"},
		{"a promise", func(w *world) {
			w.covers(api, "a")
			w.reads[0].Shape, w.reads[0].RequestIDs = ledger.ShapePending, []string{"rq-8"}
		}, "matched 0; statement_not_available of 100.00"},
		{"no entry at all", func(w *world) { w.covers(api, "a") }, "matched 0; awaiting_statement 1/1"},
		{"the newest entry is older", func(w *world) { w.covers(api, "a"); w.shows(api, "a", 9, -1, "X", "") }, "matched 0; awaiting_statement 1/1; 1 others"},
		{"young", func(w *world) { young(w); w.covers(api, "a"); w.shows(api, "a", 11, -1, "X", "") }, "matched 0; awaiting_statement 1/1; 1 others"},
		{"open, and already debited", func(w *world) {
			w.attempts[0].State = ledger.PayoutPending
			w.covers(api, "a")
			w.shows(api, "a", 10, -100_00, utr(1), "")
		}, "matched 0"},
		{"open, and a debit of its amount without its name", func(w *world) {
			w.attempts[0].State = ledger.PayoutPending
			w.covers(api, "a")
			w.shows(api, "a", 14, -100_00, "X", "")
		}, "matched 0; unknown_debit of 100.00"},
		{"failed, and not debited", func(w *world) { w.attempts[0].State = ledger.PayoutFailed; w.covers(api, "a") }, "matched 0"},
		{"returned, and the return is not there", func(w *world) {
			w.attempts[0].State = ledger.PayoutReturned
			w.covers(api, "a")
			w.shows(api, "a", 10, -100_00, utr(1), "")
		}, "matched 0; missing_in_statement 1/1"},
		{"never sent from here, and debited", func(w *world) {
			w.attempts[0].State, w.batches[0].SubmittedAt = ledger.PayoutPlanned, time.Time{}
			w.covers(api, "a")
			w.shows(api, "a", 10, -100_00, "X", "INV-1")
		}, "matched 0; failed_but_debited 1/1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var w world
			w.batch("a", 10, payout(1, ok, 100_00))
			tt.tell(&w)
			got := w.match(set)
			if told(got) != tt.want {
				t.Errorf("got  %s\nwant %s", told(got), tt.want)
			}
			for _, e := range got.Exceptions {
				if e.Detail == "" || e.Since.IsZero() || e.BankAccountID != "a" {
					t.Errorf("%+v", e)
				}
				if tt.name == "a promise" && !strings.Contains(e.Detail, "rq-8") {
					t.Errorf("the request is not named: %s", e.Detail)
				}
			}
		})
	}
}

// A payout that is submitted just before midnight is debited on the day after, in
// the zone in which days are counted.
func TestDaysAreCountedInTheZone(t *testing.T) {
	var w world
	w.batch("a", 10, payout(1, ok, 100_00))
	w.batches[0].SubmittedAt = time.Date(2031, 3, 10, 23, 59, 59, 0, ist)
	w.covers(api, "a")
	w.shows(api, "a", 11, -100_00, "X", "")
	if got := told(w.match(set)); got != "matched 1" {
		t.Error(got)
	}
	w.batches[0].SubmittedAt = time.Date(2031, 3, 9, 23, 59, 59, 0, ist) // the 9th there, and still the 9th in UTC
	if got := told(w.match(set)); got != "matched 0; awaiting_statement 1/1; unknown_debit of 100.00" && !strings.Contains(got, "missing_in_statement") {
		t.Error(got)
	}
}

func TestPayrunOnly(t *testing.T) {
	var w world
	w.covers(api, "a")
	w.batch("a", 10, payout(1, ok, 100_00))
	w.shows(api, "a", 10, -100_00, utr(1), "")
	w.shows(api, "a", 11, -3_00, "FEES", "")
	w.shows(api, "a", 11, 3_00, "FEES BACK", "")
	only := set
	only.PayrunOnly = true
	if got, want := told(w.match(only)), "matched 1; unknown_debit of 3.00; 1 others"; got != want {
		t.Error(got)
	}
	if got, want := told(w.match(set)), "matched 1; 2 others"; got != want {
		t.Error(got)
	}
}

func TestEachMatchHasItsReason(t *testing.T) {
	var w world
	w.covers(api, "a")
	w.covers(file, "a")
	w.batch("a", 10, payout(1, ok, 100_00), payout(2, ok, 50_00), payout(3, ok, 7_00))
	w.batch("a", 10, payout(4, ok, 11_00))
	w.batch("a", 10, payout(5, ok, 1_00), payout(6, ok, 2_00))
	w.shows(api, "a", 10, -100_00, utr(1), "")
	w.shows(api, "a", 10, -50_00, "X", "INV-2")
	w.shows(api, "a", 10, -11_00, "X", "")
	w.shows(api, "a", 10, -3_00, "X", "")
	w.shows(file, "a", 10, -11_00, "X", "INV-4") // what tells more counts
	got := w.match(set).Accounts[0].By
	want := threeway.Reasons{threeway.ByUTR: 1, threeway.ByReference: 2, threeway.ByBatch: 2}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
