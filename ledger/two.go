package ledger

import (
	"slices"
	"time"
)

// seconded tells whether a decision is carried out now: another person made it
// before, long enough ago and not too long. Nil and nil: it is the first.
// (safety.md, "Setting aside", 5.)
func (d *Deciding) seconded(k Known, actor string, at time.Time) (first *Proposal, err error) {
	who := k.Roster.Now(at)
	for _, p := range k.live(d, at) {
		switch own := who.Same(p.Actor, actor); {
		case own && !k.only(actor):
			err = notYet(RuleProposed, "%s has decided so at %s; another person has to decide the same", p.Actor, p.At.UTC().Format("2006-01-02 15:04:05 MST"))
		case own && d.Books == nil:
			return nil, notYet(RuleAloneWord, "with the bank's word alone another person has to decide the same")
		case own:
			if err := d.passed(p, d.Waits.alone(), at, RuleAlone, "the only person on record decides a second time"); err != nil {
				return nil, err
			}
			return &p, nil
		case who.Apart(p.Actor, actor) != nil:
			err = notYet(RuleProposed, "%v", who.Apart(p.Actor, actor))
		default:
			if err := d.passed(p, d.Waits.Between, at, RuleBetween, "a second person decides"); err != nil {
				return nil, err
			}
			return &p, nil
		}
	}
	return nil, err
}

// passed holds the time since a first decision, by our clock and by the bank's
// where both were told.
func (d *Deciding) passed(p Proposal, wait time.Duration, at time.Time, rule, what string) error {
	if until := p.At.Add(wait); at.Before(until) {
		return notBefore(rule, until, "%s at least %s after %s did", what, wait, p.Actor)
	}
	if said := d.Look.SaidAt; !said.IsZero() && !p.SaidAt.IsZero() && said.Sub(p.SaidAt) < wait {
		return notBefore(rule, at.Add(wait-said.Sub(p.SaidAt)), "%s at least %s after %s did, by the bank's clock too", what, wait, p.Actor)
	}
	return nil
}

// live are the decisions like d that wait for a second person.
func (k Known) live(d *Deciding, at time.Time) []Proposal {
	return slices.DeleteFunc(WaitingDecisions(k.Proposals, k.Batch.StateSince, at), func(p Proposal) bool {
		return p.Decision != string(d.As) || p.Of() != d.Of
	})
}

// WaitingDecisions are those of what people decided about a batch that wait for a
// second person: each its person's last word on the matter, made since the batch is as
// it is and not long ago, and not carried out yet.
func WaitingDecisions(all []Proposal, since, at time.Time) []Proposal {
	var list []Proposal
	for i, p := range all {
		if p.Carried || p.Rests == "" || p.At.Before(since) || at.Sub(p.At) > lapse || at.Before(p.At) {
			continue
		}
		over := slices.ContainsFunc(all[i+1:], func(l Proposal) bool {
			return l.Of() == p.Of() && (l.Carried || SamePerson(l.Actor, p.Actor))
		})
		if !over {
			list = append(list, p)
		}
	}
	return list
}

// only reports whether actor is the only person on record.
func (k Known) only(actor string) bool {
	return !slices.ContainsFunc(k.People, func(p string) bool { return !SamePerson(p, actor) })
}
