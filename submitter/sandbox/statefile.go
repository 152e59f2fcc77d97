package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"payrun/ledger/durable"
)

// bookSchema names the format of the state file.
const bookSchema = "payrun.sandbox.book/v2"

// readBook reads the state file of an earlier run, or returns nil if there is none. A file that cannot be read
// is an error: a bank that forgets what it paid is useless for a rehearsal.
func readBook(path string) (*book, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("state file: %w", err)
	}
	var k book
	if err := json.Unmarshal(raw, &k); err != nil {
		return nil, fmt.Errorf("state file %s: %w", path, err)
	}
	if k.Schema != bookSchema {
		return nil, fmt.Errorf("state file %s: schema %q, want %q", path, k.Schema, bookSchema)
	}
	return &k, nil
}

// save replaces the whole state file at once: a reader sees the old one or the new one. It holds OTPs and keys,
// so only its owner may read it.
func (b *bank) save() (err error) {
	path := b.options.StateFile
	if path == "" {
		return nil
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("state file: %w", err)
		}
	}()
	raw, err := json.Marshal(b.book)
	if err != nil {
		return err
	}
	return durable.Replace(path, durable.From(bytes.NewReader(raw)))
}
