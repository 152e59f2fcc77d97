package ledger

import (
	"fmt"
	"strings"
	"time"
)

// Holder says who uses a ledger while others wait. It is only shown to people: no decision depends on it.
type Holder struct {
	Command string    `json:"command,omitempty"`
	Person  string    `json:"person,omitempty"`
	PID     int       `json:"pid,omitempty"`
	Host    string    `json:"host,omitempty"`
	Since   time.Time `json:"since,omitzero"`
}

// String describes the holder; "" if nothing is known.
func (h Holder) String() string {
	var parts phrases
	parts.add(h.Command != "", h.Command)
	parts.add(h.Person != "", "by "+h.Person)
	parts.add(h.PID != 0, fmt.Sprintf("process %d", h.PID))
	parts.add(h.Host != "", "on "+h.Host)
	return strings.Join(parts, " ")
}

// Claim says who wants to write to a ledger, and how long they wait for it.
type Claim struct {
	Holder Holder        // shown to others who find the ledger in use
	Wait   time.Duration // 0: not at all
	Proof  string        // kept in each event that is recorded; see Event
	// Migrated is called after the ledger was migrated to this program's schema, with the names
	// of the old and the new migration and of the backup made before. If it is nil, a ledger
	// that needs migration is refused (ErrOutdated).
	Migrated func(from, to, copied string)
}

// LockedError is ErrLocked with the holder of the ledger, if that is known.
type LockedError struct{ Holder Holder }

func (e *LockedError) Error() string {
	return strings.TrimSuffix(ErrLocked.Error()+": "+e.Holder.String(), ": ")
}

func (e *LockedError) Unwrap() error { return ErrLocked }
