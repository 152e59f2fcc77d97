package app

import (
	"context"
	"errors"
	"slices"

	"payrun/ledger"
)

// meanwhile is what the audit trail tells of the time since something was read, so that
// of much that was read only what it happened to is read anew.
type meanwhile struct {
	stands ledger.AuditHead // the newest event: what is read now is no older
	follow bool             // what was read may be kept, but for what happened; else nothing of it
	events []ledger.Event   // oldest first
}

// meanwhileMost is of how many events the time since is followed: of more it is no longer
// cheaper than to read all anew.
const meanwhileMost = 20_000

// happenedSince tells what happened since something was read. from is how far the trail had come
// before it was, the zero value where nothing was. A trail that has another event in that
// place is another ledger's, or one that was set back: nothing that was read of it counts.
func (o *operation) happenedSince(ctx context.Context, from ledger.AuditHead) (m meanwhile, err error) {
	if m.stands, err = o.store.AuditHead(ctx); err != nil || from.Length == 0 || m.stands.Length < from.Length || m.stands.Length-from.Length > meanwhileMost {
		return m, err
	}
	err = o.store.EventsBetween(ctx, from.Length-1, m.stands.Length, func(e ledger.Event) error {
		if e.Seq == from.Length {
			m.follow = e.Hash == from.Hash
			if !m.follow {
				return ErrEnough
			}
			return nil
		}
		if m.follow = e.BatchID != "" || slices.Contains(ofNoBatch[:], e.Kind); !m.follow {
			return ErrEnough
		}
		m.events = append(m.events, e)
		return nil
	})
	if errors.Is(err, ErrEnough) {
		return meanwhile{stands: m.stands}, nil
	}
	return m, err
}

// of are the batches to which something happened that wanted selects, each once, in the
// order in which it first did: new ones in that of planning.
func (m *meanwhile) of(wanted func(*ledger.Event) bool) (ids []string) {
	seen := map[string]bool{}
	for i := range m.events {
		if e := &m.events[i]; e.BatchID != "" && !seen[e.BatchID] && wanted(e) {
			seen[e.BatchID] = true
			ids = append(ids, e.BatchID)
		}
	}
	return ids
}

// ofNoBatch are the kinds of events that are about no batch, and change none. An event of
// any other kind that names no batch may change each.
var ofNoBatch = [...]string{
	ledger.EventSheetLoaded, ledger.EventBroughtBack, ledger.EventBranchesLoaded, ledger.EventPolicySet, ledger.EventPolicyProposed, ledger.EventEnvironment, ledger.EventBankListed, ledger.EventStatementRead,
	ledger.EventPersonAdded, ledger.EventPersonChanged, ledger.EventPersonRemoved, ledger.EventPersonConfirmed, ledger.EventPasswordSet,
	ledger.EventLoggedIn, ledger.EventLoginRefused, ledger.EventLoggedOut, ledger.EventProofWanted, ledger.EventNotDecided, ledger.EventNumbersGiven,
	ledger.EventColumnsKept, ledger.EventColumnsForgotten,
}

// fewBatches is up to how many batches are read one by one, where all of their sheet could
// be read at once.
const fewBatches = 100
