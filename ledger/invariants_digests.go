package ledger

// openDigest computes the digests of a batch while its payouts are read (invariant 23). Few are open at
// the same time, because the payouts of most batches are adjacent.
type openDigest struct{ members, state running }

// digestAttempt adds an attempt to the digests of its batch. If the batch has more payouts than its
// count, new digests begin; Payouts reports that fault.
func (a *Audit) digestAttempt(p *PayoutFacts, t *AttemptFacts, b *keptBatch) {
	if b.open == nil {
		b.open = &openDigest{begin("members", b.fixed), begin("stands", b.record)}
	}
	b.open.members.add(MemberDigest(t.sends(p), t.Number, t.WireRef))
	t.ID = p.ID
	a.room = encoding(a.room[:0]).attempt(&t.Attempt, t.Seen)
	b.open.state.h.Write(a.room)
	if b.places == 0 {
		a.closeDigest(b)
	}
}

// closeDigest ends the digests of a batch that are open.
func (a *Audit) closeDigest(b *keptBatch) {
	if b.open != nil {
		b.found = bound{a.digest(b.open.members.sum().String()), a.digest(b.open.state.sum().String())}
		b.open = nil
	}
}

// bindings compares each batch and sheet with its digests in the audit trail.
func (a *Audit) bindings() {
	for _, b := range a.batches.all {
		if b.found.members != b.inTrail.members {
			a.bound.add(boundByTrail, "batch %s: %s", b.id, membersDiffer)
		}
		if b.found.state != b.inTrail.state {
			a.bound.add(boundByTrail, "batch %s: %s", b.id, stateDiffers)
		}
	}
	for _, s := range a.sheets.all {
		if s.corrections != s.correctionsInTrail {
			a.bound.add(boundByTrail, "sheet %s: what its rows correct payouts to, or where they came from, is not what the audit trail tells: a payee, an account, an IFSC, an amount, remarks or a row was changed", s.ID)
		}
		if s.inTrail != s.Digest(s.Reading).String() {
			a.bound.add(boundByTrail, "sheet %s: what is recorded of it is not what was loaded: its name, hashes, counts or totals, who loaded it when, or how it was read was changed", s.ID)
		}
	}
}

// eventOfSheet reads the event of a sheet.
func (a *Audit) eventOfSheet(e *Event, nth int64) {
	s := a.sheets.byID[e.SheetID]
	if s == nil {
		return // the sheet's id was changed, which is reported elsewhere
	}
	if e.Kind == EventCorrected || e.Kind == EventBroughtBack {
		s.correctionsInTrail += a.digest(e.Digest)
		return
	}
	if e.Kind != EventSheetLoaded {
		return
	}
	if s.No != nth {
		a.trail.add(trailIsWhole, "sheet %s is number %d, and number %d in the trail", s.ID, s.No, nth)
	}
	s.inTrail = e.Digest
	if want := s.LoadedEvent(s.Reading); e.Detail != want.Detail || e.Actor != want.Actor || !e.At.Equal(want.At) {
		a.trail.add(boundByTrail, "sheet %s: event %d tells otherwise of its name, hashes, counts or totals, or of who loaded it when", s.ID, e.Seq)
	}
}
