package sqlite

import (
	"encoding/binary"

	"payrun/ledger"
	"payrun/ledger/scratch"
)

// member is what Commit needs to know of a payout, to hold its planned batch
// against it and to bind the batch to it.
type member struct {
	amount ledger.Paise
	route  int32
	lei    int32 // 0 for none
	digest ledger.Digest
}

// members are those of a load, by their positions. All are written before the
// first is read, and they are read in ascending order, perhaps more than once.
type members struct {
	count int

	pad     scratch.Pad
	filling []byte // of those that come next to the pad
	window  []byte // of those read last
	first   int    // of the window
	failed  error  // what was read since is not so
}

const (
	memberBytes = 8 + 4 + 4 + len(ledger.Digest{})
	// membersAtOnce are written and read together.
	membersAtOnce = 512
)

func (m *members) add(one member) {
	if m.filling == nil {
		m.filling = make([]byte, 0, membersAtOnce*memberBytes)
	}
	b := binary.LittleEndian.AppendUint64(m.filling, uint64(one.amount))
	b = binary.LittleEndian.AppendUint32(b, uint32(one.route))
	b = binary.LittleEndian.AppendUint32(b, uint32(one.lei))
	m.filling = append(b, one.digest[:]...)
	if m.count++; len(m.filling) == cap(m.filling) {
		m.flush()
	}
}

func (m *members) flush() {
	_, _ = m.pad.Write(m.filling) // it does not fail
	m.filling = m.filling[:0]
}

// at gives the member at a position.
func (m *members) at(position int32) (one member) {
	m.flush()
	at := int(position) - m.first
	if at < 0 || at >= len(m.window)/memberBytes {
		if m.window == nil {
			m.window = make([]byte, membersAtOnce*memberBytes)
		}
		m.first, at = int(position), 0
		m.window = m.window[:min(membersAtOnce, m.count-m.first)*memberBytes]
		if _, err := m.pad.ReadAt(m.window, int64(m.first*memberBytes)); err != nil {
			clear(m.window) // nothing of it is a member's
			m.failed = err
		}
	}
	b := m.window[at*memberBytes:]
	one.amount = ledger.Paise(binary.LittleEndian.Uint64(b))
	one.route = int32(binary.LittleEndian.Uint32(b[8:]))
	one.lei = int32(binary.LittleEndian.Uint32(b[12:]))
	one.digest = ledger.Digest(b[16:])
	return one
}

func (m *members) close() error { return m.pad.Close() }
