package simulation

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"time"

	"payrun/ledger"
)

// eye reads the ledger without the store, and remembers what it saw.
type eye struct {
	view    view
	version int64 // of the data at the last look
	now     snapshot
	checked snapshot // as of the last full check
	since   int64    // the version at that check
	chain   struct {
		seq  int64
		hash string
	}
	words    map[target]said         // the last statement of people about each target
	released map[attemptName]release // releases by two people
	replays  bool                    // its events were seen before, in another ledger
	closed   map[string]string       // batches that must never be submitted, and why
	held     map[string]time.Time    // when a batch was first held, by the true clock
}

type snapshot struct {
	batches  map[int64]seenBatch
	attempts []seenAttempt
	intents  []seenIntent
}

type seenBatch struct {
	no              int64
	id              string
	state           ledger.BatchState
	partner         int
	kind            ledger.AccountKind
	lei             string
	count           int
	total           ledger.Paise
	person, needs   bool // it needs attention; it needs another person's approval
	note, accountID string
	sequence        int
	tries           int
	heldAt, changed int64 // microseconds by payrun's clock; 0 if not yet
}

type seenAttempt struct {
	payoutID int64
	number   int
	batchNo  int64
	state    ledger.PayoutState
	ref      string
	status   string
	code     string // the bank's, raw
	failed   int
	amount   ledger.Paise
	payee    string
	benefic  string
}

type seenIntent struct {
	batchNo       int64
	kind, outcome string
}

func newEye(v view) *eye {
	return &eye{view: v, closed: map[string]string{}, words: map[target]said{}, released: map[attemptName]release{}, held: map[string]time.Time{}}
}

// look reads the ledger again if it has changed.
func (e *eye) look() error {
	version, err := e.view.version()
	if err != nil {
		return err
	}
	if version == e.version && e.now.batches != nil {
		return nil
	}
	s, err := e.view.snapshot()
	if err != nil {
		return err
	}
	e.now, e.version = s, version
	return nil
}

// noteHeld remembers when each batch was first held, by the true clock. skew is by how much payrun's clock
// is ahead, now and when the newest of them was held.
func (e *eye) noteHeld(skew time.Duration) {
	for _, b := range e.now.batches {
		if _, known := e.held[b.id]; !known && b.heldAt > 0 {
			e.held[b.id] = time.UnixMicro(b.heldAt).Add(-skew)
		}
	}
}

// unchecked reports whether the ledger has changed since the last full check.
func (e *eye) unchecked() bool { return e.version != e.since || e.checked.batches == nil }

// check records that everything was checked.
func (e *eye) check() { e.checked, e.since = e.now, e.version }

// newEvents reads the audit trail from where it stopped last time, verifies its chain, and passes each
// event to fn.
func (e *eye) newEvents(fn func(event) error) (err error) {
	if e.chain.seq == 0 {
		if e.chain.hash, err = e.view.id(); err != nil {
			return err
		}
	}
	return e.view.events(e.chain.seq, func(ev event) error {
		const proof = "" // everyone acts at a terminal
		if want := eventHash(e.chain.hash, ev.seq, ev.at, ev.actor, ev.kind, ev.sheet, ev.batch, ev.detail, ev.digest, ev.stands, proof); ev.seq != e.chain.seq+1 || ev.hash != want {
			return fmt.Errorf("invariant 18: event %d does not follow event %d", ev.seq, e.chain.seq)
		}
		e.chain.seq, e.chain.hash = ev.seq, ev.hash
		return fn(ev)
	})
}

// eventHash is a second implementation of the chain's hash.
func eventHash(prev string, seq, at int64, fields ...string) string {
	h := sha256.New()
	var n [8]byte
	number := func(v int64) { binary.BigEndian.PutUint64(n[:], uint64(v)); h.Write(n[:]) }
	text := func(s string) { number(int64(len(s))); h.Write([]byte(s)) }
	text(prev)
	number(seq)
	number(at)
	for _, f := range fields {
		text(f)
	}
	return hex.EncodeToString(h.Sum(nil))
}
