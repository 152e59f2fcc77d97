package ledger

import "crypto/sha256"

// RowOrigin is the row of an earlier sheet that a row came from. It was left out there and
// returned to the user.
type RowOrigin struct {
	SheetID string `json:"sheet_id"`
	Row     int    `json:"row"`
}

// RowUse says what a row of a sheet became.
type RowUse struct {
	ReferenceUse      // of its payout
	Own          bool // the payout is of this sheet; otherwise the row was left out, and came with a later sheet
}

// OriginDigest returns the digest of the row that a payout came from.
func OriginDigest(payoutID int64, from RowOrigin) Digest {
	var room [128]byte
	return sha256.Sum256(encode(room[:], "origin").number(payoutID).text(from.SheetID).number(int64(from.Row)))
}

// OriginEvent returns the audit event of a payout whose row had been left out of an earlier sheet.
func (s Sheet) OriginEvent(p *Payout, from RowOrigin) Event {
	return Event{At: s.LoadedAt, Actor: s.LoadedBy, Kind: EventBroughtBack, SheetID: s.ID, Digest: OriginDigest(p.ID, from).String(),
		Detail: jsonText(rowNote{Ref: p.Ref, Row: from.Row, SheetID: from.SheetID})}
}
