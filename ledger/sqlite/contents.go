package sqlite

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	digest "hash"
	"io"
	"sync"

	"payrun/ledger"
)

// partBytes is how much of a sheet one part holds, before it is packed.
const partBytes = 1 << 20

// contents takes the bytes of a sheet while it is read, and records them in its own goroutine:
// packing them during parsing costs the load little.
type contents struct {
	l       *loading
	filling []byte
	full    chan []byte // to the goroutine; closed at the end
	ended   chan struct{}
	closed  bool

	// Only the goroutine uses these until ended.
	hash  digest.Hash
	out   bytes.Buffer
	flate *flate.Writer // nil if the bytes are already packed
	parts int

	mu  sync.Mutex
	err error // the first of recording
}

// buffersBetween is how many parts may wait for the goroutine.
const buffersBetween = 2

// Contents implements ledger.Load.
func (l *loading) Contents() io.Writer {
	if l.contents != nil {
		return l.contents
	}
	if l.done {
		return &contents{closed: true}
	}
	c := &contents{
		l: l, hash: sha256.New(),
		full: make(chan []byte, buffersBetween), ended: make(chan struct{}),
	}
	l.contents = c
	go c.record()
	return c
}

// ReadAs implements ledger.Load.
func (l *loading) ReadAs(r ledger.ReadOptions) { l.reading = r }

// Write is for one goroutine. It waits while earlier parts are recorded.
func (c *contents) Write(b []byte) (int, error) {
	if c.closed {
		return 0, errors.New("the load is over")
	}
	for n := 0; n < len(b); {
		if c.filling == nil {
			c.filling = make([]byte, 0, partBytes)
		}
		taken := min(len(b)-n, partBytes-len(c.filling))
		c.filling = append(c.filling, b[n:n+taken]...)
		n += taken
		if len(c.filling) == partBytes {
			c.full <- c.filling
			c.filling = nil
		}
	}
	return len(b), c.failed()
}

func (c *contents) failed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// record packs and inserts part after part. After an error it only empties the channel, so that
// Write never blocks.
func (c *contents) record() {
	defer close(c.ended)
	for raw := range c.full {
		if c.failed() == nil {
			if err := c.part(raw); err != nil {
				c.mu.Lock()
				c.err = err
				c.mu.Unlock()
			}
		}
	}
}

// zipMagic begins every XLSX, which is packed already.
var zipMagic = []byte("PK\x03\x04")

func (c *contents) part(raw []byte) error {
	c.hash.Write(raw)
	if c.parts == 0 && !bytes.HasPrefix(raw, zipMagic) {
		var err error
		if c.flate, err = flate.NewWriter(&c.out, flate.BestSpeed); err != nil {
			return err
		}
	}
	c.parts++
	packed := raw
	if c.flate != nil {
		c.out.Reset()
		c.flate.Reset(&c.out)
		if _, err := c.flate.Write(raw); err != nil {
			return err
		}
		if err := c.flate.Close(); err != nil {
			return err
		}
		packed = c.out.Bytes()
	}
	return c.l.addPart(c.parts, c.flate != nil, packed)
}

// addPart inserts between two statements of payouts: the load has one
// connection.
func (l *loading) addPart(part int, packed bool, b []byte) error {
	return l.w.now(func() error {
		_, err := l.w.Exec(context.Background(), `INSERT INTO sheet_contents (sheet_no, part, packed, bytes) VALUES (?, ?, ?, ?)`,
			l.sheetNo, part, packed, b)
		return damage("keep the sheet's bytes", err)
	})
}

// reads returns how the bytes were read; nil if none are kept.
func (c *contents) reads() *ledger.ReadOptions {
	if c == nil {
		return nil
	}
	return &c.l.reading
}

// close waits until everything that was written is recorded, or has failed. c is nil for a load
// that keeps no bytes.
func (c *contents) close() {
	if c == nil || c.closed {
		return
	}
	c.closed = true
	if len(c.filling) > 0 {
		c.full <- c.filling
	}
	close(c.full)
	<-c.ended
}

// finish records the rest and how the sheet was read, and compares the bytes with the sheet.
func (c *contents) finish(ctx context.Context, sheet ledger.Sheet) error {
	if c == nil {
		return nil
	}
	c.close()
	if err := c.failed(); err != nil {
		return err
	}
	if got := hex.EncodeToString(c.hash.Sum(nil)); got != sheet.SHA256 {
		return fmt.Errorf("keep the sheet's bytes: they are not those of the sheet, their sha256 is %s and not %s", got, sheet.SHA256)
	}
	return readings.insert(ctx, c.l.w, &c.l.reading, "sheet_no, ", c.l.sheetNo)
}

// SheetContents writes the bytes of a sheet to w, exactly as they were loaded, and returns how
// they were read. ledger.ErrNotFound if there is no such sheet or its bytes were not kept;
// ledger.ErrLedgerDamaged if they are no longer those that were loaded, which shows only after
// all of them are written.
func (s *Tables) SheetContents(ctx context.Context, id string, w io.Writer) (ledger.ReadOptions, error) {
	return sheetContents(ctx, s.db, id, w)
}

func sheetContents(ctx context.Context, r Reader, id string, w io.Writer) (ledger.ReadOptions, error) {
	doing := "read the bytes of sheet " + id
	var no int64
	var as ledger.ReadOptions
	var want string
	err := r.QueryRow(ctx, `SELECT s.no, s.sha256, `+readings.of("r")+` FROM sheets s JOIN sheet_readings r ON r.sheet_no = s.no WHERE s.id = ?`, id).
		Scan(append([]any{&no, &want}, readings.fields(&as)...)...)
	if err != nil {
		return as, damage(doing, orNotFound(err))
	}
	sum := sha256.New()
	out := io.MultiWriter(sum, w)
	err = each(ctx, r, func(rows Rows) error {
		var packed bool
		var part []byte
		if err := rows.Scan(&packed, &part); err != nil {
			return err
		}
		return copyPart(out, part, packed)
	}, `SELECT packed, bytes FROM sheet_contents WHERE sheet_no = ? ORDER BY part`, no)
	if err != nil {
		return as, damage(doing, err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != want {
		return as, fmt.Errorf("%s: %w: its sha256 is %s and not %s", doing, ledger.ErrLedgerDamaged, got, want)
	}
	return as, nil
}

func copyPart(w io.Writer, part []byte, packed bool) error {
	if packed {
		var err error
		if part, err = io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(part)), partBytes)); err != nil {
			return fmt.Errorf("%w: %w", ledger.ErrLedgerDamaged, err)
		}
	}
	_, err := w.Write(part)
	return err
}

// verifyContents reads the bytes of every sheet that has them.
func verifyContents(ctx context.Context, r Reader, report func(int, string, string)) error {
	all, err := sheets.list(ctx, r, `true ORDER BY no`)
	if err != nil {
		return err
	}
	for _, sheet := range all {
		_, err := sheetContents(ctx, r, sheet.ID, io.Discard)
		switch {
		case errors.Is(err, ledger.ErrLedgerDamaged):
			report(0, "the bytes of each sheet are those that were loaded", err.Error())
		case err != nil && !errors.Is(err, ledger.ErrNotFound):
			return err
		}
	}
	return nil
}
