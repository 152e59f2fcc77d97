package sqlite

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
	"payrun/ledger/reconcile"
)

// month is a ledger and the statements of its one account, given day by day.
type month struct {
	*testing.T
	s       *Store
	day     int
	bank    time.Time // by its clock, at a look; zero if it is unknown
	balance ledger.Paise
	truth   []ledger.StatementEntry // as the bank has them, oldest first
}

func newMonth(t *testing.T) *month {
	return &month{T: t, s: newStore(t), day: 1, balance: 10_000_000_00}
}

// now is a moment of the day.
func (m *month) now() time.Time { return t0.AddDate(0, 0, m.day) }

func (m *month) name(day int) string { return ledger.BankDay(t0.AddDate(0, 0, day)) }

// takes takes a step of a batch, unless a statement locks it.
func (m *month) takes(id string, step ledger.Step) bool {
	m.Helper()
	step.BatchID, step.At, step.Actor = id, m.now(), "asha"
	for i := range step.Looks {
		step.Looks[i].BankTime = m.bank
	}
	err := m.s.Apply(m.Context(), step)
	if errors.Is(err, ledger.ErrPayoutLocked) {
		return false // the statement shows its debit already
	}
	must(m, err)
	return true
}

func (m *month) initiate(id string) (held bool) {
	m.Helper()
	return m.takes(id, ledger.Step{From: ledger.BatchPlanned, Event: ledger.InitiateIntended, PayloadSHA256: hash("initiate " + id), Looks: looked(id)}) &&
		m.takes(id, ledger.Step{From: ledger.BatchInitiating, Event: ledger.InitiateAccepted, Outcome: ledger.Accepted, HTTPStatus: 200, OpenBatchID: "ob-" + id, Observed: m.all(id, ledger.StatusRequestInitiated, "")})
}

// send takes a batch as far as the bank's answer to its submit.
func (m *month) send(id string) {
	m.Helper()
	if m.initiate(id) && m.takes(id, ledger.Step{From: ledger.BatchHeld, Event: ledger.SubmitIntended, PayloadSHA256: hash("submit " + id), Looks: looked(id)}) {
		apply(m, m.s, ledger.Step{BatchID: id, At: m.now(), From: ledger.BatchSubmitting, Event: ledger.SubmitAccepted, Outcome: ledger.Accepted, HTTPStatus: 200,
			Observed: m.all(id, ledger.StatusPending, "INITIATED")})
	}
}

// all is one answer that says the same of every payout of a batch.
func (m *month) all(id, status, code string) (observed []ledger.Observed) {
	m.Helper()
	for _, a := range attemptsOf(m, m.s, id) {
		observed = append(observed, see(a, status, code))
	}
	return observed
}

// says has the bank say something of one attempt; it may contradict itself.
func (m *month) says(a ledger.Attempt, status, code, utr string) {
	m.Helper()
	b := batchOf(m, m.s, a.BatchID)
	if b.State != ledger.BatchSubmitted {
		return
	}
	o := see(a, status, code)
	o.BankTxnRefID = utr
	o.Verdict = ledger.Judge(a, o.Observation)
	apply(m, m.s, ledger.Step{BatchID: a.BatchID, From: b.State, At: m.now(), Observed: []ledger.Observed{o}})
}

// books adds an entry to what the bank knows.
func (m *month) books(amount ledger.Paise, words string) {
	m.balance += amount
	m.truth = append(m.truth, ledger.StatementEntry{TransactionID: fmt.Sprintf("T%d", len(m.truth)+1), Debit: amount < 0, Amount: max(amount, -amount), Closing: m.balance,
		Transacted: m.name(m.day), Posted: m.name(m.day), Remarks: words})
}

// reading is what a statement of some days says.
func (m *month) reading(source ledger.StatementSource, from, to int) ledger.StatementRead {
	r := ledger.StatementRead{BankAccountID: accountCIB, Source: source, Shape: ledger.ShapeEntries, From: m.name(from), To: m.name(to), At: m.now(), Actor: "asha", Period: true}
	for _, e := range m.truth {
		if r.From <= e.Day() && e.Day() <= r.To {
			r.Entries = append(r.Entries, e)
		}
	}
	if source == ledger.FromFile {
		r.FileName, r.FileSHA256, r.FileFormat = "march.csv", hash(fmt.Sprint(from, to, len(r.Entries))), "csv"
		for i := range r.Entries {
			r.Entries[i].TransactionID = ""
		}
	}
	return r
}

