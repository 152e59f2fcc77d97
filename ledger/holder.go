package ledger

import (
	"fmt"
	"strings"
	"time"
)

// Holder is who works on a ledger while others have to wait. It is for people:
// nothing is decided by it.
type Holder struct {
	Command string    `json:"command,omitempty"`
	Person  string    `json:"person,omitempty"`
	PID     int       `json:"pid,omitempty"`
	Host    string    `json:"host,omitempty"`
	Since   time.Time `json:"since,omitzero"`
}

// String words who it is; "" where nothing is known.
func (h Holder) String() string {
	var parts []string
	if h.Command != "" {
		parts = append(parts, h.Command)
	}
	if h.Person != "" {
		parts = append(parts, "by "+h.Person)
	}
	if h.PID != 0 {
		parts = append(parts, fmt.Sprintf("process %d", h.PID))
	}
	if h.Host != "" {
		parts = append(parts, "on "+h.Host)
	}
	return strings.Join(parts, " ")
}

// Claim is who wants to write to a ledger, and how long they wait for it.
type Claim struct {
	Holder Holder        // others who find the ledger held see it
	Wait   time.Duration // 0: not at all
	Proof  string        // is kept in each event that is recorded; see Event
	// Migrated hears that the ledger was brought to this program's schema: the migrations
	// that it had and has now, and the copy from before. nil: such a ledger is refused
	// (ErrOutdated).
	Migrated func(from, to, copied string)
}

// LockedError is ErrLocked with who holds the ledger, where that is known.
type LockedError struct{ Holder Holder }

func (e *LockedError) Error() string {
	if who := e.Holder.String(); who != "" {
		return ErrLocked.Error() + ": " + who
	}
	return ErrLocked.Error()
}

func (e *LockedError) Unwrap() error { return ErrLocked }
