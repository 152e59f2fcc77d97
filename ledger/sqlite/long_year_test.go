package sqlite

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

// Long gaps, lines dated anew, ids used again, further attempts, details, partial files.
func TestRowsOfALongYearAreWhatMatchingEverythingGives(t *testing.T) {
	ofTheProof(t)
	for seed := range uint64(30) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			m := newMonth(t)
			random := rand.New(rand.NewPCG(seed, 99))
			words := func() string {
				if random.IntN(3) == 0 {
					return "NEFT"
				}
				list := []string{"RENT", "BULK UTR-SHARED"}
				as := m.attempts()
				for _, a := range as {
					list = append(list, "NEFT "+a.WireRef, "NEFT "+a.WireRef, "NEFT "+a.Ref)
					if a.BankTxnRefID != "" {
						list = append(list, a.BankTxnRefID+"/RAO")
					}
				}
				if len(as) > 1 {
					list = append(list, "NEFT "+as[0].WireRef+" "+as[len(as)-1].WireRef)
				}
				return list[random.IntN(len(list))]
			}
			var planned []string
			recorded := int64(0)
			for n := range 60 {
				switch random.IntN(15) {
				case 0:
					m.day += 1 + random.IntN(3)
				case 1:
					k := 1 + random.IntN(3)
					name := []string{fmt.Sprintf("s%d", n), fmt.Sprintf("SHEETNAME%d", n)}[random.IntN(2)]
					payouts := samplePayouts(name, k)
					for i := range payouts {
						payouts[i].Amount = 100_00 + ledger.Paise(random.IntN(2))
					}
					bs, err := tryLoad(m.s, fmt.Sprintf("s%d", n), payouts, planOf(payouts, 1+random.IntN(3)))
					must(t, err)
					for _, b := range bs {
						planned = append(planned, b.ID)
					}
				case 2, 3:
					if len(planned) > 0 {
						if as := attemptsOf(t, m.s, planned[0]); as[0].Number == 1 || resend(m, planned[0]) {
							if as[0].Number == 1 {
								m.send(planned[0])
							}
						}
						planned = planned[1:]
					}
				case 4, 5:
					if list := m.attempts(); len(list) > 0 {
						a := list[random.IntN(len(list))]
						status := []string{ledger.StatusSuccess, ledger.StatusFailed, ledger.StatusFailed, ledger.StatusPending}[random.IntN(4)]
						code := ""
						if status == ledger.StatusFailed && random.IntN(3) == 0 || status == ledger.StatusSuccess && random.IntN(4) == 0 {
							code = ledger.CodeReturned
						}
						utr := []string{"UTR-" + a.WireRef, "UTR-SHARED", "UTR-SHARED2"}[random.IntN(3)]
						m.says(a, status, code, utr)
						if status == ledger.StatusFailed {
							for _, b := range m.attempts() {
								if b.Key() == a.Key() {
									m.says(b, status, code, utr)
								}
							}
						}
					}
				case 6, 7, 8:
					amount := -ledger.Paise(100_00 + random.IntN(2))
					switch random.IntN(6) {
					case 0, 1:
						amount = -amount
					case 2:
						amount = amount*2 - ledger.Paise(random.IntN(3))
					case 3:
						amount = amount / 2
					}
					m.books(amount, words())
					if random.IntN(5) == 0 {
						e := &m.truth[len(m.truth)-1]
						h := e.Amount / 2
						e.Details = []ledger.EntryDetail{{Amount: h, Remarks: words()}, {Amount: e.Amount - h, Remarks: words()}}
					}
				case 9, 10:
					from := max(1, m.day-random.IntN(6))
					source := ledger.FromInterface
					if random.IntN(3) == 0 {
						source = ledger.FromFile
					}
					r := m.reading(source, from, m.day)
					if source == ledger.FromFile {
						r.Period = random.IntN(2) == 0
					}
					if len(r.Entries) > 2 && random.IntN(3) == 0 {
						i := random.IntN(len(r.Entries))
						r.Entries = slices.Delete(slices.Clone(r.Entries), i, i+1)
					}
					counts, err := m.s.RecordStatement(t.Context(), r)
					var j *ledger.JoinError
					if errors.As(err, &j) {
						break
					}
					must(t, err)
					recorded = counts.Reading
				case 11:
					if recorded > 0 {
						m.twoPeople(random, recorded)
					}
				case 12: // dated anew
					if len(m.truth) > 0 {
						e := &m.truth[random.IntN(len(m.truth))]
						d := m.name(max(1, m.day-random.IntN(6)))
						e.Transacted, e.Posted = d, d
						slices.SortStableFunc(m.truth, func(a, b ledger.StatementEntry) int { return cmp.Compare(a.Day(), b.Day()) })
					}
				case 13: // an id used again, or an id or words that change
					if len(m.truth) > 1 {
						switch random.IntN(3) {
						case 0:
							m.truth[len(m.truth)-1].TransactionID = m.truth[random.IntN(len(m.truth))].TransactionID
						case 1:
							m.truth[random.IntN(len(m.truth))].TransactionID = ""
						case 2:
							m.truth[random.IntN(len(m.truth))].Remarks = words()
						}
					}
				case 14:
					switch random.IntN(3) {
					case 0:
						m.day += 8 + random.IntN(30)
					default: // a retry
						for _, a := range m.attempts() {
							if !a.State.Retryable() {
								continue
							}
							bs, err := m.s.PlanRetry(t.Context(), "asha", m.now(), []ledger.Attempt{a}, planOf(paymentsOf([]ledger.Attempt{a}), 1))
							if err == nil {
								for _, b := range bs {
									planned = append(planned, b.ID)
								}
								break
							}
						}
					}
				}
				if random.IntN(3) == 0 {
					m.kept()
				}
			}
			view := openToRead(t, m.s.path)
			seen := m.evidence(view)
			if diff := gocmp.Diff(m.anew(), m.kept()); diff != "" {
				t.Errorf("rows (-matched at once +kept):\n%s", diff)
			}
			if diff := gocmp.Diff(m.evidence(m.s), seen); diff != "" {
				t.Errorf("what a reader sees (-writer +reader):\n%s", diff)
			}
			sound(t, m.s)
		})
	}
}

