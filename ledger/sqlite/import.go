package sqlite

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
)

// Import creates a ledger at path from an export, completely or not at all. give calls the functions of out for
// everything in the export, and returns the audit head that the ledger must end with. fold folds references as
// loading does. The new ledger is a copy, like one of Backup, and gets its name only after Verify found
// nothing. Import returns ledger.ErrLedgerExists if the name is taken, and ledger.ErrExport if the input is not
// a complete and unchanged export.
func Import(ctx context.Context, path, actor string, fold func(ref string) string, give func(out ledger.Export) (ledger.AuditHead, error)) (made ledger.Backup, err error) {
	path, lock, err := claimNew(ctx, path, "payrun ledger import", actor)
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, lock.release()) }()
	doing := "import to " + path
	err = newLedger(path, func(temp string) error {
		head, err := importTo(ctx, temp, fold, give)
		if errors.Is(err, ledger.ErrRule) || errors.Is(err, ledger.ErrDuplicate) {
			err = ledger.NotExport("%w", err)
		}
		if err != nil {
			return damage(doing, err)
		}
		if made, err = inspect(ctx, temp); err != nil && ctx.Err() == nil {
			err = ledger.NotExport("%w", err)
		} else if err == nil && made.Head != head {
			err = ledger.NotExport("its last line tells another head of the audit trail than its events")
		}
		return damage(doing, err)
	})
	return made, err
}

// importTo fills an empty file. It creates the triggers after the rows, because they check steps.
func importTo(ctx context.Context, path string, fold func(string) string, give func(ledger.Export) (ledger.AuditHead, error)) (head ledger.AuditHead, err error) {
	s, err := newTables(ctx, path)
	if err != nil {
		return head, damage("make the tables", err)
	}
	defer func() { err = errors.Join(err, s.write.Close()) }()
	e, err := s.db.Load(ctx)
	if err != nil {
		return head, damage("make the tables", err)
	}
	guards, err := pairs[string, string](ctx, e, `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`)
	for name := range guards {
		if err == nil {
			_, err = e.Exec(ctx, `DROP TRIGGER `+name)
		}
	}
	if err != nil {
		return head, errors.Join(damage("make the tables", err), e.End(false))
	}
	return Fill(ctx, e, fold, give, func() error {
		for _, guard := range slices.Sorted(maps.Values(guards)) {
			if _, err := e.Exec(ctx, guard); err != nil {
				return err
			}
		}
		return nil
	})
}

// Fill records an export in empty tables whose guards are off, and ends the transaction. last turns the guards
// on. Fill commits if everything was recorded and last returns no error.
func Fill(ctx context.Context, e LoadEngine, fold func(string) string, give func(ledger.Export) (ledger.AuditHead, error), last func() error) (head ledger.AuditHead, err error) {
	i := &importing{w: newBulkWriter(e), fold: fold, sheets: map[string]int64{}, batches: map[string]int64{}, next: 1}
	if head, err = give(i.export()); err == nil {
		err = i.finish(ctx)
	}
	if err == nil {
		err = damage("import", last())
	}
	return head, errors.Join(err, damage("import", i.w.close(err == nil)))
}

// importing records an export. Only finish uses the connection itself.
type importing struct {
	w       *bulkWriter
	fold    func(string) string
	err     error // after it nothing is recorded
	sheets  map[string]int64
	batches map[string]int64
	sheet   loading             // the last sheet; only its contents are used
	next    int64               // first payout of the next sheet
	key     string              // the folded reference of the last payout
	refs    []string            // the references of its attempts so far
	look    ledger.RecordedLook // the last check
	place   int                 // its place within its call
	created time.Time           // when the ledger was created
}

// importer returns a function that records values of a table, with further columns.
func importer[T any](i *importing, t table[T], further string) func(v *T, values ...any) error {
	m := i.w.rows(Into{Table: t.name, Columns: further + t.columns})
	return func(v *T, values ...any) error {
		if i.failed(i.w.failed()); i.err == nil {
			m.row(append(values, t.fields(v)...)...)
		}
		return i.err
	}
}