func (m *month) fetch(from, to int) {
	m.Helper()
	if _, err := m.s.RecordStatement(m.Context(), m.reading(ledger.FromInterface, from, to)); err != nil {
		m.Fatal(err)
	}
}

// attempts are all of the ledger.
func (m *month) attempts() (list []ledger.Attempt) {
	m.Helper()
	err := m.s.EachPayout(m.Context(), ledger.Filter{Attempts: true}, func(a ledger.Attempt) error { list = append(list, a); return nil })
	must(m, err)
	return list
}

// evidence is what the statements show of every payout.
func (m *month) evidence(s *Store) map[ledger.AttemptKey]ledger.StatementEvidence {
	m.Helper()
	var ids []int64
	for _, a := range m.attempts() {
		ids = append(ids, a.ID)
	}
	records, err := s.Records(m.Context(), slices.Compact(ids))
	must(m, err)
	found := map[ledger.AttemptKey]ledger.StatementEvidence{}
	for _, list := range records {
		for _, r := range list {
			found[r.Key()] = r.Statement
		}
	}
	return found
}

// kept are all rows, up to date.
func (m *month) kept() reconcile.Matching {
	m.Helper()
	m.evidence(m.s)
	var rows reconcile.Matching
	var err, err2 error
	rows.Matches, err = matchesOf(m.Context(), m.s.db, `1`)
	rows.Open, err2 = openOf(m.Context(), m.s.db, `1`)
	err = errors.Join(err, err2)
	if err == nil {
		rows.Breaks, err = breaksOf(m.Context(), m.s.db, `1`)
	}
	must(m, err)
	rows.Sort()
	return rows
}

// anew is what matching everything at once gives.
func (m *month) anew() reconcile.Matching {
	m.Helper()
	found, err := match(m.Context(), m.s.db, accountCIB, "2000-01-01", forever)
	must(m, err)
	return found.Matching
}

// agrees holds that the rows are those that matching everything at once gives.
func (m *month) agrees() {
	m.Helper()
	if diff := cmp.Diff(m.anew(), m.kept()); diff != "" {
		m.Errorf("rows (-matched at once +kept):\n%s", diff)
	}
	sound(m, m.s)
}

// agreesForReaders holds that a reader that may not write sees the same.
func (m *month) agreesForReaders() {
	m.Helper()
	seen := m.evidence(openToRead(m, m.s.path))
	m.agrees()
	if diff := cmp.Diff(m.evidence(m.s), seen); diff != "" {
		m.Errorf("what a reader sees (-writer +reader):\n%s", diff)
	}
}

// Rows that are brought up to date from where something changed are those that matching
// everything at once gives, over whatever happened in whatever order; a reader that may
// not write sees the same.
func TestRowsAreWhatMatchingEverythingGives(t *testing.T) {
	for _, seed := range []uint64{42, 148, 156, 226, 232, 265, 1110} { // those that once found something
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			m := newMonth(t)
			random := rand.New(rand.NewPCG(seed, 7))
			words := func() string {
				if random.IntN(2) == 0 {
					return "NEFT"
				}
				list := []string{"RENT", "BULK UTR-SHARED"}
				for _, a := range m.attempts() {
					list = append(list, "NEFT "+a.WireRef, "NEFT "+a.WireRef)
					if a.BankTxnRefID != "" {
						list = append(list, a.BankTxnRefID+"/RAO")
					}
				}
				return list[random.IntN(len(list))]
			}
			var planned []string
			recorded := int64(0)
			for n := range 80 {
				switch random.IntN(11) {
				case 0, 10:
					m.day += 1 + random.IntN(3)
				case 1:
					for _, b := range load(t, m.s, fmt.Sprintf("s%d", n), 1+random.IntN(4), 1+random.IntN(3)) {
						planned = append(planned, b.ID)
					}
				case 2:
					if len(planned) > 0 {
						m.send(planned[0])
						planned = planned[1:]
					}
				case 3, 4:
					if list := m.attempts(); len(list) > 0 {
						a := list[random.IntN(len(list))]
						status := []string{ledger.StatusSuccess, ledger.StatusFailed, ledger.StatusPending}[random.IntN(3)]
						code := ""
						if status == ledger.StatusFailed && random.IntN(2) == 0 {
							code = ledger.CodeReturned
						}
						m.says(a, status, code, []string{"UTR-" + a.WireRef, "UTR-SHARED"}[random.IntN(2)])
					}
				case 5, 6, 7:
					amount := -ledger.Paise(100_00 + random.IntN(2))
					switch random.IntN(5) {
					case 0:
						amount = -amount
					case 1:
						amount = amount*2 - ledger.Paise(random.IntN(3))
					}
					m.books(amount, words())
				case 8:
					from := max(1, m.day-random.IntN(5))
					source := ledger.FromInterface
					if random.IntN(3) == 0 {
						source = ledger.FromFile
					}
					r := m.reading(source, from, m.day)
					if len(r.Entries) > 2 && random.IntN(3) == 0 {
						r.Entries = r.Entries[1:] // the bank takes one back, or a file lacks it
					}
					counts, err := m.s.RecordStatement(t.Context(), r)
					must(t, err)
					recorded = counts.Reading
				case 9:
					if recorded > 0 {
						m.twoPeople(random, recorded)
					}
				}
				if random.IntN(4) == 0 {
					m.kept() // the first who reads brings it up to date
				}
			}
			m.agreesForReaders()
		})
	}
}

