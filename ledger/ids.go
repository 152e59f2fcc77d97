package ledger

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"strconv"
)

var idEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// BatchID derives a merchant_transfer_batch_id. Planning the same thing again
// gives the same id, so a crash between planning and recording cannot lead to
// a second batch, and a copy of the ledger gives the id that the ledger gave;
// another ledger never gives the same one. It must be unique across all batches
// the merchant has submitted (interface.md, "Initiate transfer").
//
// refs are the wire references of a batch of further attempts, in the order of
// its payouts. The sheet's bytes and the sequence say all there is to say of a
// batch that a sheet brought: it has none.
func BatchID(ledgerID, sheetSHA256, bankAccountID string, sequence, attempt int, refs []string) string {
	parts := []string{"batch", ledgerID, sheetSHA256, bankAccountID, strconv.Itoa(sequence), strconv.Itoa(attempt)}
	return "pr" + derive(26, append(parts, refs...)...)
}

// SheetID derives the short name of a sheet from its bytes.
func SheetID(sha256hex string) string { return "sh" + derive(10, "sheet", sha256hex) }

// WireRef is the reference that attempt number n of a payout carries on the
// wire: the payout's own for the first, <ref>-R2, <ref>-R3, … after it.
func WireRef(ref string, n int) string {
	if n <= 1 {
		return ref
	}
	return ref + "-R" + strconv.Itoa(n)
}

func derive(chars int, parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return idEncoding.EncodeToString(h.Sum(nil))[:chars]
}
