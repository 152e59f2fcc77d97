package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// bookSchema names the form of the state file.
const bookSchema = "payrun.sandbox.book/v2"

// readBook reads the state file of an earlier run. found is false when there
// is none; one that cannot be read is an error: a bank that forgets what it
// paid is useless for a rehearsal.
func readBook(path string) (k book, found bool, err error) {
	if path == "" {
		return book{}, false, nil
	}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return book{}, false, nil
	}
	if err != nil {
		return book{}, false, fmt.Errorf("state file: %w", err)
	}
	if err := json.Unmarshal(raw, &k); err != nil {
		return book{}, false, fmt.Errorf("state file %s: %w", path, err)
	}
	if k.Schema != bookSchema {
		return book{}, false, fmt.Errorf("state file %s: schema %q, want %q", path, k.Schema, bookSchema)
	}
	return k, true, nil
}

// save replaces the state file as a whole: a reader sees the old one or the
// new one. It holds OTPs and keys, so only its owner may read it.
func (b *bank) save(path string) (err error) {
	if path == "" {
		return nil
	}
	raw, err := json.Marshal(b.book)
	if err != nil {
		return fmt.Errorf("state file: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // 0600
	if err != nil {
		return fmt.Errorf("state file: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(raw)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("state file: %w", err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("state file: %w", err)
	}
	return nil
}
