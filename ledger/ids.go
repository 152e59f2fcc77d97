package ledger

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"strconv"
	"strings"
)

var idEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// BatchID derives a merchant_transfer_batch_id. Planning the same batch again gives the same
// id, so a crash between planning and recording cannot lead to a second batch. A copy of the
// ledger derives the same id; another ledger never does. The id must be unique across all
// batches the merchant has submitted (interface.md, "Initiate transfer").
//
// content is Sheet.Content. refs are the wire references of a batch of further attempts, in the
// order of its payouts. The first batches of a sheet have no refs: the sheet's content and the
// sequence identify them.
func BatchID(ledgerID, content, bankAccountID string, sequence, attempt int, refs []string) string {
	parts := []string{"batch", ledgerID, content, bankAccountID, strconv.Itoa(sequence), strconv.Itoa(attempt)}
	return "pr" + derive(26, append(parts, refs...)...)
}

// SheetID derives the short name of a sheet from its content, see Sheet.Content.
func SheetID(content string) string { return "sh" + derive(10, "sheet", content) }

// ContentOf returns the source of the ids of a sheet and of its batches: the SHA-256 of its
// bytes, with the tab of a workbook and the prefix of the references, if there are any. Two
// tabs of one workbook are two sheets. So is one register with two prefixes.
//
// It depends only on the sheet and how it is read, so a copy of the ledger gives the same ids
// even if the tabs were loaded there in another order.
func ContentOf(sha256hex, tab, refPrefix string) string {
	if tab == "" && refPrefix == "" {
		return sha256hex
	}
	return Digest(digest("content", sha256hex, tab, refPrefix)).String()
}

// WireRef returns the reference number n of a payout on the wire: the payout's own for 1, then
// <ref>-R2, <ref>-R3, …
func WireRef(ref string, n int) string {
	if n <= 1 {
		return ref
	}
	return ref + "-R" + strconv.Itoa(n)
}

const (
	// idLetters is the length of the prefix of an id that says its kind.
	idLetters = 2
	// shortID is how many characters of an id are shown after the prefix. The chance that two of
	// ten thousand batches share them is one in twenty thousand.
	shortID = 8
	// ShortestID is how many characters after the prefix a person must type at least.
	ShortestID = 6
)

// ShortID returns the beginning of a batch's or sheet's id, as shown to people. If it matches
// several ids, a person has to type more of it.
func ShortID(id string) string { return id[:min(len(id), idLetters+shortID)] }

// BeginsID reports whether word is a long enough prefix of the id to name it.
func BeginsID(word, id string) bool {
	return word == id || len(word) >= idLetters+ShortestID && strings.HasPrefix(id, word)
}

func derive(chars int, parts ...string) string {
	sum := digest(parts...)
	return idEncoding.EncodeToString(sum[:])[:chars]
}

// digest returns the SHA-256 of texts, each with its length, so that two different lists have
// different digests.
func digest(parts ...string) [sha256.Size]byte {
	b := make([]byte, 0, 512) // most lists fit, so this needs no allocation
	for _, p := range parts {
		b = binary.BigEndian.AppendUint64(b, uint64(len(p)))
		b = append(b, p...)
	}
	return sha256.Sum256(b)
}