// twoPeople say something of a statement, where it may be said.
func (m *month) twoPeople(random *rand.Rand, readings int64) {
	reading := 1 + random.Int64N(readings)
	void := random.IntN(2) == 0
	entry := ledger.EntryRef{Reading: reading, Line: 1 + random.IntN(5)}
	ref := ""
	if list := m.attempts(); len(list) > 0 && random.IntN(2) == 0 {
		ref = list[random.IntN(len(list))].Ref
	}
	for _, person := range []string{"asha", "ravi"} {
		var err error
		if void {
			_, err = m.s.DecideStatement(m.Context(), ledger.StatementDecision{Reading: reading, Reason: "wrong", Actor: person, At: m.now()})
		} else {
			_, err = m.s.DecideStatement(m.Context(), ledger.StatementDecision{Entries: []ledger.EntryRef{entry}, Ref: ref, Reason: "known", Actor: person, At: m.now()})
		}
		if _, refused := errors.AsType[*ledger.PeopleError](err); err != nil && !refused {
			m.Fatal(err)
		}
	}
}

// Ten thousand statuses mark an account and match nothing; the next reader matches once.
func TestAStatusMarksAndTheNextReaderMatches(t *testing.T) {
	m := newMonth(t)
	id := load(t, m.s, "nov", 1, 1)[0].ID
	m.send(id)
	a := attemptsOf(m, m.s, id)[0]
	m.books(-a.Amount, "NEFT X")
	m.day += 2
	m.fetch(1, m.day)
	before := m.evidence(m.s)[a.Key()]
	if len(before.Matches) != 1 || before.Matches[0].By != ledger.MatchedByAmount {
		t.Fatalf("%+v", before)
	}
	m.fails(0)
	if got := columnOf(t, m.s.db, `SELECT count(*) FROM statement_matches`); got[0] != "1" {
		t.Error("a status matched by itself")
	}
	after := m.evidence(m.s)[a.Key()]
	if len(after.Matches) != 0 || len(after.Possible) != 1 || after.Possible[0].Why != ledger.PossibleAmount {
		t.Errorf("a failed payout's nameless debit is %+v", after)
	}
	if got := columnOf(t, m.s.db, `SELECT (SELECT count(*) FROM statement_matches) + (SELECT count(*) FROM statement_stale)`); got[0] != "0" {
		t.Error("the rows are not up to date")
	}
	sound(t, m.s)
}

