package sqlite

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

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
		"what was set aside is retried with its sheet", []string{"what was set aside is planned again only by its own name"},
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
		"recover forgets the last call", []string{"recover puts every call in progress in doubt, once"},
		func(s *Store) storetest.Store { return forgetfulRecovery{s} },
	},
	{
		"a successor carries a new wire reference", []string{"doubt that expired is planned again, in the same step"},
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
		"looks are dropped", []string{"a look is kept with its intent, and the bank's last answer with it", "every event in every state does what Change says"},
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
		"what is known leaves out the attempts before", []string{"what is known of a batch is what a step is compared with"},
		func(s *Store) storetest.Store { return knowsNoEarlier{s} },
	},
	{
		"the bank's word is its first", []string{"a look is kept with its intent, and the bank's last answer with it"},
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
		"a step needs nobody's name", []string{"a step has an actor"},
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
		withSQL(`DROP TRIGGER IF EXISTS corrections_start`, `CREATE TRIGGER planted AFTER INSERT ON attempts WHEN NEW.number = 3 BEGIN
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

func (p *flawedPlace) OpenSecond(ctx context.Context) (storetest.Store, error) {
	return p.flawed(p.place.OpenSecond(ctx))
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
