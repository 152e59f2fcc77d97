package reconcile

import (
	"cmp"
	"slices"

	"payrun/ledger"
)

// Shown is an attempt with the rows that a store keeps about it.
type Shown struct {
	Attempt
	Rows       []Match                  // its own matches
	MissesPaid bool                     // a paid payout of its batch has no debit
	Unpaid     []ledger.Paise           // amounts of the payouts of its batch that are not paid, including its own
	Ended      string                   // the day on which it entered its state, if that is final; "" otherwise
	Released   *ledger.ReleasedEvidence // what two people saw when they released it; nil if they did not
}

// Evidence returns what locks and reports need to know about an attempt: its matches, and its possible
// debits among the open lines and breaks of its account (safety.md, "Locks": "A debit could be an attempt's when").
func (s *Shown) Evidence(around Matching) (e ledger.StatementEvidence) {
	for _, m := range s.Rows {
		if m.Why == "" {
			e.Matches = append(e.Matches, m.StatementMatch)
		}
	}
	var charges []ledger.PossibleDebit
	e.Possible, charges = s.named()
	for _, c := range charges { // the credit of a charge is not a credit of the amount
		i := slices.IndexFunc(e.Matches, func(m ledger.StatementMatch) bool { return !m.Debit && m.Amount == c.Amount })
		if i >= 0 {
			e.Matches = slices.Delete(e.Matches, i, i+1)
		}
	}
	if s.First == "" || s.State == ledger.PayoutSuccess {
		return e
	}
	since := ledger.DayPlus(s.First, -1)
	for _, o := range around.Open {
		own := slices.ContainsFunc(s.Rows, func(m Match) bool { return m.Ref == o.Ref })
		if why := s.couldBe(&o); why != "" && o.Day >= since && !own {
			e.Possible = append(e.Possible, ledger.PossibleDebit{StatementLine: o.StatementLine, Why: why})
		}
	}
	for _, b := range around.Breaks {
		if b.To >= since && (s.Ended == "" || b.From <= ledger.DayPlus(s.Ended, 1)) {
			l := ledger.StatementLine{Ref: b.Ref, BankAccountID: s.BankAccountID, Day: b.To, Debit: true, Amount: b.Amount}
			e.Possible = append(e.Possible, ledger.PossibleDebit{StatementLine: l, Why: ledger.PossibleBreak})
		}
	}
	slices.SortFunc(e.Possible, func(a, b ledger.PossibleDebit) int {
		return cmp.Or(a.Ref.Compare(b.Ref), cmp.Compare(a.Why, b.Why))
	})
	return e
}

// named returns the possible debits among its rows: those that carry its name or are its batch's.
// Smaller debits with its name are charges if they add up to at most half the amount.
func (s *Shown) named() (list, charges []ledger.PossibleDebit) {
	var sum ledger.Paise
	for _, m := range s.Rows {
		p := ledger.PossibleDebit{StatementLine: m.StatementLine, Why: ledger.PossibleNamed}
		switch m.Why {
		case "":
			continue
		case NamedShort:
			if s.State == ledger.PayoutSuccess {
				continue
			}
		case Withdrawn, InFile, BatchTotal:
			p.Why = ledger.PossibleReason(m.Why)
		case Named:
			if m.Amount < s.Amount {
				charges, sum = append(charges, p), sum+m.Amount
				continue
			}
		}
		list = append(list, p)
	}
	if sum > s.Amount/2 {
		return append(list, charges...), nil
	}
	return list, charges
}

// couldBe returns why an open line could be the attempt's debit; "" if it could not.
func (s *Shown) couldBe(o *Open) ledger.PossibleReason {
	total := s.Batch.Count > 1 && o.Amount == s.Batch.Total
	equal := o.Amount == s.Amount
	part := s.MissesPaid && o.Amount >= s.Amount || s.withOthers(o.Amount)
	switch {
	case !o.Debit || !equal && !total && !part:
	case (o.Why == InFile || o.Why == Withdrawn) && !o.Named:
		return ledger.PossibleReason(o.Why)
	case o.Why == Claimed:
		return ledger.PossibleOther
	case o.Why == Equals && total && s.MissesPaid:
		return ledger.PossibleTotal
	case o.Why != Nobodys:
	case equal:
		return ledger.PossibleAmount
	case total:
		return ledger.PossibleTotal
	default:
		return ledger.PossibleShare
	}
	return ""
}

// mostSummed is the maximum number of payouts whose sums are tried: with more, nearly any amount is a sum.
const mostSummed = 12

// withOthers reports whether an amount may be one debit of the attempt and of other unpaid ones of
// its batch: it is their sum, or with more than mostSummed others at most the sum of all.
func (s *Shown) withOthers(amount ledger.Paise) bool {
	own := slices.Index(s.Unpaid, s.Amount)
	if own < 0 || amount <= s.Amount {
		return false
	}
	others := slices.Delete(slices.Clone(s.Unpaid), own, own+1)
	if len(others) > mostSummed {
		var all ledger.Paise
		for _, o := range others {
			all += o
		}
		return amount-s.Amount <= all
	}
	return isSum(others, amount-s.Amount)
}

func isSum(of []ledger.Paise, amount ledger.Paise) bool {
	if amount <= 0 || len(of) == 0 {
		return amount == 0
	}
	return isSum(of[1:], amount-of[0]) || isSum(of[1:], amount)
}