// resend sends a further attempt, with the looks at the earlier ones.
func resend(m *month, id string) bool {
	looks := func() []ledger.StatusCheck {
		list := looked(id)
		for _, a := range m.attempts() {
			o := ledger.Observation{WireRef: a.WireRef, Status: a.Status, BankStatusCode: a.BankStatusCode, Amount: a.Amount, HasAmount: true, OpenTxnID: a.OpenTxnID}
			i := slices.IndexFunc(list, func(l ledger.StatusCheck) bool { return l.BatchID == a.BatchID })
			if a.BatchID == id {
				continue
			}
			if i < 0 {
				list = append(list, ledger.StatusCheck{BatchID: a.BatchID, At: m.now(), Answer: ledger.LookShown, Closed: true, Complete: true})
				i = len(list) - 1
			}
			list[i].Payouts = append(list[i].Payouts, o)
		}
		return list
	}
	for _, step := range []ledger.Step{
		{From: ledger.BatchPlanned, Event: ledger.InitiateIntended, PayloadSHA256: hash("initiate " + id), Looks: looks()},
		{From: ledger.BatchInitiating, Event: ledger.InitiateAccepted, Outcome: ledger.Accepted, HTTPStatus: 200, OpenBatchID: "ob-" + id, Observed: m.all(id, ledger.StatusRequestInitiated, "")},
		{From: ledger.BatchHeld, Event: ledger.SubmitIntended, PayloadSHA256: hash("submit " + id), Looks: looks(), Statements: map[string]ledger.StatementFetch{accountCIB: ledger.StatementFromBank}},
		{From: ledger.BatchSubmitting, Event: ledger.SubmitAccepted, Outcome: ledger.Accepted, HTTPStatus: 200},
	} {
		step.BatchID, step.At, step.Actor = id, m.now(), "asha"
		if step.Event == ledger.SubmitAccepted {
			step.Observed = m.all(id, ledger.StatusPending, "INITIATED")
		}
		err := m.s.Apply(m.Context(), step)
		for asked, ok := errors.AsType[*ledger.LookError](err); ok && asked.Unanswered && strings.Contains(asked.Why, "copy"); asked, ok = errors.AsType[*ledger.LookError](err) {
			step.Looks = append(step.Looks, looked(asked.BatchID)...) // what a copy would have sent is not known there
			err = m.s.Apply(m.Context(), step)
		}
		if err != nil {
			return false
		}
	}
	return true
}

func (m *month) saysTwo(entry ledger.EntryRef, ref string) error {
	for _, person := range []string{"asha", "ravi"} {
		if _, err := m.s.ExplainEntries(m.Context(), ledger.ExplainRequest{Entries: []ledger.EntryRef{entry}, Ref: ref, Reason: "r", Actor: person, At: m.now()}); err != nil {
			return err
		}
	}
	return nil
}

