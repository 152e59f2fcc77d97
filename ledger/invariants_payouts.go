package ledger

import "context"

// Payouts checks every payout and its attempts against their batch and sheet, and against their
// own observations (invariants 1, 5 to 9 and 12 to 15).
func (a *Audit) Payouts(ctx context.Context, f LedgerReader) error {
	numbers := numbered{what: "payouts"}
	err := f.Payouts(ctx, func(p *PayoutFacts) error {
		numbers.met(p.ID)
		a.ofSheet(p)
		for r := range p.References {
			a.refs.expected.add(a.reference(r))
		}
		a.attempts(p)
		a.corrections(p)
		return nil
	})
	if err != nil {
		return err
	}
	numbers.tell(&a.paid)
	for _, s := range a.sheets.all {
		a.sheetAddsUp(s)
	}
	for _, b := range a.batches.all {
		a.closeDigest(b) // still open if it has fewer payouts than its count
		if b.places != 0 || b.sum != b.total || b.sum > MostInAll {
			a.paid.add(batchIsSo, "batch %s says %d paise, and has %+d payouts more than it says, of %d paise", b.id, b.total, -b.places, b.sum)
		}
	}
	a.allPaid = true
	return nil
}

// ofSheet counts a payout for its sheet.
func (a *Audit) ofSheet(p *PayoutFacts) {
	s := a.sheets.byNo[p.SheetNo]
	if s == nil || p.ID < s.First || p.ID > s.Last {
		a.paid.add(rowsAddUp, "payout %d is not among the payouts of its sheet", p.ID)
		return
	}
	s.payouts++
	if from := p.From; from != (OriginFacts{}) {
		if of := a.sheets.byNo[from.SheetNo]; of == nil || of.No >= s.No {
			a.paid.add(rowsAddUp, "payout %d came from a row of no earlier sheet", p.ID)
		} else {
			s.corrections += a.digest(OriginDigest(p.ID, RowOrigin{of.ID, from.Row}).String())
		}
	}
	if len(p.Attempts) > 0 {
		s.inBatches = s.inBatches.PlusCapped(p.Amount)
	}
}

func (a *Audit) sheetAddsUp(s *keptSheet) {
	if !s.Sealed || s.payouts != s.Accepted.Count || s.Rows != s.Accepted.Count+s.Rejected.Count+s.Corrected.Count {
		a.paid.add(rowsAddUp, "sheet %s says %d rows, %d accepted, %d rejected, and has %d payouts", s.ID, s.Rows, s.Accepted.Count, s.Rejected.Count, s.payouts)
	}
	if s.corrects != s.Corrected || s.corrects.Total > MostInAll {
		a.paid.add(moneyAddsUp, "sheet %s says that it corrects %d payouts to %d paise, and corrects %d to %d", s.ID, s.Corrected.Count, s.Corrected.Total, s.corrects.Count, s.corrects.Total)
	}
	if s.inBatches != s.Accepted.Total || s.inBatches > MostInAll {
		a.paid.add(moneyAddsUp, "sheet %s accepted %d paise, its payouts stand at %d", s.ID, s.Accepted.Total, s.inBatches)
	}
}

// corrections adds the corrections of a payout to the sheets that made them. It reports an attempt
// that differs from the one before it, unless a correction was made for it.
func (a *Audit) corrections(p *PayoutFacts) {
	var before *CorrectionFacts
	for i := range p.Attempts {
		t := &p.Attempts[i]
		c := t.Corrected
		if c == before || c != nil && before != nil && c.Number == before.Number {
			continue
		}
		before = c
		if c == nil || c.Number != t.Number || t.Number < 2 {
			a.paid.add(rowsAddUp, "attempt %d of payout %d sends something else than the one before it, and no row says so", t.Number, p.ID)
			continue
		}
		s := a.sheets.byNo[c.SheetNo]
		if s == nil {
			a.paid.add(nothingLost, "attempt %d of payout %d was corrected by sheet number %d, which is not there", t.Number, p.ID, c.SheetNo)
			continue
		}
		is := c.Sends
		is.Row = c.Row
		s.corrections += a.digest(CorrectionDigest(p.ID, c.Number, s.ID, &is).String())
		s.corrects.Add(c.Sends.Amount)
	}
}

