package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/ledger/storetest"
)

var everyCheck = flag.Bool("every-check", false, "hold each planted defect against the whole suite, and print every check that finds it")

// defect is a mistake that a store might have.
type defect struct {
	name  string
	found []string // the checks that have to find it
	plant func(s *Store) storetest.Store
}

var defects = []defect{
	{
		"the condition is lost: a step goes from wherever the batch is", []string{
			"a wrong from, or an event that is not legal, changes nothing", "two who have the ledger open cannot both act on what they saw", "of many steps at once one happens",
		},
		func(s *Store) storetest.Store { return lostCondition{s} },
	},
	{
		"an approval is held against nothing that was shown", []string{"a decision is recorded only while the batch is as it was shown", "of many who decide on what they were shown one does"},
		func(s *Store) storetest.Store { return unboundApproval{s} },
	},
	{
		"sheets that belong together are loaded one by one", []string{"of the sheets of one load all are recorded or none"},
		func(s *Store) storetest.Store { return loadedOneByOne{s} },
	},
	{
		"approvals that belong together are recorded one by one", []string{"approvals are recorded all or none"},
		func(s *Store) storetest.Store { return approvedOneByOne{s} },
	},
	{
		"a step is two transactions: what was observed, and the rest", []string{"whatever row of a write fails, all of it is recorded or nothing"},
		func(s *Store) storetest.Store { return halfWritten{s} },
	},
	{
		"what is known is read before the transaction that writes", []string{"what two record at once of one batch is all there, in order"},
		func(s *Store) storetest.Store { return staleKnown{s} },
	},
	{
		"a step that only observes has no event", []string{"every event in every state does what Change says"},
		withSQL(`CREATE TRIGGER planted BEFORE INSERT ON events WHEN NEW.kind = 'observed' BEGIN SELECT RAISE(IGNORE); END`),
	},
	{
		"an event forgets how the batch stands after it", []string{"every event in every state does what Change says"},
		withSQL(`DROP TRIGGER IF EXISTS events_fixed`, `CREATE TRIGGER planted AFTER INSERT ON events WHEN NEW.state_digest <> '' BEGIN UPDATE events SET state_digest = '' WHERE seq = NEW.seq; END`),
	},
	{
		"a batch is planned with another digest of its payouts", []string{"a loaded sheet reads back as it was, and its batches are planned"},
		withSQL(`DROP TRIGGER IF EXISTS events_fixed`, `CREATE TRIGGER planted AFTER INSERT ON events WHEN NEW.kind = 'batch_planned' BEGIN
			UPDATE events SET digest = '`+strings.Repeat("0", 64)+`' WHERE seq = NEW.seq; END`),
	},
	{
		"what the bank showed before a call is not exported as it was kept", []string{"every event in every state does what Change says"},
		withSQL(`DROP TRIGGER IF EXISTS looks_fixed`, `CREATE TRIGGER planted AFTER INSERT ON looks BEGIN
			UPDATE looks SET not_found_code = 'another' WHERE batch_no = NEW.batch_no AND intent_no = NEW.intent_no AND place = NEW.place; END`),
	},
	{
		"an approval has no event", []string{"what people approved is kept, in order, with its event"},
		withSQL(`CREATE TRIGGER planted BEFORE INSERT ON events WHEN NEW.kind = 'approved' BEGIN SELECT RAISE(IGNORE); END`),
	},
	{
		"a release has no event", []string{"two people release a submit in doubt, or nobody does"},
		withSQL(`CREATE TRIGGER planted BEFORE INSERT ON events WHEN NEW.kind = 'set_aside' BEGIN SELECT RAISE(IGNORE); END`),
	},
	{
		"one person releases by saying so twice", []string{"two people release a submit in doubt, or nobody does"},
		func(s *Store) storetest.Store { return lonelyRelease{s} },
	},
	{
		"what was set aside is retried with its sheet", []string{"what was set aside is planned anew only by its own name"},
		func(s *Store) storetest.Store { return eagerAside{s} },
	},
	{
		"a closed dispute leaves no word", []string{"two people close a dispute, and what the bank shows then stays"},
		withSQL(`CREATE TRIGGER planted AFTER UPDATE OF state ON attempts WHEN NEW.resolved IS NOT NULL
			BEGIN UPDATE attempts SET resolved = NULL WHERE payout_id = NEW.payout_id AND number = NEW.number; END`),
	},
	{
		"what a release rests on is forgotten", []string{"a credit without a name is used by one release"},
		withSQL(`DROP TRIGGER proposals_fixed`, `CREATE TRIGGER planted AFTER UPDATE OF state ON batches WHEN NEW.state = 'set_aside'
			BEGIN UPDATE proposals SET evidence = json_remove(evidence, '$.credits'); END`),
	},
	{
		"new references are forgotten", []string{"two people give a refused batch's payouts new references"},
		withSQL(`CREATE TRIGGER planted AFTER UPDATE OF new_references ON batches WHEN NEW.new_references = 1 BEGIN UPDATE batches SET new_references = 0 WHERE no = NEW.no; END`),
	},
	{
		"a reference that was used is let in again", []string{"a reference that was ever used is never taken again"},
		withSQL(`CREATE TRIGGER planted BEFORE INSERT ON wire_keys WHEN EXISTS (SELECT 1 FROM wire_keys WHERE key = NEW.key) BEGIN SELECT RAISE(IGNORE); END`),
	},
	{
		"references are compared by their spelling, not folded", []string{"a reference that was ever used is never taken again"},
		func(s *Store) storetest.Store { return unfolded{s} },
	},
	{
		"a sheet is bounded by itself, whatever was loaded before", []string{"a ledger holds no more than can be summed up"},
		func(s *Store) storetest.Store { return boundless{s} },
	},
	{
		"references of earlier sheets are asked for by their spelling", []string{"references are found by their folded form, over all history"},
		func(s *Store) storetest.Store { return unfoldedQuestion{s} },
	},
	{
		"an observation is dropped where a batch has several", []string{"only news is recorded, and a second read that confirms is news"},
		withSQL(`CREATE TRIGGER planted BEFORE INSERT ON observations WHEN EXISTS (SELECT 1 FROM attempts a JOIN attempts o ON o.batch_no = a.batch_no
			WHERE a.payout_id = NEW.payout_id AND a.number = NEW.number AND o.payout_id < a.payout_id) BEGIN SELECT RAISE(IGNORE); END`),
	},
	{
		"a retry is planned while an attempt can still pay", []string{"a retry is planned whole or not at all"},
		func(s *Store) storetest.Store { return rashRetry{s} },
	},
	{
		"what is still planned is called retryable", []string{"planned payouts are not retryable, and abandoned ones are"},
		func(s *Store) storetest.Store { return eagerRetry{s} },
	},
	{
		"recover forgets the last call", []string{"recover puts every call that was under way in doubt, once"},
		func(s *Store) storetest.Store { return forgetfulRecovery{s} },
	},
	{
		"a successor carries a new wire reference", []string{"doubt that expired is planned anew, in the same step"},
		func(s *Store) storetest.Store { return newReference{s} },
	},
	{
		"tallies forget what is disputed", []string{"tallies are what each payout adds up to"},
		func(s *Store) storetest.Store { return shortTallies{s} },
	},
	{
		"only one batch is watched", []string{"what is over is watched for as long as asked after its last change"},
		func(s *Store) storetest.Store { return shortWatch{s} },
	},
	{
		"refused batches are not watched", []string{"what is over is watched for as long as asked after its last change"},
		func(s *Store) storetest.Store { return watchesNoRefused{s} },
	},
	{
		"what was set aside is watched no longer than the rest", []string{"what is over is watched for as long as asked after its last change"},
		func(s *Store) storetest.Store { return forgetsAside{s} },
	},
	{
		"looks are dropped", []string{"a look is kept with its intent, and the bank's last word is told", "every event in every state does what Change says"},
		withSQL(`DROP TRIGGER IF EXISTS batches_looked`, `CREATE TRIGGER planted BEFORE INSERT ON looks BEGIN SELECT RAISE(IGNORE); END`),
	},
	{
		"a call is made though nobody looked", []string{"a call is made after a look at the bank that allows it, or not at all"},
		func(s *Store) storetest.Store { return rashCall{s} },
	},
	{
		"a reference that was used up is let in again", []string{"a reference is used up by a batch that the bank has shown, and kept otherwise", "a reference that the bank shows in an older batch is used up"},
		func(s *Store) storetest.Store { return neverUsedUp{s} },
	},
	{
		"every retry has new references", []string{"a reference is used up by a batch that the bank has shown, and kept otherwise"},
		func(s *Store) storetest.Store { return alwaysUsedUp{s} },
	},
	{
		"the retry of a whole batch has the planner of that one", []string{"a batch has the planner of the batch that it replaces"},
		withSQL(`DROP VIEW planners`, `CREATE VIEW planners (batch_no, actor) AS SELECT b.no, e.actor
			FROM batches b JOIN batches f ON f.no = (SELECT min(no) FROM batches WHERE sheet_no = b.sheet_no AND sequence = b.sequence)
			JOIN events e ON e.batch_id = f.id AND e.batch_id <> '' AND e.kind = 'batch_planned'`),
	},
	{
		"what is known leaves out the attempts before", []string{"what is known of a batch is what a step would be held against"},
		func(s *Store) storetest.Store { return knowsNoEarlier{s} },
	},
	{
		"the bank's word is its first", []string{"a look is kept with its intent, and the bank's last word is told"},
		func(s *Store) storetest.Store { return firstWord{s} },
	},
	{
		"batches by state come in the order of the states", []string{"batches come in plan order, by state, sheet and id"},
		func(s *Store) storetest.Store { return byState{s} },
	},
	{
		"an export leaves the proposals out", []string{"words in releases are kept, in order, with their events"},
		func(s *Store) storetest.Store { return shortExport{s} },
	},
	{
		"who planned a batch may approve it", []string{"who may not decide decides nothing"},
		func(s *Store) storetest.Store { return anybodyApproves{s} },
	},
	{
		"a step needs nobody's name", []string{"a step is recorded in somebody's name"},
		func(s *Store) storetest.Store { return nameless{s} },
	},
	{
		"a branch list is added to the one before", []string{"a branch list is replaced whole, or stays"},
		withSQL(`CREATE TRIGGER planted BEFORE DELETE ON branches BEGIN SELECT RAISE(IGNORE); END`),
	},
	{
		"what a correction says is dropped", []string{"a corrected payout is a further attempt with what the row says"},
		withSQL(`CREATE TRIGGER planted BEFORE INSERT ON corrections BEGIN SELECT RAISE(IGNORE); END`),
	},
	{
		"a correction has no event", []string{"a corrected payout is a further attempt with what the row says"},
		withSQL(`CREATE TRIGGER planted BEFORE INSERT ON events WHEN NEW.kind = 'payout_corrected' BEGIN SELECT RAISE(IGNORE); END`),
	},
	{
		"a retry sends what was corrected before", []string{"what was corrected stays corrected in the retries after it"},
		withSQL(`DROP TRIGGER IF EXISTS corrections_start`, `CREATE TRIGGER planted AFTER INSERT ON further_attempts WHEN NEW.number = 3 BEGIN
			INSERT INTO corrections SELECT id, 3, sheet_no, row, route_no, amount, vendor_name, bank_account_number, ifsc, remarks, open_beneficiary_id, bene_lei
			FROM payouts WHERE id = NEW.payout_id; END`),
	},
	{
		"what may be paid is corrected", []string{"a payout that may be paid is not corrected"},
		func(s *Store) storetest.Store { return rashCorrection{s} },
	},
	{
		"a sheet that is refused leaves a part of it", []string{"a sheet is loaded whole or not at all"},
		func(s *Store) storetest.Store { return stubbornLoad{s} },
	},
	{
		"a sheet's last bytes are not kept, nor missed", []string{"a sheet's bytes come back as they were"},
		func(s *Store) storetest.Store { return shortBytes{s} },
	},
}

