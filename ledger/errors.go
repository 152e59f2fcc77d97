package ledger

import (
	"errors"
	"fmt"
)

// Sentinels that packages wrap. cmd turns them into a message and an exit code.
var (
	ErrTransition    = errors.New("not a legal step")
	ErrConflict      = errors.New("the ledger moved on meanwhile")                                // a conditional update matched no row
	ErrStale         = errors.New("changed since it was shown")                                   // see OvertakenError
	ErrBusy          = errors.New("too many batches of the debit account wait for their OTP")     // otp.held_at_once
	ErrUnconfirmed   = errors.New("more is held than the total that was confirmed")               // policy.confirm_above
	ErrLook          = errors.New("not sent, because of what the bank shows, or does not answer") // see LookError
	ErrNotFound      = errors.New("not in the ledger")
	ErrRule          = errors.New("the rules forbid it") // a plan or a row that no legal step makes: a fault of the program, not of a person
	ErrDuplicate     = errors.New("already in the ledger")
	ErrTotal         = errors.New("the sum is more than can be counted exactly") // see MostInAll
	ErrNoLedger      = errors.New("there is no ledger")
	ErrLedgerExists  = errors.New("there is a ledger already")
	ErrLedgerDamaged = errors.New("the ledger cannot be used")         // damaged, read-only, disk full, newer than the program
	ErrLedgerExposed = errors.New("others may write the ledger")       // not only its own group: anyone may have written what it says
	ErrPayoutLocked  = errors.New("locked: it must not be paid again") // see PayoutLockedError
	ErrUnreachable   = errors.New("the ledger's database does not answer")
	ErrCommitUnknown = fmt.Errorf("%w, and whether this was recorded is not known", ErrUnreachable)
	ErrNotDurable    = errors.New("what the ledger's database records may be lost again")
	ErrLocked        = errors.New("another run holds the ledger")
	ErrRestored      = errors.New("this may not be the newest ledger")               // an older copy, or another ledger in its place
	ErrMoved         = errors.New("the ledger was moved")                            // it continues elsewhere, and nothing is recorded in this one
	ErrUnsafe        = fmt.Errorf("%w: where it lies is not safe", ErrLedgerDamaged) // a second name, a link, another file in its place
	ErrOtherProgram  = fmt.Errorf("%w: another version of payrun made it", ErrLedgerDamaged)
	ErrOutdated      = fmt.Errorf("%w: an older program wrote it last", ErrLedgerDamaged)
	ErrUnmigrated    = fmt.Errorf("%w, and its owner has to migrate it", ErrOutdated)
	ErrHalfReadable  = fmt.Errorf("%w: this user may not write there, and its newest entries are still in its -wal file", ErrLedgerDamaged)
	ErrNoRight       = fmt.Errorf("%w: the database role lacks a right", ErrLedgerDamaged)
	ErrUnfit         = fmt.Errorf("%w as its database is", ErrLedgerDamaged)                         // or as the URL or the password names it
	ErrTampered      = fmt.Errorf("%w: it was changed by other means than payrun", ErrLedgerDamaged) // see TamperedError
	ErrUnauthorized  = errors.New("the bank refused the credentials")
)
