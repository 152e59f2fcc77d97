package resultsheet

import (
	"context"
	"fmt"

	"payrun/reports/folder"
)

// WriteToCorrect writes rows of a sheet to path, a new .csv or .xlsx (else fs.ErrExist), in the person's own
// columns, order and formats, as WriteRejected does. It returns ErrNotPlain if a CSV cannot hold them.
func WriteToCorrect(ctx context.Context, r Rejected, path string, open func() (Rows, error)) error {
	r.payouts = true
	err := folder.New(path, func(d *folder.Folder, name string) error { return r.writeAs(ctx, d, name, open) })
	if err != nil {
		return fmt.Errorf("the sheet to correct: %w", err)
	}
	return nil
}
