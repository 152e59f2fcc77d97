package validate

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"

	"payrun/ledger"
)

// rowsHash is the content of a sheet whatever the file around it: the same rows as CSV and as XLSX,
// under other headers, in other column order or with amounts written another way have the same hash.
// Columns that are not read do not count, nor do blank rows, titles and the total row.
type rowsHash struct {
	buf []byte // not yet in sum
	sum hash.Hash
}

const rowsHashBuffer = 32 << 10

func newRowsHash() *rowsHash { return &rowsHash{sum: sha256.New()} }

// add takes one cell. Each row adds the same number of cells and each text its
// length, even where an amount is odd, so that no two contents run into one.
func (h *rowsHash) add(cell string) {
	h.buf = binary.AppendUvarint(h.buf, uint64(len(cell))<<1)
	h.buf = append(h.buf, cell...)
	if len(h.buf) >= rowsHashBuffer {
		h.sum.Write(h.buf)
		h.buf = h.buf[:0]
	}
}

// addAmount takes an amount that could be read, however it was written.
func (h *rowsHash) addAmount(p ledger.Paise) {
	h.buf = binary.AppendUvarint(h.buf, uint64(p)<<1|1)
}

// hex ends the hash.
func (h *rowsHash) hex() string {
	h.sum.Write(h.buf)
	h.buf = nil
	return hex.EncodeToString(h.sum.Sum(nil))
}
