package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"payrun/ledger"
)

// LeftOut gives the rows of a loaded sheet that are not in the ledger, ready to be
// corrected and brought again; name is what the sheet is called. It is made for this
// once, in the folder of the sheets that wait, and goes when it is closed. It holds account
// numbers in full: that it is given, and where to, is on record. ledger.ErrNotFound where no row is left out, ErrSpoolHeld, ErrNoRoom.
func (u *Uploads) LeftOut(ctx context.Context, call Call, sheetID, from string) (f *os.File, name string, err error) {
	f, err = u.giveOut(ctx, call, from, sheetID+", rows left out", func(o *operation) (path string, err error) {
		path, err = o.leftOut(ctx, sheetID)
		name = filepath.Base(path)
		return path, err
	})
	return f, name, err
}

// ToCorrect gives the payouts of a sheet or batch that a retry would plan, to be
// corrected and brought again, as LeftOut does. ledger.ErrNotFound where there are none.
func (u *Uploads) ToCorrect(ctx context.Context, call Call, of, from string) (*os.File, error) {
	return u.giveOut(ctx, call, from, of+", payouts to correct", func(o *operation) (path string, err error) {
		path = filepath.Join(o.folder, "to-correct.xlsx")
		n, err := o.toCorrect(ctx, RetryRequest{Of: of, Out: path})
		if err == nil && n == 0 {
			err = ledger.ErrNotFound
		}
		return path, err
	})
}

// giveOut makes a file in a folder of its own that only its owner can read, once it is its turn among
// the checks, and records what is given and where to. The file has no name any more when it is given:
// the next start removes what a killed desk was making, and nothing else is left.
func (u *Uploads) giveOut(ctx context.Context, call Call, from, what string, write func(*operation) (path string, err error)) (f *os.File, err error) {
	done, err := u.turn(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	name, remove, err := u.outFolder()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err = errors.Join(err, remove()); err != nil && f != nil { // no one gets it, who would close it
			err = errors.Join(err, f.Close())
			f = nil
		}
	}()
	err = u.app.read(ctx, call, func(o *operation) error {
		o.folder = name
		path, err := write(o)
		if err == nil {
			f, err = os.Open(path)
		}
		return err
	})
	if err == nil {
		err = u.app.recordGiven(ctx, call, loaders, from, what)
	}
	return f, err
}

// outFolder makes a folder for what is given out.
func (u *Uploads) outFolder() (path string, remove func() error, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.hold(); err != nil {
		return "", nil, err
	}
	if free, known := freeOnDisk(u.dir); known && free < leastFree {
		return "", nil, ErrNoRoom
	}
	root, name := u.root, "out-"+NewToken()[:22]
	if err := root.Mkdir(name, 0o700); err != nil {
		return "", nil, err
	}
	return filepath.Join(u.dir, name), func() error {
		if err := root.RemoveAll(name); !errors.Is(err, os.ErrClosed) { // else all of it was closed meanwhile, and emptied
			return err
		}
		return nil
	}, nil
}