// Each went out and did not come back.
func TestNoRetryOfWhatWentOut(t *testing.T) {
	for name, play := range map[string]func(m *month){
		"the customer paid in the morning of the day of the refund": func(m *month) {
			m.day = 3
			m.books(100_00, "NEFT CR ORDER-1 RAO")
			m.send(load(m, m.s, "ORDER", 1, 1)[0].ID)
			m.books(-100_00, "NEFT ORDER-1")
			m.fails(0)
			m.day = 5
			m.fetch(1, m.day)
		},
		"the customer paid the day before, debited in the batch's total": func(m *month) {
			m.day = 2
			m.books(100_00, "NEFT CR ORDER-1 RAO")
			m.day = 3
			m.send(load(m, m.s, "ORDER", 2, 2)[0].ID)
			m.books(-200_01, "BULK")
			m.says(m.attempts()[1], ledger.StatusSuccess, "COMPLETED", "")
			m.fails(0)
			m.day = 5
			m.fetch(1, m.day)
		},
		"two people say that it is its debit, less a fee; the bank dates it anew": func(m *month) {
			m.day = 3
			m.send(load(m, m.s, "NOV", 1, 1)[0].ID)
			m.books(-99_00, "NEFT OUT")
			m.fails(0)
			m.day = 5
			m.fetch(1, m.day)
			must(m, m.saysTwo(ledger.EntryRef{Reading: 1, Line: 1}, "NOV-1"))
			if locks, err := m.locks(0); err == nil {
				m.Fatalf("not locked before: %+v", locks)
			}
			m.truth[0].Posted, m.truth[0].Transacted = m.name(4), m.name(4)
			m.day = 6
			m.fetch(1, m.day)
		},
		"a return under the UTR of all, before its status says so": func(m *month) {
			m.day = 3
			ps := samplePayouts("NOV", 2)
			ps[0].Amount, ps[1].Amount = 100_00, 100_00
			bs, err := tryLoad(m.s, "nov", ps, planOf(ps, 2))
			must(m, err)
			m.send(bs[0].ID)
			m.says(m.attempts()[1], ledger.StatusSuccess, "COMPLETED", "UTR-SHARED")
			for range 2 {
				m.says(m.attempts()[0], ledger.StatusFailed, "", "UTR-SHARED")
			}
			m.books(-200_00, "BULK UTR-SHARED")
			m.day = 5
			m.books(100_00, "RETURN UTR-SHARED")
			m.fetch(1, m.day)
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMonth(t)
			play(m)
			if locks, err := m.locks(0); err == nil {
				t.Errorf("a retry may be planned: %+v; %+v", locks, m.kept())
			}
			sound(t, m.s)
		})
	}
}

// release is what two people come to who say that an attempt was not paid.
func (m *month) release(a ledger.Attempt, whole bool) (err error) {
	for i, person := range []string{"asha", "ravi"} {
		account, err := m.s.AccountEvidence(m.Context(), accountCIB, m.name(1), m.name(m.day))
		must(m, err)
		when := m.now().Add(time.Duration(i) * 2 * time.Hour)
		step := ledger.Step{BatchID: a.BatchID, Actor: person, From: ledger.BatchSubmitted, At: when, Release: &ledger.ReleaseRequest{As: ledger.ReleaseNotPaid, Of: a.Key(), Reason: "r", Ticket: "mail",
			Check:     ledger.StatusCheck{BatchID: a.BatchID, At: when, BankTime: when, Answer: ledger.LookShown, Closed: true, Complete: true},
			Statement: ledger.StatementFromBank, Account: account, Waits: ledger.Waits{Wait: 48 * time.Hour, Between: time.Hour}}}
		for _, o := range attemptsOf(m, m.s, a.BatchID) {
			step.Release.Check.Payouts = append(step.Release.Check.Payouts, ledger.Observation{WireRef: o.WireRef, Status: o.Status, BankStatusCode: o.BankStatusCode})
		}
		if whole {
			step.Release.Of = ledger.AttemptKey{}
		}
		if err := m.s.Apply(m.Context(), step); err != nil {
			return err
		}
	}
	return nil
}

