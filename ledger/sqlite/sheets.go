package sqlite

import (
	"context"
	"maps"
	"slices"

	"payrun/ledger"
)

// sheets are the fields of a sheet that are recorded when it is sealed.
var sheets = table[ledger.Sheet]{"sheets", `id, name, sha256, rows_hash, content, ref_prefix, unprefixed, format, tab, header_row, row_count, blank_count, has_total, total,
	accepted_count, accepted_total, rejected_count, rejected_total, corrected_count, corrected_total, loaded_at, loaded_by`, func(s *ledger.Sheet) []any {
	return []any{&s.ID, &s.Name, &s.SHA256, &s.RowsHash, &s.Content, &s.RefPrefix, nullable{&s.Unprefixed}, &s.Format, &s.Tab, &s.Header, &s.Rows, &s.Blank, &s.HasTotal, &s.Total,
		&s.Accepted.Count, &s.Accepted.Total, &s.Rejected.Count, &s.Rejected.Total, &s.Corrected.Count, &s.Corrected.Total, moment{&s.LoadedAt}, &s.LoadedBy}
}}

// readings are how the bytes of sheets were read.
var readings = table[ledger.ReadOptions]{"sheet_readings", "encoding, hidden_rows, columns", func(r *ledger.ReadOptions) []any {
	return []any{&r.Encoding, &r.HiddenRows, inJSON{&r.Columns}}
}}

// sheetWhere returns the first sheet that a condition selects, or ledger.ErrNotFound.
func (s *Tables) sheetWhere(ctx context.Context, doing, where string, args ...any) (sheet ledger.Sheet, err error) {
	err = s.db.QueryRow(ctx, `SELECT `+sheets.columns+` FROM sheets WHERE `+where+` LIMIT 1`, args...).Scan(sheets.fields(&sheet)...)
	return sheet, damage(doing, orNotFound(err))
}

// Sheets returns the loaded sheets in the order of loading.
func (s *Tables) Sheets(ctx context.Context) ([]ledger.Sheet, error) {
	list, err := sheets.list(ctx, s.db, `true ORDER BY no`)
	return list, damage("read the sheets", err)
}

// SheetBy returns the sheet with the same content as like: the same tab of the same bytes under the same
// prefix, or the same rows. It returns ledger.ErrNotFound if there is none. If two match, it returns the one
// with the bytes.
func (s *Tables) SheetBy(ctx context.Context, like ledger.Sheet) (ledger.Sheet, error) {
	return s.sheetWhere(ctx, "look for the sheet", `(sha256, tab, ref_prefix) = (?1, ?2, ?3) OR rows_hash = ?4 ORDER BY sha256 = ?1 DESC`,
		like.SHA256, like.Tab, like.RefPrefix, like.RowsHash)
}

// SheetUnderAnotherPrefix returns the first sheet with the same content as like but another prefix before its
// references, or ledger.ErrNotFound.
func (s *Tables) SheetUnderAnotherPrefix(ctx context.Context, like ledger.Sheet) (ledger.Sheet, error) {
	return s.sheetWhere(ctx, "look for the sheet under another prefix", `ref_prefix <> ?3 AND ((sha256, tab) = (?1, ?2) OR ifnull(unprefixed, rows_hash) = ?4) ORDER BY no`,
		like.SHA256, like.Tab, like.RefPrefix, like.Bare())
}

// lookups is how many items one query looks up.
const lookups = 512

// UsedReferences returns which of the folded references any attempt of any payout ever used, on the wire or in
// a sheet.
func (s *Tables) UsedReferences(ctx context.Context, keys []string) (map[string]ledger.ReferenceUse, error) {
	type use struct {
		key string
		ledger.ReferenceUse
	}
	used := map[string]ledger.ReferenceUse{}
	var some bool
	if err := s.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM wire_keys)`).Scan(&some); err != nil || !some {
		return used, damage("look up references", err)
	}
	sorted := slices.Sorted(slices.Values(keys)) // neighbours share a page
	err := eachAsked(ctx, s.db, func(u *use) []any {
		return []any{&u.key, &u.Ref, &u.SheetID, &u.SheetName, &u.Row, moment{&u.LoadedAt}}
	}, func(u use) { used[u.key] = u.ReferenceUse }, sorted, askedValues+`SELECT k.key, ifnull(f.wire_ref, p.ref), s.id, s.name, p.row, s.loaded_at
		FROM asked CROSS JOIN wire_keys k ON k.key = asked.a JOIN payouts p ON p.id = k.payout_id JOIN sheets s ON s.no = p.sheet_no
		LEFT JOIN attempts f ON f.payout_id = k.payout_id AND f.number = k.number`)
	return used, damage("look up references", err)
}

// Correctable returns, by folded reference, the state of the payouts whose own references have these folded
// forms. It leaves out references that are no payout's own.
func (s *Tables) Correctable(ctx context.Context, keys []string) (map[string]ledger.Correctable, error) {
	const doing = "look up payouts to correct"
	keyOf := map[int64]string{}
	err := eachAsked(ctx, s.db, func(k *keyed) []any { return []any{&k.key, &k.id} }, func(k keyed) { keyOf[k.id] = k.key }, keys, askedValues+`SELECT key, payout_id FROM asked CROSS JOIN wire_keys ON key = asked.a WHERE number = 1`)
	if err != nil {
		return nil, damage(doing, err)
	}
	found := map[string]ledger.Correctable{}
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(keyOf)), lookups) {
		records, err := s.Records(ctx, ids)
		if err != nil {
			return nil, damage(doing, err)
		}
		for id, all := range records {
			found[keyOf[id]] = ledger.Correctable{After: all[len(all)-1].Attempt, Records: all}
		}
	}
	return found, nil
}
