package sqlite

import (
	"cmp"
	"context"
	"errors"
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

const (
	// isRest: every row of the sheet r was left out of an earlier sheet.
	isRest = `r.accepted_count > 0 AND r.accepted_count = (SELECT count(*) FROM origins WHERE payout_id BETWEEN r.first_payout AND r.last_payout)`
	// cameOf adds to the sheets in came those that brought only rows that a sheet in came had left out. All
	// rows of such a sheet come from one sheet, so its first row decides.
	cameOf = ` UNION SELECT r.no FROM came CROSS JOIN origins o ON o.sheet_no = came.no CROSS JOIN payouts p ON p.id = o.payout_id
		CROSS JOIN sheets r ON r.no = p.sheet_no AND r.first_payout = o.payout_id WHERE ` + isRest
)

// SheetAndRest returns a sheet and the sheets that brought only rows which it had left out, in the order of
// loading. For a sheet that brought such rows it begins with the sheet that left them out. It returns no sheet
// if that one does not exist.
func (s *Tables) SheetAndRest(ctx context.Context, sheetID string) ([]ledger.Sheet, error) {
	list, err := sheets.list(ctx, s.db, sheetAndRest, sheetID)
	return list, damage("read a sheet and its rest", err)
}

const sheetAndRest = `no IN (WITH RECURSIVE
	left_out(no) AS (SELECT no FROM sheets WHERE id = ? UNION SELECT o.sheet_no FROM left_out CROSS JOIN sheets r ON r.no = left_out.no
		CROSS JOIN origins o ON o.payout_id = r.first_payout WHERE ` + isRest + `),
	came(no) AS (SELECT min(no) FROM left_out` + cameOf + `)
	SELECT no FROM came) ORDER BY no`

// PaysBefore returns the sheet that paid the most of the given accounts before; if several did, the newest of
// them; if none did, the newest sheet. It considers the sheets loaded before sheetID (all for "") with a payout
// that was or may still be paid from the debit account. It returns ledger.ErrNotFound if there is none. paid
// holds payouts to each account (Payees.LatestPayments). A sheet that brought only rows which another had left
// out is part of that sheet.
func (s *Tables) PaysBefore(ctx context.Context, bankAccountID, sheetID string, paid map[ledger.Account][]ledger.Payment) (ledger.Sheet, error) {
	const doing = "look for the sheet before"
	ids, err := s.sharing(ctx, paid)
	if err != nil {
		return ledger.Sheet{}, damage(doing, err)
	}
	for _, id := range ids {
		if found, err := s.sheetWhere(ctx, doing, paysBefore, bankAccountID, sheetID, id); !errors.Is(err, ledger.ErrNotFound) {
			return found, err
		}
	}
	return s.sheetWhere(ctx, doing, paysBefore, bankAccountID, sheetID, "")
}

// sharing returns the sheets that paid any of the accounts: first those that paid the most of them, and of
// these the newest first.
func (s *Tables) sharing(ctx context.Context, paid map[ledger.Account][]ledger.Payment) (ids []string, err error) {
	if len(paid) == 0 {
		return nil, nil
	}
	type shared struct {
		id          string
		first, last int64 // its payouts
		accounts    int
	}
	all, err := list(ctx, s.db, func(v *shared) []any { return []any{&v.id, &v.first, &v.last} },
		`SELECT id, first_payout, last_payout FROM sheets WHERE sealed = 1 AND accepted_count > 0 ORDER BY first_payout`)
	for _, payments := range paid { // each in the order of loading
		at := -1
		for _, p := range payments {
			i, found := slices.BinarySearchFunc(all, p.PayoutID, func(v shared, id int64) int { return cmp.Compare(v.last, id) })
			if i == at || !found && (i == len(all) || all[i].first > p.PayoutID) {
				continue
			}
			at = i
			all[i].accounts++
		}
	}
	all = slices.DeleteFunc(all, func(v shared) bool { return v.accounts == 0 })
	slices.Reverse(all)
	slices.SortStableFunc(all, func(a, b shared) int { return cmp.Compare(b.accounts, a.accounts) })
	return ledger.ListOf(all, func(v shared) string { return v.id }), err
}

// paysBefore goes back sheet by sheet, or checks one sheet, and looks for only one payout in each batch.
const paysBefore = `sealed = 1 AND (?3 = '' OR id = ?3) AND (?2 = '' OR no < (SELECT no FROM sheets WHERE id = ?2))
	AND NOT EXISTS (SELECT 1 FROM sheets r WHERE r.no = sheets.no AND ` + isRest + `)
	AND EXISTS (SELECT 1 FROM batches b WHERE b.sheet_no IN (WITH RECURSIVE came(no) AS (SELECT sheets.no` + cameOf + `) SELECT no FROM came)
		AND b.route_no IN (SELECT no FROM routes WHERE bank_account_id = ?1)
		AND (b.made = 0 OR EXISTS (SELECT 1 FROM attempts a WHERE a.batch_no = b.no AND a.state NOT IN (SELECT name FROM retryable_states))))
	ORDER BY no DESC`