// attempts checks all attempts of a payout.
func (a *Audit) attempts(p *PayoutFacts) {
	found, live, pays := &a.paid, 0, ""
	for i := range p.Attempts {
		t := &p.Attempts[i]
		switch {
		case i > 0 && t.Number == p.Attempts[i-1].Number:
			found.add(oneLive, "payout %d is in two batches as attempt %d", p.ID, t.Number)
		case t.Number != i+1 && (i == 0 || t.Number != p.Attempts[i-1].Number+1):
			found.add(nothingLost, "payout %d lost an attempt before attempt %d", p.ID, t.Number)
		}
		a.asSeen(p, t)
		b := a.batches.byNo[t.BatchNo]
		if t.Resolved != ResolutionNone && !a.released[AttemptKey{p.ID, t.Number}] {
			found.add(twoDecided, "attempt %d of payout %d is released as %s, without a decision on record", t.Number, p.ID, t.Resolved)
		}
		if b == nil {
			found.add(nothingLost, "attempt %d of payout %d is in batch number %d, which is not there", t.Number, p.ID, t.BatchNo)
		} else {
			a.member(p, t, b)
			a.digestAttempt(p, t, b)
		}
		a.keptName(p, i)
		if t.State.Retryable() || t.State == PayoutDisputed {
			// A disputed attempt does not count as live, because the dispute may have begun after
			// the attempt was final. It is listed as needing a person, and locks the next submit.
			continue
		}
		live++
		if b != nil && b.maybePaying {
			pays = b.id
		}
	}
	if live < 2 {
		return
	}
	found.add(oneLive, "payout %d has %d live attempts", p.ID, live)
	if pays != "" {
		found.add(paysOnce, "payout %d may be paid by batch %s, and has another live attempt", p.ID, pays)
	}
}

// keptName checks an attempt that keeps the reference of an earlier one. The batch of the earlier
// one must have been refused, or abandoned before it was held.
func (a *Audit) keptName(p *PayoutFacts, i int) {
	t := &p.Attempts[i]
	for _, before := range p.Attempts[:i] {
		if before.WireRef != t.WireRef || before.Number == t.Number { // a repeated attempt is another fault
			continue
		}
		b := a.batches.byNo[before.BatchNo]
		if b == nil {
			continue
		}
		b.keptName = true
		if b.usingUp {
			a.paid.add(namesKept, "attempt %d of payout %d goes under %q, which attempt %d used up", t.Number, p.ID, t.WireRef, before.Number)
		}
	}
}

// asSeen checks the state of an attempt against its observations.
func (a *Audit) asSeen(p *PayoutFacts, t *AttemptFacts) {
	found, last, said := &a.paid, 0, 0
	for i := range t.Seen {
		o := &t.Seen[i]
		last = max(last, o.Seq)
		if o.Status == string(t.State) || t.State == PayoutReturned && o.BankStatusCode == CodeReturned {
			said++
		}
	}
	if len(t.Seen) != last {
		found.add(nothingLost, "attempt %d of payout %d lost an observation", t.Number, p.ID)
	}
	switch {
	case t.State == PayoutSuccess && said == 0:
		found.add(paidAsSeen, "attempt %d of payout %d is success, and no answer said so", t.Number, p.ID)
	case t.State == PayoutFailed && said < 2:
		found.add(failedAsSeen, "attempt %d of payout %d is failed, and not two answers said so", t.Number, p.ID)
	case t.State == PayoutReturned && said == 0:
		found.add(failedAsSeen, "attempt %d of payout %d is returned, and no answer said so", t.Number, p.ID)
	}
}

// member checks an attempt against its batch.
func (a *Audit) member(p *PayoutFacts, t *AttemptFacts, b *keptBatch) {
	found := &a.paid
	b.places--
	sends := t.sends(p)
	b.sum = b.sum.PlusCapped(sends.Amount)
	s := b.share.Value()
	if (sends.Route() != s.route || p.SheetNo != s.sheet) && !b.hasOther {
		b.hasOther = true
		found.add(batchIsSo, "batch %s has payout %d, which is of another debit account or sheet", b.id, p.ID)
	}
	if s.lei != "" && sends.BeneLEI != s.lei {
		found.add(leiFromLine, "batch %s has LEI %s, and its payout %d has %q", b.id, s.lei, p.ID, sends.BeneLEI)
	}
	switch {
	case b.byBeneficiaryID && sends.OpenBeneficiaryID == "":
		found.add(payeeGiven, "payout %d in batch %s has no beneficiary id, which its partner bank needs", p.ID, b.id)
	case !b.byBeneficiaryID && (sends.VendorName == "" || sends.BankAccountNumber == "" || sends.IFSC == ""):
		found.add(payeeGiven, "payout %d in batch %s lacks its name, account or IFSC", p.ID, b.id)
	}
	if b.state == BatchSettled && !t.State.Final() && t.State != PayoutDisputed {
		found.add(failedAsSeen, "batch %s is settled, and payout %d is %s", b.id, p.ID, t.State)
	}
}
