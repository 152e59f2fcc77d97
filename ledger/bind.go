package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Bind yields an event for each sheet and batch that no event of the ledger
// binds by a digest: those of before there were digests, as they stand now. What
// was changed before that cannot be told any more. The events are for the audit
// trail, in their order, in the name of actor.
func Bind(ctx context.Context, f Facts, actor string, at time.Time, add func(Event) error) error {
	a := NewAudit()
	type digests struct{ members, stands Digest }
	found := map[int64]digests{}
	a.closed = func(no int64, members, stands Digest) { found[no] = digests{members, stands} }
	if err := errors.Join(a.Batches(ctx, f), a.Payouts(ctx, f), a.Events(ctx, f)); err != nil {
		return err
	}
	event := Event{At: at, Actor: actor, Kind: EventBound}
	for i := range a.sheets {
		s, e := &a.sheets[i], event
		if s.told != "" {
			continue
		}
		e.SheetID, e.Digest = s.id, s.digest.String()
		e.Detail = fmt.Sprintf("as it was before there were digests: %d payouts of %s", s.accepted.Count, s.accepted.Total)
		if err := add(e); err != nil {
			return err
		}
	}
	for b, err := range f.Batches(ctx) {
		if err != nil {
			return err
		}
		d, ok := found[b.No]
		if kept := a.batches.byNo(b.No); !ok || kept == nil || kept.told.members != 0 {
			continue
		}
		e := event
		if s := a.sheet(b.SheetNo); s != nil {
			e.SheetID = s.id
		}
		e.BatchID, e.Digest, e.Stands = b.ID, d.members.String(), d.stands.String()
		e.Detail = fmt.Sprintf("as it was before there were digests: %d payouts of %s; %s", b.Count, b.Total, b.State)
		if err := add(e); err != nil {
			return err
		}
	}
	return nil
}