// failed keeps the first error.
func (i *importing) failed(err error) { i.err = cmp.Or(i.err, err) }

// one records values of a table without further columns.
func one[T any](i *importing, t table[T]) func(T) error {
	record := importer(i, t, "")
	return func(v T) error { return record(&v) }
}

// sheetNo and batchNo return the number of an earlier row.
func (i *importing) sheetNo(id string) int64 { return numberOf(i, i.sheets, "sheet", id) }
func (i *importing) batchNo(id string) int64 { return numberOf(i, i.batches, "batch", id) }

func numberOf(i *importing, of map[string]int64, what, id string) int64 {
	no, ok := of[id]
	if !ok {
		i.failed(ledger.NotExport("there is no %s %q before what is of it", what, id))
	}
	return no
}

// route returns the number of a route.
func (i *importing) route(r ledger.Route) int64 {
	no, err := i.w.routeNo(r)
	i.failed(err)
	return no
}

func (i *importing) export() ledger.Export {
	sheet, reading := importer(i, sheets, "no, sealed, first_payout, last_payout, "), importer(i, readings, "sheet_no, ")
	batch := importer(i, table[ledger.Batch]{"batches", strings.ReplaceAll(ofBatch, "b.", ""), batchFields}, "no, sheet_no, route_no, planned_with, ")
	payout := importer(i, table[ledger.Payout]{"payouts", corrections.columns, corrections.fields}, "id, sheet_no, row, route_no, ref, ref_key, ")
	attempt := importer(i, attempts, "payout_id, number, batch_no, wire_ref, ")
	origin := importer(i, table[ledger.OriginFacts]{"origins", "sheet_no, row", func(o *ledger.OriginFacts) []any { return []any{&o.SheetNo, &o.Row} }}, "payout_id, ")
	correction := importer(i, corrections, "payout_id, number, sheet_no, row, route_no, ")
	intent, look := importer(i, intents, "no, batch_no, looks, "), importer(i, looks, "batch_no, intent_no, place, ")
	release := importer(i, releases, "batch_no, ")
	statement, same := importer(i, statements, ""), importer(i, sameDays, "reading, ")
	event := importer(i, events, "")
	used := importer(i, table[ledger.AttemptKey]{"wire_keys", "payout_id, number", func(k *ledger.AttemptKey) []any { return []any{&k.PayoutID, &k.Number} }}, "key, ")
	return ledger.Export{
		Ledger: func(id string, at time.Time) error {
			i.created = at
			return i.w.now(func() error {
				_, err := i.w.Exec(context.Background(), `INSERT INTO ledger (one, id, created_at) VALUES (1, ?, ?)`, id, micros(at))
				return err
			})
		},
		Sheet: func(s ledger.Sheet, r *ledger.ReadOptions) error {
			i.failed(i.sheet.contents.rest())
			no, first := int64(len(i.sheets))+1, i.next
			i.sheets[s.ID], i.sheet, i.next = no, loading{w: i.w, sheetNo: no}, first+int64(s.Accepted.Count)
			if err := sheet(&s, no, true, first, i.next-1); err != nil || r == nil {
				return err
			}
			return reading(r, no)
		},
		SheetPart: func(id string, _ int, b []byte) error {
			if i.sheetNo(id) != i.sheet.sheetNo {
				i.failed(ledger.NotExport("bytes of sheet %s do not follow it", id))
			}
			if i.err != nil {
				return i.err
			}
			_, err := i.sheet.Contents().Write(b)
			return err
		},
		Batch: func(b ledger.Batch) error {
			var with int64
			if b.PlannedWith != "" {
				with = i.batchNo(b.PlannedWith)
			}
			no := int64(len(i.batches)) + 1
			i.batches[b.ID] = no
			return batch(&b, no, i.sheetNo(b.SheetID), i.route(b.Route()), nullable{&with})
		},
		Attempt: func(a ledger.Attempt) error {
			var ref any // the first attempt has the payout's reference
			if a.Number > 1 {
				ref = a.WireRef
			} else {
				i.key, i.refs = i.fold(a.Ref), i.refs[:0]
				if err := payout(&a.Payout, a.ID, i.sheetNo(a.SheetID), a.Row, i.route(a.Route()), a.Ref, storedKey(a.Ref, i.key)); err != nil {
					return err
				}
			}
			if !slices.Contains(i.refs, a.WireRef) {
				i.refs = append(i.refs, a.WireRef)
				if err := used(&ledger.AttemptKey{PayoutID: a.ID, Number: a.Number}, ledger.FurtherKey(a.Ref, i.key, a.WireRef)); err != nil {
					return err
				}
			}
			if a.AsPlanned() {
				a.UpdatedAt = time.Time{} // its batch has the time of planning
			}
			return attempt(&a, a.ID, a.Number, i.batchNo(a.BatchID), ref)
		},
		Origin: func(id int64, from ledger.RowOrigin) error {
			return origin(&ledger.OriginFacts{SheetNo: i.sheetNo(from.SheetID), Row: from.Row}, id)
		},
		Correction: func(c ledger.RecordedCorrection) error {
			return correction(&c.Payout, c.ID, c.Number, i.sheetNo(c.SheetID), c.Row, i.route(c.Route()))
		},
		Observation: one(i, observations),
		Intent: func(r ledger.RecordedIntent) error {
			return intent(&r.Intent, r.No, i.batchNo(r.BatchID), 1) // finish counts its checks
		},
		StatusCheck: func(l ledger.RecordedLook) error {
			if i.place++; l.BatchID != i.look.BatchID || l.Call != i.look.Call {
				i.place = 0
			}
			i.look = l
			return look(&l, i.batchNo(l.BatchID), -l.Call, i.place) // finish finds the intent
		},
		Approval: func(ledger.Approval) error { return nil }, // its event has it
		Release: func(p ledger.ReleaseApproval) error {
			if !json.Valid([]byte(p.Evidence)) {
				i.failed(ledger.NotExport("the evidence of release %d is no JSON", p.No))
			}
			return release(&p, i.batchNo(p.BatchID))
		},
		Statement: func(k ledger.KeptStatement) error {
			return errors.Join(statement(&k), give(func(d ledger.SameDay) error { return same(&d, k.No) })(k.Same, nil))
		},
		Line:      one(i, statementLines),
		Decision:  one(i, decisions),
		BankLists: one(i, bankLists),
		Event: func(e ledger.Event) error {
			if e.Seq == 1 && !e.At.Equal(i.created) {
				i.failed(ledger.NotExport("the ledger was made at another time than its first event says"))
			}
			return event(&e)
		},
	}
}