// TestTheSuiteFindsPlantedDefects shows that the suite has teeth: each mistake
// is found by the check that is there for it.
func TestTheSuiteFindsPlantedDefects(t *testing.T) {
	ofTheProof(t)
	for _, d := range defects {
		t.Run(d.name, func(t *testing.T) {
			want := slices.Clone(d.found)
			for _, c := range storetest.Checks() {
				if !slices.Contains(want, c.Name) && (!*everyCheck || strings.HasPrefix(c.Name, "whatever history")) { // which would look for its smallest case
					continue
				}
				found := storetest.Record(t, func(r testing.TB) { c.Do(r, &flawedPlace{newPlace(t), d.plant}) })
				if len(found) > 0 {
					t.Logf("found by %q: %s", c.Name, firstLines(found[0]))
					want = slices.DeleteFunc(want, func(name string) bool { return name == c.Name })
				}
			}
			for _, name := range want {
				t.Errorf("not found by %q, or there is no such check", name)
			}
		})
	}
}

func firstLines(s string) string {
	lines := strings.SplitN(s, "\n", 3)
	return strings.Join(lines[:min(2, len(lines))], " ")
}

// flawedPlace is a place whose stores have a defect.
type flawedPlace struct {
	*place
	plant func(s *Store) storetest.Store
}

