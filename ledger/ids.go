package ledger

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
)

var idEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// BatchID derives a merchant_transfer_batch_id. Planning the same thing again
// gives the same id, so a crash between planning and recording cannot lead to
// a second batch, and a copy of the ledger gives the id that the ledger gave;
// another ledger never gives the same one. It must be unique across all batches
// the merchant has submitted (interface.md, "Initiate transfer").
//
// content is Sheet.Content. refs are the wire references of a batch of further attempts, in the order of
// its payouts. The sheet's content and the sequence say all there is to say of a
// batch that a sheet brought: it has none.
func BatchID(ledgerID, content, bankAccountID string, sequence, attempt int, refs []string) string {
	parts := []string{"batch", ledgerID, content, bankAccountID, strconv.Itoa(sequence), strconv.Itoa(attempt)}
	return "pr" + derive(26, append(parts, refs...)...)
}

// SheetID derives the short name of a sheet from its content, see Sheet.Content.
func SheetID(content string) string { return "sh" + derive(10, "sheet", content) }

// ContentOf is what the ids of a sheet and of its batches derive from: the
// SHA-256 of its bytes, and with it the tab of a workbook and what was put before
// every reference, where there are such. Two tabs of one workbook are two sheets,
// and so is one register with the references of two months.
//
// It hangs on nothing but the sheet and how it is read, so that a copy of the
// ledger gives the same ids, whichever tab was loaded there first.
func ContentOf(sha256hex, tab, refPrefix string) string {
	if tab == "" && refPrefix == "" {
		return sha256hex
	}
	sum := digest("content", sha256hex, tab, refPrefix)
	return hex.EncodeToString(sum[:])
}

// WireRef is the reference that attempt number n of a payout carries on the
// wire: the payout's own for the first, <ref>-R2, <ref>-R3, … after it.
func WireRef(ref string, n int) string {
	if n <= 1 {
		return ref
	}
	return ref + "-R" + strconv.Itoa(n)
}

const (
	// idLetters is how many letters at the beginning of an id say what it is of.
	idLetters = 2
	// shortID is how much of an id is shown after them: of ten thousand batches two
	// have the same with a chance of one in twenty thousand.
	shortID = 8
	// ShortestID is how much of an id has to be named after them.
	ShortestID = 6
)

// ShortID is the beginning of a batch's or a sheet's id that is shown to people.
// Where it names several, more of it has to be said.
func ShortID(id string) string { return id[:min(len(id), idLetters+shortID)] }

// BeginsID reports whether word is enough of the id's beginning to name it.
func BeginsID(word, id string) bool {
	return word == id || len(word) >= idLetters+ShortestID && strings.HasPrefix(id, word)
}

func derive(chars int, parts ...string) string {
	sum := digest(parts...)
	return idEncoding.EncodeToString(sum[:])[:chars]
}

// digest is the SHA-256 of texts, each with its length, so that no two lists run
// into one.
func digest(parts ...string) [sha256.Size]byte {
	b := make([]byte, 0, 512) // most lists fit, and take no room of their own
	for _, p := range parts {
		b = binary.BigEndian.AppendUint64(b, uint64(len(p)))
		b = append(b, p...)
	}
	return sha256.Sum256(b)
}