// finish records the rest and what follows from it. Afterwards the first attempts of every batch are rows, even
// if the batch has taken no step yet.
func (i *importing) finish(ctx context.Context) error {
	for _, m := range i.w.tables {
		m.flush()
	}
	i.failed(i.sheet.contents.rest())
	i.failed(i.w.wait())
	if i.err != nil {
		return i.err
	}
	for _, query := range []string{
		`UPDATE looks SET intent_no = (SELECT i.no FROM intents i WHERE i.batch_no = looks.batch_no
			AND (SELECT count(*) FROM intents c WHERE c.batch_no = i.batch_no AND c.no <= i.no) = -intent_no)`,
		`UPDATE intents SET looks = (SELECT count(*) FROM looks l WHERE l.batch_no = intents.batch_no AND l.intent_no = intents.no)`,
		`UPDATE batches SET members = (SELECT json_group_array(payout_id) FROM
			(SELECT payout_id FROM attempts INDEXED BY attempts_by_batch WHERE batch_no = batches.no AND number = 1 ORDER BY payout_id) m)
			WHERE EXISTS (SELECT 1 FROM attempts WHERE batch_no = batches.no AND number = 1)`,
		`INSERT INTO statement_stale (account, day) SELECT account, min(from_day) FROM statement_readings GROUP BY account`,
		`INSERT INTO copied (one, seq) SELECT 1, max(seq) FROM events`,
	} {
		if _, err := i.w.Exec(ctx, query); err != nil {
			return damage("import", err)
		}
	}
	return nil
}