func (p *flawedPlace) flawed(s storetest.Store, err error) (storetest.Store, error) {
	if err != nil {
		return nil, err
	}
	return p.plant(s.(*Store)), nil
}

func (p *flawedPlace) Create(ctx context.Context, id, actor string, at time.Time) (storetest.Store, error) {
	return p.flawed(p.place.Create(ctx, id, actor, at))
}

func (p *flawedPlace) Open(ctx context.Context) (storetest.Store, error) {
	return p.flawed(p.place.Open(ctx))
}

func (p *flawedPlace) Beside(ctx context.Context) (storetest.Store, error) {
	return p.flawed(p.place.Beside(ctx))
}

func (p *flawedPlace) View(ctx context.Context) (storetest.Store, error) {
	return p.flawed(p.place.View(ctx))
}

// withSQL plants a defect in the ledger itself.
func withSQL(queries ...string) func(s *Store) storetest.Store {
	return func(s *Store) storetest.Store {
		if s.write == nil {
			return s
		}
		for _, q := range append([]string{`DROP TRIGGER IF EXISTS planted`}, queries...) {
			if _, err := s.write.Exec(q); err != nil {
				panic(fmt.Sprintf("%s: %v", q, err))
			}
		}
		return s
	}
}

// lostCondition is refused once at the most: then it takes the batch as it is, also
// where another was quicker.
type lostCondition struct{ *Store }

