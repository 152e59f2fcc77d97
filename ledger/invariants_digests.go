package ledger

// digests computes the digests of batches while their payouts stream by (invariant 23). A batch
// is open from its first payout to its last. Few are open at once, because the payouts of most
// batches are adjacent.
type digests struct {
	audit *Audit
	open  map[int64]*openBatch // by number
	room  []byte
}

// openBatch is a batch of which some payouts were read.
type openBatch struct {
	no             int64
	members, state running
	left           int32 // payouts to come
}

func (a *Audit) newDigests() *digests { return &digests{audit: a, open: map[int64]*openBatch{}} }

// payout adds each attempt of a payout.
func (d *digests) payout(p *PayoutFacts) {
	for i := range p.Attempts {
		t := &p.Attempts[i]
		b := d.audit.batchNo(t.BatchNo)
		if b == nil {
			continue // reported already
		}
		o := d.of(t.BatchNo, b)
		member := MemberDigest(t.sends(p), t.Number, t.WireRef)
		o.members.h.Write(member[:])
		t.ID = p.ID
		d.room = encoding(d.room[:0]).attempt(&t.Attempt, t.Seen)
		o.state.h.Write(d.room)
		if o.left--; o.left == 0 {
			d.close(o, b)
		}
	}
}

// of returns the digests of a batch. If a batch has more payouts than its count, its digests
// begin again: that fault is reported already.
func (d *digests) of(no int64, b *keptBatch) *openBatch {
	o := d.open[no]
	if o == nil {
		o = &openBatch{no: no, left: b.count}
		o.members.begin("members", b.fixed)
		o.state.begin("stands", b.record)
		d.open[no] = o
	}
	return o
}

func (d *digests) close(o *openBatch, b *keptBatch) {
	b.found = bound{d.audit.digest(o.members.sum().String()), d.audit.digest(o.state.sum().String())}
	delete(d.open, o.no)
}

// rest closes what is still open: batches that have fewer payouts than they say.
func (d *digests) rest() {
	for no, o := range d.open {
		d.close(o, d.audit.batchNo(no))
	}
}

// bindings compares each batch and sheet with its digests in the audit trail.
func (a *Audit) bindings() {
	for i := range a.batches {
		b := &a.batches[i]
		if b.found.members != b.inTrail.members {
			a.bound.add(boundByTrail, "batch %s: %s", b.id, membersDiffer)
		}
		if b.found.state != b.inTrail.state {
			a.bound.add(boundByTrail, "batch %s: %s", b.id, stateDiffers)
		}
	}
	for i := range a.sheets {
		if s := &a.sheets[i]; s.corrections != s.correctionsInTrail {
			a.bound.add(boundByTrail, "sheet %s: what its rows correct payouts to, or where they came from, is not what the audit trail tells: a payee, an account, an IFSC, an amount, remarks or a row was changed", s.id)
		}
		if s := &a.sheets[i]; s.inTrail != s.digest.String() {
			a.bound.add(boundByTrail, "sheet %s: what is recorded of it is not what was loaded: its name, hashes, counts or totals, who loaded it when, or how it was read was changed", s.id)
		}
	}
}

// eventOfSheet reads the event of a sheet.
func (a *Audit) eventOfSheet(e *Event) {
	i, ok := a.byID[e.SheetID]
	if !ok {
		return // the sheet has another id now, which is reported
	}
	s := &a.sheets[i]
	if e.Kind == EventCorrected || e.Kind == EventBroughtBack {
		s.correctionsInTrail += a.digest(e.Digest)
		return
	}
	if e.Kind != EventSheetLoaded {
		return
	}
	s.inTrail = e.Digest
	if want := s.loaded; e.Detail != want.Detail || e.Actor != want.Actor || !e.At.Equal(want.At) {
		a.trail.add(boundByTrail, "sheet %s: event %d tells otherwise of its name, hashes, counts or totals, or of who loaded it when", s.id, e.Seq)
	}
}