// What a change of one day does to another is brought up to date too.
func TestWhatSpreadsToOtherDays(t *testing.T) {
	for name, tell := range map[string]func(m *month){
		"a name that comes late takes its payout out of what amounts tell": func(m *month) {
			m.send(load(m, m.s, "NOV", 1, 1)[0].ID)
			m.books(-100_00, "NEFT")
			m.day += 2
			m.fetch(1, m.day)
			m.day = 30
			m.books(-100_00, "NEFT NOV-1")
			m.fetch(29, m.day)
		},
		"a line that is dated again leaves the day that it had": func(m *month) {
			m.books(-100_00, "RENT")
			m.day += 2
			m.fetch(1, m.day)
			m.day = 30
			m.truth[0].Transacted, m.truth[0].Posted = m.name(29), m.name(29)
			m.fetch(28, m.day)
		},
		"one id for two debits, months apart": func(m *month) {
			for _, day := range []int{1, 35, 70} {
				m.day = day
				m.books(-100_00, "RENT")
				m.truth[len(m.truth)-1].TransactionID = "T1"
				if day == 35 {
					m.truth[len(m.truth)-1].Remarks = "WATER"
				}
				m.fetch(day, day)
			}
			if rows := m.kept(); len(rows.Open) != 3 {
				m.Fatalf("%+v", rows)
			}
		},
		"a line next to a day makes the one on it one of two, and those before it no longer explained": func(m *month) {
			payouts := samplePayouts("NOV", 3)
			for i := range payouts {
				payouts[i].Amount = 100_00
			}
			batches, err := tryLoad(m.s, "nov", payouts, planOf(payouts, 1))
			must(m, err)
			m.day = 2
			m.send(batches[0].ID)
			m.send(batches[1].ID)
			m.books(-100_00, "NEFT")
			list := m.attempts()
			m.says(list[0], ledger.StatusSuccess, "COMPLETED", "")
			m.fails(1)
			m.day = 4
			m.books(-100_00, "NEFT")
			m.day = 5
			m.send(batches[2].ID)
			m.fetch(1, m.day)
			if rows := m.kept(); len(rows.Matches) != 1 || rows.Open[0].Why != reconcile.Equals {
				m.Fatalf("%+v", rows)
			}
			m.day = 6
			m.books(-100_00, "NEFT")
			m.day = 7
			m.fetch(6, 7)
			if rows := m.kept(); len(rows.Matches) != 0 || rows.Open[0].Why != reconcile.Nobodys {
				m.Fatalf("%+v", rows)
			}
		},
		"a payout that was debited twice, and came back without a name weeks later": func(m *month) {
			m.send(load(m, m.s, "NOV", 1, 1)[0].ID)
			m.says(m.attempts()[0], ledger.StatusSuccess, "COMPLETED", "")
			m.books(-100_00, "NEFT NOV-1")
			m.books(-100_00, "NEFT NOV-1")
			m.day = 45
			m.books(100_00, "REVERSAL")
			m.fetch(1, 45)
			m.says(m.attempts()[0], ledger.StatusFailed, ledger.CodeReturned, "")
		},
		"the same, while the statements come in": func(m *month) {
			m.send(load(m, m.s, "NOV", 1, 1)[0].ID)
			m.says(m.attempts()[0], ledger.StatusSuccess, "COMPLETED", "")
			m.books(-100_00, "NEFT NOV-1")
			m.books(-100_00, "NEFT NOV-1")
			m.day = 3
			m.fetch(1, 3)
			m.day = 45
			m.says(m.attempts()[0], ledger.StatusFailed, ledger.CodeReturned, "")
			m.kept()
			m.books(100_00, "REVERSAL")
			m.fetch(44, 45)
		},
		"an id that the bank uses again, after two people explained its line": func(m *month) {
			m.explainsRent()
			m.books(-100_00, "NEFT OUT")
			m.truth[2].TransactionID = "S100"
			m.fetch(59, 60)
		},
		"a payout that failed and was debited by name, most of which came back weeks later": func(m *month) {
			m.send(load(m, m.s, "NOVEMBER", 1, 1)[0].ID)
			m.fails(0)
			m.books(-100_00, "NEFT NOVEMBER-1")
			m.day = 3
			m.fetch(1, m.day)
			m.day = 45
			m.books(98_00, "RETURN NOVEMBER-1")
			m.fetch(44, m.day)
		},
		"a bulk debit whose payout came back later": func(m *month) {
			id := load(m, m.s, "NOV", 2, 2)[0].ID
			m.send(id)
			list := m.attempts()
			m.books(-200_01, "BULK")
			m.day += 2
			m.says(list[0], ledger.StatusSuccess, "COMPLETED", "")
			m.fails(1)
			m.fetch(1, m.day)
			m.day = 30
			m.books(100_01, "RETURN NOV-2")
			m.fetch(29, m.day)
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMonth(t)
			tell(m)
			m.agrees()
		})
	}
}

// Where the bank gives its own statement a file gives no paid payout its debit: else it
// would end the lock of another one of its batch, which has a debit that nothing explains.
func TestAFileGivesNobodyADebitWhereTheBankGivesAStatement(t *testing.T) {
	for _, bank := range []bool{false, true} {
		m := newMonth(t)
		m.send(load(m, m.s, "NOV", 2, 2)[0].ID)
		m.says(m.attempts()[0], ledger.StatusSuccess, "COMPLETED", "")
		m.fails(1)
		m.books(-150_00, "BULK")
		if bank {
			m.fetch(1, m.day)
		}
		m.books(-100_00, "NEFT NOV-1")
		if _, err := m.s.RecordStatement(t.Context(), m.reading(ledger.FromFile, m.day, m.day)); err != nil {
			t.Fatal(err)
		}
		if got := m.evidence(m.s)[m.attempts()[1].Key()].Possible; (len(got) == 1) != bank {
			t.Errorf("the bank gives a statement %t: %+v", bank, got)
		}
		sound(t, m.s)
	}
}