func (s lostCondition) Apply(ctx context.Context, step ledger.Step) error {
	err := s.Store.Apply(ctx, step)
	if !errors.Is(err, ledger.ErrConflict) {
		return err
	}
	b, err := s.Batch(ctx, step.BatchID)
	if err != nil {
		return err
	}
	step.From = b.State
	return s.Store.Apply(ctx, step)
}

type anybodyApproves struct{ *Store }

func (s anybodyApproves) Approve(ctx context.Context, words ...ledger.Approving) error {
	return s.inTx(ctx, "approve", func(tx Writer) error {
		for _, a := range words {
			b, err := batchByID(ctx, tx, a.BatchID)
			if err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, `INSERT INTO approvals (batch_no, payload_sha256, actor, at) VALUES (?, ?, ?, ?)`, b.no, a.PayloadSHA256, a.Actor, micros(a.At)); err != nil {
				return err
			}
			if err := s.appendEvent(ctx, tx, a.Event(b.Batch)); err != nil {
				return err
			}
		}
		return nil
	})
}

type unboundApproval struct{ *Store }

func (s unboundApproval) Approve(ctx context.Context, words ...ledger.Approving) error {
	for i := range words {
		words[i].Shown = ledger.ExpectedVersion{}
	}
	return s.Store.Approve(ctx, words...)
}

