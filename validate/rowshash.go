package validate

import (
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
	buf []byte // not yet in sum
}

func newRowsHash() *rowsHash { return &rowsHash{sum: sha256.New()} }

// hashAtOnce is how many bytes are hashed together.
const hashAtOnce = 32 << 10

// add adds one cell with its length. A readable amount is marked by an odd number, and each row adds the same
// number of cells (see hashInto for rows of the wrong shape), so that different contents do not run into one.
func (h *rowsHash) add(cell string) {
	h.buf = append(binary.AppendUvarint(h.buf, uint64(len(cell))<<1), cell...)
	if len(h.buf) >= hashAtOnce {
		h.flush()
	}
}

// addAmount adds an amount that could be read, however it was written.
func (h *rowsHash) addAmount(p ledger.Paise) { h.buf = binary.AppendUvarint(h.buf, uint64(p)<<1|1) }

func (h *rowsHash) flush() {
	_, _ = h.sum.Write(h.buf) // a hash never fails
	h.buf = h.buf[:0]
}

// hex ends the hash and returns it.
func (h *rowsHash) hex() string {
	h.flush()
	return hex.EncodeToString(h.sum.Sum(nil))
}
