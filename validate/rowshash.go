package validate

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"

	"payrun/ledger"
)

// rowsHash identifies the content of a sheet independent of its file. The same rows have the same hash as CSV
// and as XLSX, under other headers, in another column order, or with amounts written in another way. Unread
// columns, blank rows, titles and the total row do not count.
type rowsHash struct {
	sum hash.Hash
	buf *bufio.Writer // not yet in sum
}

func newRowsHash() *rowsHash {
	sum := sha256.New()
	return &rowsHash{sum, bufio.NewWriterSize(sum, 32<<10)}
}

// add adds one cell with its length. A readable amount is marked by an odd number, and each row adds the same
// number of cells (see hashInto for rows of the wrong shape), so that different contents do not run into one.
func (h *rowsHash) add(cell string) {
	h.addNumber(uint64(len(cell)) << 1)
	_, _ = h.buf.WriteString(cell) // a hash never fails
}

// addAmount adds an amount that could be read, however it was written.
func (h *rowsHash) addAmount(p ledger.Paise) { h.addNumber(uint64(p)<<1 | 1) }

func (h *rowsHash) addNumber(n uint64) {
	_, _ = h.buf.Write(binary.AppendUvarint(h.buf.AvailableBuffer(), n))
}

// hex ends the hash and returns it.
func (h *rowsHash) hex() string {
	_ = h.buf.Flush()
	return hex.EncodeToString(h.sum.Sum(nil))
}
