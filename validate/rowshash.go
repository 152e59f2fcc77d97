package validate

import (
	"bufio"
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
	sum           hash.Hash
	*bufio.Writer // into it
}

func newRowsHash() *rowsHash {
	sum := sha256.New()
	return &rowsHash{sum, bufio.NewWriterSize(sum, 32<<10)}
}

// add takes one cell. Each row adds the same number of cells and each text its
// length, even where an amount is odd, so that no two contents run into one.
func (h *rowsHash) add(cell string) {
	h.number(uint64(len(cell)) << 1)
	_, _ = h.WriteString(cell) // a hash takes all
}

// addAmount takes an amount that could be read, however it was written.
func (h *rowsHash) addAmount(p ledger.Paise) { h.number(uint64(p)<<1 | 1) }

func (h *rowsHash) number(n uint64) {
	_, _ = h.Write(binary.AppendUvarint(h.AvailableBuffer(), n))
}

// hex ends the hash.
func (h *rowsHash) hex() string {
	_ = h.Flush()
	return hex.EncodeToString(h.sum.Sum(nil))
}