// A sheet that is loaded after the statement that shows its debits knows them: another
// copy of the ledger may have paid it.
func TestASheetFindsTheDebitsOfAnotherCopy(t *testing.T) {
	m := newMonth(t)
	m.books(-100_00, "NEFT NOV-1")
	m.day += 2
	m.fetch(1, m.day)
	id := load(t, m.s, "NOV", 1, 1)[0].ID
	a := attemptsOf(m, m.s, id)[0]
	if got := m.evidence(m.s)[a.Key()]; len(got.Matches) != 1 || got.Matches[0].By != ledger.MatchedByReference {
		t.Errorf("%+v", got)
	}
	sound(t, m.s)
}

func TestWhatAnAccountShowsBesidePayouts(t *testing.T) {
	m := newMonth(t)
	m.books(-50, "RENT")
	m.books(70, "SALES")
	m.day += 2
	m.fetch(1, m.day)
	e, err := m.s.AccountEvidence(t.Context(), accountCIB, m.name(1), m.name(5))
	must(t, err)
	if len(e.Unexplained) != 2 || !slices.Equal(e.Missing, []string{m.name(4), m.name(5)}) {
		t.Errorf("%+v", e)
	}
	must(t, m.saysTwo(e.Unexplained[0].Ref, ""))
	if e, err = m.s.AccountEvidence(t.Context(), accountCIB, m.name(1), m.name(2)); err != nil || len(e.Unexplained) != 1 {
		t.Errorf("%+v, %v", e, err)
	}
	sound(t, m.s)
}