// Each came back; two people can say so.
func TestEachLockHasItsWayOut(t *testing.T) {
	for name, play := range map[string]func(m *month){
		"the bank books the return before the debit": func(m *month) {
			m.send(load(m, m.s, "NOVEMBER", 1, 1)[0].ID)
			m.fails(0)
			m.day = 2
			m.books(100_00, "REVERSAL NOVEMBER-1")
			m.day = 4
			m.books(-100_00, "NEFT NOVEMBER-1")
			m.day = 9
			m.fetch(1, 9)
		},
		"its debit came back in two parts": func(m *month) {
			m.send(load(m, m.s, "NOVEMBER", 1, 1)[0].ID)
			m.fails(0)
			m.books(-100_00, "NEFT NOVEMBER-1")
			m.day = 2
			m.books(60_00, "REVERSAL")
			m.books(40_00, "REVERSAL")
			m.day = 9
			m.fetch(1, 9)
		},
		"its debit and fee came back as one": func(m *month) {
			m.send(load(m, m.s, "NOVEMBER", 1, 1)[0].ID)
			m.fails(0)
			m.books(-100_00, "NEFT NOVEMBER-1")
			m.books(-60_00, "CHG NOVEMBER-1")
			m.day = 2
			m.books(160_00, "REVERSAL NOVEMBER-1")
			m.day = 9
			m.fetch(1, 9)
		},
		"its two parts came back as one": func(m *month) {
			m.send(load(m, m.s, "NOVEMBER", 1, 1)[0].ID)
			m.fails(0)
			m.books(-60_00, "NEFT NOVEMBER-1")
			m.books(-40_00, "NEFT NOVEMBER-1")
			m.day = 2
			m.books(100_00, "REVERSAL NOVEMBER-1")
			m.day = 9
			m.fetch(1, 9)
		},
		"debit with fee, back by name": func(m *month) {
			m.send(load(m, m.s, "NOVEMBER", 1, 1)[0].ID)
			m.fails(0)
			m.books(-102_36, "NEFT NOVEMBER-1")
			m.day = 2
			m.books(102_36, "REVERSAL NOVEMBER-1")
			m.day = 9
			m.fetch(1, 9)
		},
		"a bulk came back as one": func(m *month) {
			m.send(load(m, m.s, "NOVEMBER", 2, 2)[0].ID)
			m.fails(0)
			m.fails(1)
			m.books(-200_01, "BULK NOVEMBER-1 NOVEMBER-2")
			m.day = 2
			m.books(200_01, "REVERSAL BULK NOVEMBER-1 NOVEMBER-2")
			m.day = 9
			m.fetch(1, 9)
		},
		"a bulk under one UTR came back each": func(m *month) {
			m.send(load(m, m.s, "NOVEMBER", 2, 2)[0].ID)
			m.fails(0)
			m.fails(1)
			m.books(-200_01, "BULK NOVEMBER-1 NOVEMBER-2")
			m.day = 2
			m.books(100_00, "REVERSAL NOVEMBER-1")
			m.books(100_01, "REVERSAL NOVEMBER-2")
			m.day = 9
			m.fetch(1, 9)
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMonth(t)
			play(m)
			a := m.attempts()[0]
			if locks, err := m.locks(0); err == nil {
				t.Logf("not locked at all: %+v", locks)
				return
			}
			err := m.release(a, false)
			if err == nil {
				if _, err := m.locks(0); err != nil {
					t.Errorf("released, and still %v", err)
				}
				return
			}
			t.Logf("not released: %v", err)
			if err := m.release(a, true); err == nil {
				return // the batch as a whole
			}
			for line := range m.truth { // what two people may say of each line, then the release again
				for _, ref := range []string{"", "NOVEMBER-1"} {
					if said := m.saysTwo(ledger.EntryRef{Reading: 1, Line: line + 1}, ref); said != nil {
						t.Logf("line %d, %q: %v", line+1, ref, said)
						continue
					}
					if _, err := m.locks(0); err == nil {
						return
					}
					if err = m.release(a, false); err == nil {
						return
					}
				}
			}
			t.Errorf("stuck: %v", err)
		})
	}
}

// A backup of 60 days ago is accepted, and the lost sheets are loaded again. The bank has
// forgotten the batch (a bank may forget what is older than 30 days); its statement has not.
func TestASheetOfALostLedgerIsFoundOnTheStatement(t *testing.T) {
	for _, days := range []int{25, 45} {
		m := newMonth(t)
		m.books(5_00, "INT")
		accepted := 2
		m.day = accepted + 1
		m.books(-100_00, "NEFT NOVEMBER-1") // paid by the ledger that was lost
		m.day = accepted + days
		accept(t, m.s, m.now())
		m.day += 3
		m.fetch(1, m.day)
		payouts := samplePayouts("NOVEMBER", 1)
		l, err := m.s.BeginLoad(t.Context())
		must(t, err)
		must(t, l.Add(keyedOf(payouts)))
		sheet := sheetOf("NOVEMBER", payouts)
		sheet.LoadedAt = m.now()
		bs, err := l.Commit(sheet, planOf(payouts, 1))
		must(t, err)
		id := bs[0].ID
		if resend(m, id) {
			t.Errorf("after %d days it is submitted again; %+v", days, m.kept())
		}
	}
}

// A payout failed, was debited by name, and most of it came back weeks later.
func TestMatchesOfAReturnWeeksLater(t *testing.T) {
	m := newMonth(t)
	m.send(load(t, m.s, "NOVEMBER", 1, 1)[0].ID)
	m.fails(0)
	m.books(-100_00, "NEFT NOVEMBER-1")
	m.day = 3
	m.fetch(1, m.day)
	m.day = 45
	m.books(98_00, "RETURN NOVEMBER-1")
	m.fetch(44, m.day)
	if diff := gocmp.Diff(m.anew(), m.kept()); diff != "" {
		t.Errorf("rows (-matched at once +kept):\n%s", diff)
	}
	sound(t, m.s)
}
