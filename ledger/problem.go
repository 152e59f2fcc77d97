package ledger

import "slices"

// Problem is one rule that a ledger breaks.
type Problem struct {
	Kind      ProblemKind `json:"-"`
	Invariant int         `json:"invariant"` // its number in safety.md; 0 for the store's own files
	What      string      `json:"what"`      // the rule
	Detail    string      `json:"detail"`    // where the ledger breaks it
}

// Tampered reports whether a row does not match the audit trail: it was changed by other means
// than payrun.
func (p Problem) Tampered() bool { return p.Invariant == boundByTrail.invariant }

// ProblemKind distinguishes problems that need different actions of a person. No code compares
// their texts.
type ProblemKind string

const (
	// ProblemBroken: something in the ledger is not as it was recorded, or cannot have been
	// recorded at all. Only a sound copy repairs it.
	ProblemBroken ProblemKind = "broken"
	// ProblemBehind: the ledger does not contain its high-water mark. It is
	// whole, but an older copy or another ledger. A person may accept it.
	ProblemBehind ProblemKind = "behind"
)

// WithoutMark returns the problems other than ProblemBehind.
func WithoutMark(problems []Problem) []Problem {
	return slices.DeleteFunc(slices.Clone(problems), func(p Problem) bool { return p.Kind == ProblemBehind })
}
