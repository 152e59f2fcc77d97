package sqlite

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"payrun/ledger"
)

// Long gaps, lines with another date, ids used again, further attempts, details, partial files.
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
				case 12: // another date
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
			m.agreesForReaders()
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

// Each came back; two people can say so.
func TestEachLockHasItsWayOut(t *testing.T) {
	type booked struct {
		day    int
		amount ledger.Paise
		words  string
	}
	for name, c := range map[string]struct {
		payouts int // of one batch, which failed
		list    []booked
	}{
		"the bank books the return before the debit": {1, []booked{{2, 100_00, "REVERSAL NOVEMBER-1"}, {4, -100_00, "NEFT NOVEMBER-1"}}},
		"its debit came back in two parts":           {1, []booked{{1, -100_00, "NEFT NOVEMBER-1"}, {2, 60_00, "REVERSAL"}, {2, 40_00, "REVERSAL"}}},
		"its debit and fee came back as one":         {1, []booked{{1, -100_00, "NEFT NOVEMBER-1"}, {1, -60_00, "CHG NOVEMBER-1"}, {2, 160_00, "REVERSAL NOVEMBER-1"}}},
		"its two parts came back as one":             {1, []booked{{1, -60_00, "NEFT NOVEMBER-1"}, {1, -40_00, "NEFT NOVEMBER-1"}, {2, 100_00, "REVERSAL NOVEMBER-1"}}},
		"debit with fee, back by name":               {1, []booked{{1, -102_36, "NEFT NOVEMBER-1"}, {2, 102_36, "REVERSAL NOVEMBER-1"}}},
		"a bulk came back as one":                    {2, []booked{{1, -200_01, "BULK NOVEMBER-1 NOVEMBER-2"}, {2, 200_01, "REVERSAL BULK NOVEMBER-1 NOVEMBER-2"}}},
		"a bulk under one UTR came back each":        {2, []booked{{1, -200_01, "BULK NOVEMBER-1 NOVEMBER-2"}, {2, 100_00, "REVERSAL NOVEMBER-1"}, {2, 100_01, "REVERSAL NOVEMBER-2"}}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMonth(t)
			m.send(load(m, m.s, "NOVEMBER", c.payouts, c.payouts)[0].ID)
			for i := range c.payouts {
				m.fails(i)
			}
			for _, b := range c.list {
				m.day = b.day
				m.books(b.amount, b.words)
			}
			m.day = 9
			m.fetch(1, m.day)
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