func TestWhatMayNotBeSaidOfAStatement(t *testing.T) {
	m := newMonth(t)
	id := load(t, m.s, "NOV", 2, 1)[0].ID
	m.send(id)
	m.books(-100_00, "NEFT NOV-1 RAO 123456")
	m.books(-77, "RENT")
	m.day += 2
	m.fetch(1, m.day) // R1
	record := func(r ledger.StatementRead) {
		t.Helper()
		if _, err := m.s.RecordStatement(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	record(m.reading(ledger.FromFile, 1, m.day)) // R2
	other := m.reading(ledger.FromFile, m.day+1, m.day+3)
	other.Entries = []ledger.StatementEntry{{Debit: true, Amount: 5, Closing: 7, Transacted: m.name(m.day + 2), Remarks: "X"}}
	record(other) // R3
	other.BankAccountID, other.FileSHA256 = accountOne, hash("another account")
	record(other) // R4
	void := func(no int64, person string, at time.Time) error {
		_, err := m.s.DecideStatement(t.Context(), ledger.StatementDecision{Reading: no, Reason: "wrong", Actor: person, At: at})
		return err
	}
	explain := func(ref, person string, entries ...ledger.EntryRef) error {
		_, err := m.s.DecideStatement(t.Context(), ledger.StatementDecision{Entries: entries, Ref: ref, Reason: "known", Actor: person, At: m.now()})
		return err
	}
	line := func(reading int64, line int) ledger.EntryRef { return ledger.EntryRef{Reading: reading, Line: line} }
	head := auditHeadOf(t, m.s)
	for what, c := range map[string]struct {
		err  error
		want string
	}{
		"the bank's own":                    {void(1, "asha", m.now()), "never void"},
		"one that is not there":             {void(9, "asha", m.now()), "there is no reading R9"},
		"one with a debit of ours":          {void(2, "asha", m.now()), "carries one of our references"},
		"a line that is not there":          {explain("", "asha", line(1, 9)), "no line R1.9"},
		"a line that does not count":        {explain("", "asha", line(2, 2)), "does not count"},
		"a debit of ours":                   {explain("", "asha", line(1, 1)), "carries one of our references"},
		"lines of nothing":                  {explain("", "asha"), "no line"},
		"a payout that is not there":        {explain("NOV-9", "asha", line(1, 2)), "NOV-9"},
		"a payout of another account":       {explain("NOV-1", "asha", line(4, 1)), "from the debit account of R4.1"},
		"a payment of a line that has none": {explain("", "asha", ledger.EntryRef{Reading: 1, Line: 2, Part: 1}), "no line R1.2.1"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v", what, c.err)
		}
	}
	if auditHeadOf(t, m.s) != head {
		t.Fatal("something of it was recorded")
	}
	must(t, void(3, "asha", m.now()))
	if alone, ok := errors.AsType[*ledger.PeopleError](void(3, "asha", m.now())); !ok || !alone.NeedsPerson {
		t.Errorf("one person twice: %v", alone)
	}
	if err := void(3, "ravi", m.now().Add(73*time.Hour)); err != nil { // too late: a first word of its own
		t.Fatal(err)
	}
	if list, err := m.s.Statements(t.Context(), ""); err != nil || !list[2].Void.IsZero() {
		t.Errorf("%v: void on one word", err)
	}
	must(t, void(3, "asha", m.now().Add(74*time.Hour)))
	list, err := m.s.Statements(t.Context(), "")
	if err != nil || list[2].Void.IsZero() {
		t.Errorf("%v: not void", err)
	}
	if err := void(3, "ravi", m.now().Add(75*time.Hour)); err == nil || !strings.Contains(err.Error(), "void already") {
		t.Errorf("void again: %v", err)
	}
	words, err := statementWords(t.Context(), m.s.db, `true`)
	if err != nil || len(words) != 3 || words[2].First != 2 {
		t.Errorf("%+v, %v", words, err)
	}
	sound(t, m.s)
}

// The days that a nightly reading shows again are held once.
func TestADayThatIsShownAgainIsHeldOnce(t *testing.T) {
	m := newMonth(t)
	for night := range 5 {
		m.books(-1, fmt.Sprint("RENT ", night))
		m.day++
		m.fetch(max(1, m.day-3), m.day)
	}
	if got := columnOf(t, m.s.db, `SELECT count(*) FROM statement_lines`); got[0] != "5" {
		t.Errorf("%s lines", got)
	}
	list, err := m.s.Statements(t.Context(), "")
	if err != nil || list[4].Lines != 3 || len(list[4].Same) != 2 {
		t.Errorf("%+v, %v", list, err)
	}
	sound(t, m.s)
}

// A clock that is days ahead or behind at a submit does not hide its debit: the day counts
// by the bank's clock as well, whether the statement is read before or after.
func TestTheDayOfASubmitCountsByTheBanksClockToo(t *testing.T) {
	day := ledger.BankDay(at(3))
	for _, off := range []int{-9, 0, 9} { // days
		for _, readFirst := range []bool{true, false} {
			s := newStore(t)
			b := load(t, s, "nov", 1, 1)[0]
			hold(t, s, b.ID)
			read := func() {
				r := ledger.StatementRead{BankAccountID: b.BankAccountID, Source: ledger.FromInterface, Shape: ledger.ShapeEntries, From: day, To: day, At: at(9), Actor: "asha",
					Entries: []ledger.StatementEntry{{TransactionID: "T1", Debit: true, Amount: b.Total, Closing: 1, Transacted: day, Posted: day, Remarks: "NEFT"}}}
				if _, err := s.RecordStatement(t.Context(), r); err != nil {
					t.Fatal(err)
				}
			}
			if readFirst {
				read()
			}
			looks := looked(b.ID)
			looks[0].BankTime = at(3)
			apply(t, s, ledger.Step{Actor: "asha", BatchID: b.ID, From: ledger.BatchHeld, Event: ledger.SubmitIntended, At: at(3).AddDate(0, 0, off), PayloadSHA256: hash("s"), Looks: looks})
			if !readFirst {
				read()
			}
			list, err := matchable(t.Context(), s.db, "", []int64{1})
			if err != nil || len(list) != 1 {
				t.Fatal(list, err)
			}
			ours := ledger.BankDay(at(3).AddDate(0, 0, off))
			if got := list[0]; got.First != min(day, ours) || got.Last != max(day, ours) {
				t.Errorf("%d days off: from %s to %s, and the bank says %s", off, got.First, got.Last, day)
			}
			records, err := s.Records(t.Context(), []int64{1})
			if e := records[1][0].Statement; err != nil || len(e.Matches)+len(e.Possible) != 1 {
				t.Errorf("%d days off, read first %t: %+v, %v", off, readFirst, e, err)
			}
			sound(t, s)
		}
	}
}
