package ledger

import (
	"crypto/sha256"
	"fmt"
)

// RowOrigin is the row of an earlier sheet that a row came from: it was left out there, and
// returned to the user.
type RowOrigin struct {
	SheetID string `json:"sheet_id"`
	Row     int    `json:"row"`
}

// RowUse is how a row of a sheet was used.
type RowUse struct {
	ReferenceUse      // of its payout
	Own          bool // it belongs to the sheet; otherwise it was left out, and came with a later one
}

// OriginDigest is the digest of the row that a payout came from.
func OriginDigest(payoutID int64, from RowOrigin) Digest {
	var room [128]byte
	return sha256.Sum256(encode(room[:], "origin").number(payoutID).text(from.SheetID).number(int64(from.Row)))
}

// OriginEvent is the audit event of a payout whose row had been left out of an earlier sheet.
func (s Sheet) OriginEvent(p *Payout, from RowOrigin) Event {
	return Event{At: s.LoadedAt, Actor: s.LoadedBy, Kind: EventBroughtBack, SheetID: s.ID, Digest: OriginDigest(p.ID, from).String(),
		Detail: fmt.Sprintf("%s: row %d of %s, which was left out there", p.Ref, from.Row, from.SheetID)}
}
