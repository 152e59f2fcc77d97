package ledger

// Problem is one thing that should hold in a ledger and does not.
type Problem struct {
	Kind      ProblemKind `json:"-"`
	Invariant int         `json:"invariant"` // its number in safety.md; 0 for what the store itself is kept in
	What      string      `json:"what"`      // what should hold
	Detail    string      `json:"detail"`    // where it does not
}

// Tampered reports whether a row is not what the audit trail tells: it was
// changed by other means than payrun.
func (p Problem) Tampered() bool { return p.Invariant == boundByTrail.invariant }

// ProblemKind tells problems apart that ask for different things of a person.
// Nothing is told apart by what they say.
type ProblemKind string

const (
	// ProblemBroken: something in the ledger is not as it was recorded, or
	// never could have been. Nothing but a sound copy mends it.
	ProblemBroken ProblemKind = "broken"
	// ProblemBehind: the ledger does not contain its high-water mark: it is
	// whole, but an older copy, or another ledger. A person may accept it.
	ProblemBehind ProblemKind = "behind"
)
