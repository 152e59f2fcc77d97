package resultsheet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"payrun/reports/folder"
)

// WriteToCorrect writes rows of a sheet to path, a .csv or .xlsx that is not there
// (fs.ErrExist), in the person's own columns, order and formats, as WriteRejected
// does. ErrNotPlain where a CSV cannot hold them.
func WriteToCorrect(ctx context.Context, r Rejected, path string, open func() (Rows, error)) error {
	r.payouts = true
	d, name := folder.At(filepath.Dir(path)), filepath.Base(path)
	defer d.Discard()
	err := r.writeAs(ctx, d, name, open)
	if err == nil {
		err = d.Settle(name)
	}
	if err == nil {
		_, err = d.Keep(name, name)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, ErrNotPlain) {
		err = fmt.Errorf("the sheet to correct: %w", err)
	}
	return err
}