type approvedOneByOne struct{ *Store }

func (s approvedOneByOne) Approve(ctx context.Context, words ...ledger.Approving) error {
	for _, a := range words {
		if err := s.Store.Approve(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

type halfWritten struct{ *Store }

func (s halfWritten) Apply(ctx context.Context, step ledger.Step) error {
	if len(step.Observed) > 0 && step.Note != "" {
		first := step
		first.Event, first.Note, first.Attention = "", "", ""
		if err := s.Store.Apply(ctx, first); err != nil {
			return err
		}
		step.Observed = nil
	}
	return s.Store.Apply(ctx, step)
}

type staleKnown struct{ *Store }

func (s staleKnown) Apply(ctx context.Context, step ledger.Step) error {
	var b batchRow
	var change ledger.Change
	err := s.inTx(ctx, "look", func(tx Writer) (err error) {
		if b, err = batchByID(ctx, tx, step.BatchID); err != nil {
			return err
		}
		if err = makeAttempts(ctx, tx, b.no); err != nil {
			return err
		}
		known, err := s.known(ctx, tx, b, step)
		if err == nil {
			change, err = step.Change(known)
		}
		return err
	})
	if err != nil || change.Nothing {
		return err
	}
	for range 100 { // another may look meanwhile, also where there is one processor
		runtime.Gosched()
	}
	return s.inTx(ctx, "record what was seen", func(tx Writer) error { return s.record(ctx, tx, b, change) })
}

// unfolded takes the spelling of a reference, in lower case, for its key.
type unfolded struct{ *Store }

func (s unfolded) BeginLoad(ctx context.Context) (ledger.Load, error) {
	l, err := s.Store.BeginLoad(ctx)
	return unfoldedLoad{l}, err
}

type unfoldedLoad struct{ ledger.Load }

func (l unfoldedLoad) Add(payouts []ledger.KeyedPayout) error {
	for i := range payouts {
		payouts[i].Key = strings.ToLower(payouts[i].Ref)
	}
	return l.Load.Add(payouts)
}

type unfoldedQuestion struct{ *Store }

func (s unfoldedQuestion) UsedReferences(ctx context.Context, keys []string) (map[string]ledger.ReferenceUse, error) {
	found, err := s.Store.UsedReferences(ctx, keys)
	for key, use := range found {
		if strings.ToLower(use.Ref) != key {
			delete(found, key)
		}
	}
	return found, err
}

// rashRetry passes attempts off as over that are not.
type rashRetry struct{ *Store }

func (s rashRetry) PlanRetry(ctx context.Context, actor string, at time.Time, attempts []ledger.Attempt, batches []ledger.PlannedBatch) ([]ledger.Batch, error) {
	planned, err := s.Store.PlanRetry(ctx, actor, at, attempts, batches)
	if !errors.Is(err, ledger.ErrPayoutLocked) {
		return planned, err
	}
	if _, err := s.write.Exec(`DROP TRIGGER IF EXISTS attempts_move; DROP TRIGGER IF EXISTS attempts_observed`); err != nil {
		return nil, err
	}
	for _, a := range attempts {
		if _, err := s.write.Exec(`UPDATE attempts SET state = 'cancelled' WHERE payout_id = ?`, a.ID); err != nil {
			return nil, err
		}
	}
	planned, err = s.Store.PlanRetry(ctx, actor, at, attempts, batches)
	for _, a := range attempts {
		if _, err := s.write.Exec(`UPDATE attempts SET state = ? WHERE payout_id = ? AND number = ?`, a.State, a.ID, a.Number); err != nil {
			return nil, err
		}
	}
	return planned, err
}

// rashCorrection passes over what may not be corrected.
type rashCorrection struct{ *Store }

func (s rashCorrection) BeginLoad(ctx context.Context) (ledger.Load, error) {
	l, err := s.Store.BeginLoad(ctx)
	return rashLoad{l}, err
}

type rashLoad struct{ ledger.Load }

func (l rashLoad) Correct(list []ledger.Corrected, batches []ledger.PlannedBatch) error {
	if list[0].After.State.Retryable() {
		return l.Load.Correct(list, batches)
	}
	return nil
}

type eagerRetry struct{ *Store }

func (s eagerRetry) Retryable(ctx context.Context, id string) ([]ledger.Attempt, []ledger.Lock, error) {
	list, locks, err := s.Store.Retryable(ctx, id)
	if err != nil {
		return list, locks, err
	}
	err = s.EachPayout(ctx, ledger.Filter{SheetID: id, States: []ledger.PayoutState{ledger.PayoutPlanned}}, func(a ledger.Attempt) error {
		list = append(list, a)
		return nil
	})
	return list, locks, err
}

type forgetfulRecovery struct{ *Store }

func (s forgetfulRecovery) Recover(ctx context.Context, actor string, at time.Time) (ids []string, err error) {
	cut, err := s.BatchesIn(ctx, ledger.BatchInitiating, ledger.BatchSubmitting)
	if err != nil || len(cut) == 0 {
		return nil, err
	}
	for _, b := range cut[:len(cut)-1] {
		step, _ := b.Recovery(actor, at)
		if err := s.Apply(ctx, step); err != nil {
			return nil, err
		}
		ids = append(ids, b.ID)
	}
	return ids, nil
}

type newReference struct{ *Store }

func (s newReference) Apply(ctx context.Context, step ledger.Step) error {
	err := s.Store.Apply(ctx, step)
	if err == nil && step.Successor {
		_, err = s.write.Exec(`PRAGMA foreign_keys = OFF; DROP TRIGGER IF EXISTS attempts_fixed; DROP TRIGGER IF EXISTS further_attempts_fixed;
			UPDATE further_attempts SET wire_ref = (SELECT ref FROM payouts WHERE id = payout_id) || '-R' || number;
			UPDATE attempts SET wire_ref = (SELECT ref FROM payouts WHERE id = payout_id) || '-R' || number WHERE number > 1; PRAGMA foreign_keys = ON`)
	}
	return err
}

type shortTallies struct{ *Store }

func (s shortTallies) Tallies(ctx context.Context) (map[ledger.PayoutState]ledger.Tally, error) {
	all, err := s.Store.Tallies(ctx)
	delete(all, ledger.PayoutDisputed)
	return all, err
}

type shortWatch struct{ *Store }

func (s shortWatch) Watched(ctx context.Context, since, asideSince time.Time) ([]ledger.Batch, error) {
	all, err := s.Store.Watched(ctx, since, asideSince)
	return all[:min(1, len(all))], err
}

type watchesNoRefused struct{ *Store }

func (s watchesNoRefused) Watched(ctx context.Context, since, asideSince time.Time) ([]ledger.Batch, error) {
	all, err := s.Store.Watched(ctx, since, asideSince)
	return slices.DeleteFunc(all, func(b ledger.Batch) bool { return b.State == ledger.BatchRefused }), err
}

type forgetsAside struct{ *Store }

func (s forgetsAside) Watched(ctx context.Context, since, _ time.Time) ([]ledger.Batch, error) {
	return s.Store.Watched(ctx, since, since)
}

// rashCall makes up the look that a call lacks.
type rashCall struct{ *Store }

func (s rashCall) Apply(ctx context.Context, step ledger.Step) error {
	err := s.Store.Apply(ctx, step)
	if !errors.Is(err, ledger.ErrLook) {
		return err
	}
	step.Looks = looked(step.BatchID)
	return s.Store.Apply(ctx, step)
}

// neverUsedUp takes no batch for shown where names are given.
type neverUsedUp struct{ *Store }

func (s neverUsedUp) PlanRetry(ctx context.Context, actor string, at time.Time, attempts []ledger.Attempt, batches []ledger.PlannedBatch) ([]ledger.Batch, error) {
	planned, err := s.Store.PlanRetry(ctx, actor, at, attempts, batches)
	if err != nil {
		return nil, err
	}
	_, err = s.write.Exec(`PRAGMA foreign_keys = OFF; DROP TRIGGER IF EXISTS attempts_fixed; DROP TRIGGER IF EXISTS further_attempts_fixed;
		UPDATE further_attempts SET wire_ref = (SELECT ref FROM payouts WHERE id = payout_id);
		UPDATE attempts SET wire_ref = (SELECT ref FROM payouts WHERE id = payout_id) WHERE number > 1; PRAGMA foreign_keys = ON`)
	return planned, err
}

// alwaysUsedUp takes every batch for shown where names are given.
type alwaysUsedUp struct{ *Store }

func (s alwaysUsedUp) PlanRetry(ctx context.Context, actor string, at time.Time, attempts []ledger.Attempt, batches []ledger.PlannedBatch) ([]ledger.Batch, error) {
	if _, err := s.write.Exec(`CREATE TEMP TABLE was AS SELECT no FROM batches WHERE shown = 0; UPDATE batches SET shown = 1`); err != nil {
		return nil, err
	}
	planned, err := s.Store.PlanRetry(ctx, actor, at, attempts, batches)
	_, undo := s.write.Exec(`DROP TRIGGER IF EXISTS batches_shown; UPDATE batches SET shown = 0 WHERE no IN (SELECT no FROM was); DROP TABLE was`)
	return planned, errors.Join(err, undo)
}

type knowsNoEarlier struct{ *Store }

func (s knowsNoEarlier) BatchRecord(ctx context.Context, batchID string) (ledger.BatchRecord, error) {
	k, err := s.Store.BatchRecord(ctx, batchID)
	for i := range k.Attempts {
		k.Attempts[i].Records = nil
	}
	return k, err
}

type firstWord struct{ *Store }

func (s firstWord) LastNotFoundReply(ctx context.Context) (w ledger.NotFoundReply, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT not_found_status, not_found_code FROM looks WHERE answer = 'not_known' ORDER BY intent_no LIMIT 1`).Scan(&w.HTTPStatus, &w.Code)
	if errors.Is(err, sql.ErrNoRows) {
		return w, nil
	}
	return w, err
}

type byState struct{ *Store }

func (s byState) BatchesIn(ctx context.Context, states ...ledger.BatchState) (all []ledger.Batch, err error) {
	for _, state := range states {
		some, err := s.Store.BatchesIn(ctx, state)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

type shortExport struct{ *Store }

func (s shortExport) Export(ctx context.Context, out ledger.Export) (ledger.AuditHead, error) {
	out.Release = func(ledger.ReleaseApproval) error { return nil }
	return s.Store.Export(ctx, out)
}

type nameless struct{ *Store }

func (s nameless) Apply(ctx context.Context, step ledger.Step) error {
	if strings.TrimSpace(step.Actor) == "" {
		step.Actor = "system"
	}
	return s.Store.Apply(ctx, step)
}

// stubbornLoad records the payouts that make a legal plan where the given ones
// do not.
type stubbornLoad struct{ *Store }

func (s stubbornLoad) BeginLoad(ctx context.Context) (ledger.Load, error) {
	l, err := s.Store.BeginLoad(ctx)
	return &stubborn{Load: l, s: s.Store}, err
}

type stubborn struct {
	ledger.Load
	s    *Store
	kept []ledger.KeyedPayout
}

func (l *stubborn) Add(payouts []ledger.KeyedPayout) error {
	l.kept = append(l.kept, slices.Clone(payouts)...)
	return l.Load.Add(payouts)
}

func (l *stubborn) Commit(sheet ledger.Sheet, batches []ledger.PlannedBatch) ([]ledger.Batch, error) {
	done, err := l.Load.Commit(sheet, batches)
	if !errors.Is(err, ledger.ErrRule) || len(l.kept) == 0 {
		return done, err
	}
	p := l.kept[0]
	again, beginErr := l.s.BeginLoad(context.Background())
	if beginErr != nil {
		return nil, err
	}
	sheet.Accepted = ledger.Tally{Count: 1, Total: p.Amount}
	sheet.Total, sheet.Rows = p.Amount, 1
	if again.Add([]ledger.KeyedPayout{p}) == nil {
		_, _ = again.Commit(sheet, []ledger.PlannedBatch{{BankAccountID: p.BankAccountID, PartnerBankID: 3, SubMerchantID: p.SubMerchantID,
			TransactionTypeID: p.TransactionTypeID, Members: []int32{0}, Total: p.Amount}})
	}
	return nil, errors.Join(err, again.Rollback())
}

type loadedOneByOne struct{ *Store }

func (s loadedOneByOne) BeginLoad(ctx context.Context) (ledger.Load, error) {
	l, err := s.Store.BeginLoad(ctx)
	return &oneByOne{Load: l, s: s.Store}, err
}

type oneByOne struct {
	ledger.Load
	s *Store
}

func (l *oneByOne) Next(sheet ledger.Sheet, batches []ledger.PlannedBatch) error {
	_, err := l.Load.Commit(sheet, batches)
	if err == nil {
		l.Load, err = l.s.BeginLoad(context.Background())
	}
	return err
}

// shortBytes gives a sheet's bytes back without the last.
type shortBytes struct{ *Store }

func (s shortBytes) SheetContents(ctx context.Context, id string, w io.Writer) (ledger.ReadOptions, error) {
	var all strings.Builder
	r, err := s.Store.SheetContents(ctx, id, &all)
	if err != nil || all.Len() == 0 {
		return r, err
	}
	_, err = io.WriteString(w, all.String()[:all.Len()-1])
	return r, err
}

// boundless counts a sheet against the bound as if it were the only one.
type boundless struct{ *Store }

func (s boundless) BeginLoad(ctx context.Context) (ledger.Load, error) {
	l, err := s.Store.BeginLoad(ctx)
	return boundlessLoad{l}, err
}

type boundlessLoad struct{ ledger.Load }

func (l boundlessLoad) Commit(sheet ledger.Sheet, plan []ledger.PlannedBatch) ([]ledger.Batch, error) {
	batches, err := l.Load.Commit(sheet, plan)
	if errors.Is(err, ledger.ErrTotal) && sheet.Accepted.Total <= ledger.MostInAll {
		return batches, nil
	}
	return batches, err
}

type lonelyRelease struct{ *Store }

func (s lonelyRelease) Apply(ctx context.Context, step ledger.Step) error {
	err := s.Store.Apply(ctx, step)
	if why, refused := errors.AsType[*ledger.Refusal](err); refused && why.Rule == ledger.RuleSecondPerson {
		step.Actor = "somebody"
		return s.Store.Apply(ctx, step)
	}
	return err
}

type eagerAside struct{ *Store }

func (s eagerAside) Retryable(ctx context.Context, sheetOrBatch string) ([]ledger.Attempt, []ledger.Lock, error) {
	list, locks, err := s.Store.Retryable(ctx, sheetOrBatch)
	aside, _ := s.BatchesIn(ctx, ledger.BatchSetAside)
	for _, b := range aside {
		if b.SheetID == sheetOrBatch {
			more, _, _ := s.Store.Retryable(ctx, b.ID)
			list = append(list, more...)
		}
	}
	return list, locks, err
}
