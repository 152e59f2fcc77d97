package ledger

import "time"

// cameBack holds the evidence that an attempt which failed, and whose debit the
// bank's own statement shows, came back although the credit does not carry its name:
// the status still says failed, whole; the statement as the bank gives it now has
// that debit once, and more equal credits after it than other payouts wait for; and
// the bank has said so in writing. Each of these is needed, and nothing takes the
// place of the statement.
func (d *Deciding) cameBack(k Known, a KnownAttempt, shown Observation, s Sought, at time.Time) error {
	switch {
	case shown.Status != StatusFailed:
		return notYet(RuleStatus, "the bank shows %q as %q", a.WireRef, shown.Status)
	case !d.Look.Complete:
		return d.noStatus(k.Batch)
	case d.Books == nil:
		why := d.NoBooks
		if why == "" {
			why = "none can be asked for here"
		}
		return notYet(RuleBooksMissing, "payout %q is failed, and whether it came back is decided on the bank's own statement alone, which is not to be had (%s): "+
			"ask the bank to book the return under its reference or UTR", a.WireRef, why)
	case d.Books.Closed && !d.Books.Debited(s): // before any waiting: time does not change it
		return notYet(RuleState, "payout %q is failed, and not disputed; nor does the bank's own statement show its debit without its credit. "+
			"Where a file of the bank does, ask the bank to book the return under its reference or UTR", a.WireRef)
	}
	if err := d.Books.sound(s, d.Waits, at); err != nil {
		return err
	}
	if err := d.Books.gaveBack(s); err != nil {
		return err
	}
	if d.Ticket == "" {
		return notYet(RuleTicket, "the statement has a credit of %s after the debit of %q that carries no name; it is taken for its return only on the bank's written word: --bank-ticket TEXT", a.Amount, a.WireRef)
	}
	return nil
}

// gaveBack holds that one payout was debited once, and that an equal credit after it
// which carries no name can be its return: one that no other payout waits for.
func (b Books) gaveBack(s Sought) error {
	debit, free, owed := -1, 0, 0
	for i, e := range b.Entries {
		equal := e.Amount == s.Amounts[0]
		switch named := e.names(s); {
		case named && (!e.Debit || !equal || debit >= 0):
			return notYet(RuleBooksDebited, "the statement has more than one entry that carries a name of %q, or one of another amount: only the bank can say what came back", s.WireRefs[0])
		case named:
			debit = i
		case debit >= 0 && !e.Debit && equal && e.Matched == "" && e.Explained == "":
			free++
		}
	}
	if e, is := b.perhaps(s); is {
		return notYet(RuleBooksAmount, "the statement has another debit of %s of %s that may be that of %q, and carries no name", e.Amount, day(e.At), s.WireRefs[0])
	}
	for _, o := range b.Owed {
		if o.WireRef != s.WireRefs[0] && o.Amount == s.Amounts[0] {
			owed++
		}
	}
	switch {
	case free == 0:
		return notYet(RuleBooksDebited, "the statement shows the debit of %q, and after it no credit of %s without a name", s.WireRefs[0], s.Amounts[0])
	case free <= owed:
		return notYet(RuleBooksDebited, "the statement has %d credits of %s without a name after the debit of %q, and other payouts that were debited wait for %d", free, s.Amounts[0], s.WireRefs[0], owed)
	}
	return nil
}
