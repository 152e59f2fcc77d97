package ledger

import (
	"errors"
	"fmt"
)

// ErrExport: an export is incomplete, or payrun did not write it. Nothing of it is recorded.
var ErrExport = errors.New("this is not a whole export of a ledger")

// NotExport returns ErrExport with the reason.
func NotExport(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrExport, fmt.Errorf(format, args...))
}
