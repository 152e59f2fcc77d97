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

	packing "github.com/klauspost/compress/flate"
	"payrun/ledger"
)

// partBytes is the size of a part of a sheet, in bytes, before compression.
const partBytes = 1 << 20

// contents takes the bytes of a sheet while it is read, and records them part by part.
type contents struct {
	l       *loading
	filling []byte
	hash    digest.Hash
	parts   int
	over    bool // the sheet has ended
}

// Contents implements ledger.Load.
func (l *loading) Contents() io.Writer {
	if l.contents == nil {
		l.contents = &contents{l: l, hash: sha256.New()}
	}
	return l.contents
}

// ReadAs implements ledger.Load.
func (l *loading) ReadAs(r ledger.ReadOptions) { l.reading = r }

func (c *contents) Write(b []byte) (int, error) {
	if c.over {
		return 0, errors.New("the sheet is over")
	}
	if err := c.l.usable(); err != nil {
		return 0, err
	}
	n := len(b)
	for len(b) > 0 {
		taken := min(len(b), partBytes-len(c.filling))
		c.filling, b = append(c.filling, b[:taken]...), b[taken:]
		if len(c.filling) == partBytes {
			if err := c.part(); err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}

// part sends what was written since the last part to be compressed and inserted, between two statements of
// payouts.
func (c *contents) part() error {
	c.hash.Write(c.filling)
	c.parts++
	w, sheetNo, number, raw := c.l.w, c.l.sheetNo, c.parts, c.filling
	c.filling = nil
	w.run(func() error { return damage("keep the sheet's bytes", insertPart(w, sheetNo, number, raw)) })
	return w.failed()
}

// insertPart records a part as its own DEFLATE stream.
func insertPart(w *bulkWriter, sheetNo int64, number int, raw []byte) error {
	var packed bytes.Buffer
	z, _ := packing.NewWriter(&packed, packing.BestSpeed) // it knows this level, and a buffer takes everything
	_, _ = z.Write(raw)
	_ = z.Close()
	_, err := w.Exec(context.Background(), `INSERT INTO sheet_contents (sheet_no, part, bytes) VALUES (?, ?, ?)`, sheetNo, number, packed.Bytes())
	return err
}

// reads returns how the bytes were read, or nil if none are kept.
func (c *contents) reads() *ledger.ReadOptions {
	if c == nil {
		return nil
	}
	return &c.l.reading
}

// rest records what was written since the last part. c is nil for a load that keeps no bytes.
func (c *contents) rest() error {
	if c == nil || len(c.filling) == 0 {
		return nil
	}
	return c.part()
}

// finish records how the sheet was read, and compares the bytes with the sheet.
func (c *contents) finish(ctx context.Context, sheet ledger.Sheet) error {
	if c == nil {
		return nil
	}
	c.over = true
	if got := hex.EncodeToString(c.hash.Sum(nil)); got != sheet.SHA256 {
		return fmt.Errorf("keep the sheet's bytes: they are not those of the sheet, their sha256 is %s and not %s", got, sheet.SHA256)
	}
	return readings.insert(ctx, c.l.w, &c.l.reading, "sheet_no, ", c.l.sheetNo)
}

// SheetContents writes the bytes of a sheet to w, exactly as they were loaded, and returns how they were read.
// It returns ledger.ErrNotFound if there is no such sheet or its bytes were not kept, and
// ledger.ErrLedgerDamaged if they are no longer those that were loaded; this shows only after all of them are
// written.
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
		var packed []byte
		if err := rows.Scan(&packed); err != nil {
			return err
		}
		part, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), partBytes))
		if err != nil {
			return fmt.Errorf("%w: %w", ledger.ErrLedgerDamaged, err)
		}
		_, err = out.Write(part)
		return err
	}, `SELECT bytes FROM sheet_contents WHERE sheet_no = ? ORDER BY part`, no)
	if err != nil {
		return as, damage(doing, err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != want {
		return as, fmt.Errorf("%s: %w: its sha256 is %s and not %s", doing, ledger.ErrLedgerDamaged, got, want)
	}
	return as, nil
}

// verifyContents compares the kept bytes of every sheet with the sheet's digest.
func verifyContents(ctx context.Context, r Snapshot, report func(int, string, string)) error {
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
