package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	driver "modernc.org/sqlite"

	"payrun/ledger"
)

// howRulesChange is what to do about a rule that ledger/bank.go and the schema
// tell differently.
func howRulesChange(bank int, kind ledger.AccountKind) string {
	r := ledger.RulesFor(bank, kind)
	bit := map[bool]int{true: 1}
	return fmt.Sprintf("when ledger/bank.go is right, add a migration as partner_bank_rules in migrations/0001_schema.sql says, with\n"+
		"INSERT INTO partner_bank_rules SELECT %d, '%s', ifnull(max(no), 0) + 1, %d, %d, %d, %d, %d FROM batches;",
		bank, kind, bit[r.Bulk], bit[r.NeedsToken], r.LEILine, bit[r.NeedsBeneficiaryID], bit[r.AsyncStatements])
}

// someBanks are every partner bank that the domain names, and others.
func someBanks() (banks []int) {
	for id := range 10_000 {
		named := slices.ContainsFunc(someKinds, func(k ledger.AccountKind) bool { return ledger.CheckAccount(id, k) == nil })
		if named || id < 130 {
			banks = append(banks, id)
		}
	}
	return banks
}

var someKinds = []ledger.AccountKind{ledger.KindNone, ledger.KindRIB, ledger.KindCIB, "nfc"}

// candidate is a batch that either passes both the domain's check and the
// schema's triggers or neither.
type candidate struct {
	bank  int
	kind  ledger.AccountKind
	count int32
	total ledger.Paise
	lei   string
}

// domain asks the domain.
func (c candidate) domain() error {
	b := ledger.PlannedBatch{PartnerBankID: c.bank, Kind: c.kind, BeneLEI: c.lei, Total: c.total}
	for i := range c.count {
		b.Members = append(b.Members, i)
	}
	return ledger.CheckPlan([]ledger.PlannedBatch{b}, int(c.count), ledger.NoLimit, func(i int32) ledger.Member {
		m := ledger.Member{Amount: 1, BeneLEI: c.lei}
		if i == 0 {
			m.Amount = c.total - ledger.Paise(c.count) + 1
		}
		return m
	})
}

// schema asks the schema, by inserting the batch as number no.
func (c candidate) schema(tx *sql.Tx, no int64) error {
	_, err := tx.Exec(`INSERT INTO batches (no, id, sheet_no, sequence, attempt, route_no, partner_bank_id, kind, bene_lei, count, total, reason, needs_approval,
		created_at, updated_at, state_since) VALUES (?1, 'pr' || ?1, 1, ?1, 99, 1, ?2, ?3, ?4, ?5, ?6, '', 0, 1, 1, 1)`, no, c.bank, c.kind, c.lei, c.count, c.total)
	return err
}

// rulesOf reads the rules that the schema holds a batch against.
func rulesOf(t *testing.T, tx *sql.Tx, no int64) (r ledger.Rules) {
	t.Helper()
	into := []any{&r.Bulk, &r.NeedsToken, &r.LEILine, &r.NeedsBeneficiaryID, &r.AsyncStatements}
	if n := reflect.TypeFor[ledger.Rules]().NumField(); n != len(into) {
		t.Fatalf("ledger.Rules has %d fields, partner_bank_rules %d: a new rule is a column of it, added by a migration", n, len(into))
	}
	err := tx.QueryRow(`SELECT bulk, needs_token, lei_line, needs_beneficiary_id, async_statements FROM batch_rules WHERE batch_no = ?`, no).Scan(into...)
	must(t, err)
	return r
}

// lines are the totals around every LEI line that the domain or the schema has.
func lines(t *testing.T, s *Store) []ledger.Paise {
	t.Helper()
	found := []ledger.Paise{1000, ledger.LEILine}
	for _, bank := range someBanks() {
		for _, kind := range someKinds {
			found = append(found, ledger.RulesFor(bank, kind).LEILine)
		}
	}
	err := each(t.Context(), s.db, func(rows Rows) error {
		var line ledger.Paise
		err := rows.Scan(&line)
		found = append(found, line)
		return err
	}, `SELECT lei_line FROM partner_bank_rules`)
	must(t, err)
	slices.Sort(found)
	var around []ledger.Paise
	for _, line := range slices.Compact(found) {
		if line > 0 {
			around = append(around, line-1, line)
		}
	}
	return around
}

// The schema's rules are the domain's: for every partner bank and kind of
// account the same row, and every batch is refused by both or by neither.
func TestTheSchemasRulesAreTheDomains(t *testing.T) {
	s := newStore(t)
	load(t, s, "nov", 1, 1)
	tx, err := s.write.Begin()
	must(t, err)
	defer tx.Rollback() //nolint:errcheck
	totals, no, differ := lines(t, s), int64(1), 0
	for _, bank := range someBanks() {
		for _, kind := range someKinds {
			for _, c := range candidates(bank, kind, totals) {
				no++
				if how := c.differs(t, tx, no); how != "" {
					t.Errorf("partner bank %d %q: %s: %s", bank, kind, how, howRulesChange(bank, kind))
					differ++
					break
				}
			}
			if differ == 3 {
				return // the rest is more of the same
			}
		}
	}
}

// differs tells how the schema judges the batch otherwise than the domain; ""
// when it does not.
func (c candidate) differs(t *testing.T, tx *sql.Tx, no int64) string {
	t.Helper()
	domain, schema := c.domain(), c.schema(tx, no)
	if (domain == nil) != (schema == nil) || (schema != nil && !isConstraint(schema)) {
		return fmt.Sprintf("of %d payouts, %s, LEI %q the domain says %v, the schema %v", c.count, c.total, c.lei, domain, schema)
	}
	if schema != nil {
		return ""
	}
	if got, want := rulesOf(t, tx, no), ledger.RulesFor(c.bank, c.kind); got != want {
		return fmt.Sprintf("ledger.RulesFor says %+v, the schema %+v", want, got)
	}
	return ""
}

func candidates(bank int, kind ledger.AccountKind, totals []ledger.Paise) (all []candidate) {
	for _, count := range []int32{1, 2} {
		for _, total := range totals {
			for _, lei := range []string{"", "5493001KJTIIGC8Y1R12"} {
				all = append(all, candidate{bank, kind, count, total, lei})
			}
		}
	}
	return all
}

func TestTheSchemasRetryableStatesAreTheDomains(t *testing.T) {
	var want []string
	for _, s := range retryable {
		want = append(want, string(s))
	}
	slices.Sort(want)
	if got := columnOf(t, newStore(t).db, `SELECT name FROM retryable_states ORDER BY name`); !slices.Equal(got, want) {
		t.Errorf("ledger.PayoutState says %q, retryable_states %q: a migration has to make them the same", want, got)
	}
}

// addRule is the migration of a rule that changes.
func addRule(t *testing.T, s *Store, insert string) {
	t.Helper()
	if _, err := s.write.Exec(insert); err != nil {
		t.Fatal(err)
	}
}

// A rule changes by a row; what was planned before keeps the rules it was
// planned by, so that verify stays whole.
func TestARuleChangesFromABatchOn(t *testing.T) {
	const lei = "5493001KJTIIGC8Y1R12"
	s := newStore(t)
	payouts := samplePayouts("nov", 2)
	payouts[0].BankAccountID, payouts[0].Amount, payouts[0].BeneLEI = accountOne, ledger.LEILine+1, lei
	batch := func(i int32, bank int, lei string) ledger.PlannedBatch {
		p := payouts[i]
		return ledger.PlannedBatch{BankAccountID: p.BankAccountID, PartnerBankID: bank, SubMerchantID: p.SubMerchantID, TransactionTypeID: p.TransactionTypeID,
			BeneLEI: lei, Members: []int32{i}, Total: p.Amount}
	}
	if _, err := tryLoad(s, "nov", payouts, []ledger.PlannedBatch{batch(0, 1, lei), batch(1, 4, "")}); err != nil {
		t.Fatal(err)
	}
	addRule(t, s, `INSERT INTO partner_bank_rules SELECT 4, '', max(no) + 1, 1, 0, 0, 0, 0 FROM batches`)
	addRule(t, s, fmt.Sprintf(`INSERT INTO partner_bank_rules SELECT 1, '', max(no) + 1, 1, 1, %d, 0, 0 FROM batches`, 2*ledger.LEILine))
	sound(t, s)
	tx, err := s.write.Begin()
	must(t, err)
	defer tx.Rollback() //nolint:errcheck
	for _, c := range []struct {
		candidate
		legal bool
	}{
		{candidate{4, "", 2, 2, ""}, true},
		{candidate{31, "", 2, 2, ""}, false},
		{candidate{4, ledger.KindRIB, 1, 2, ""}, false},
		{candidate{1, "", 1, ledger.LEILine + 1, lei}, false},
		{candidate{1, "", 1, ledger.LEILine + 1, ""}, true},
		{candidate{1, "", 1, 2 * ledger.LEILine, lei}, true},
		{candidate{1, "", 1, 2 * ledger.LEILine, ""}, false},
	} {
		if err := c.schema(tx, 3); (err == nil) != c.legal {
			t.Errorf("%+v: %v", c.candidate, err)
		}
		if _, err := tx.Exec(`DROP TRIGGER IF EXISTS batches_kept; DELETE FROM batches WHERE no = 3`); err != nil {
			t.Fatal(err)
		}
	}
	if before, want := rulesOf(t, tx, 1), ledger.RulesFor(1, ""); before != want {
		t.Errorf("a batch planned before is held against %+v, want %+v", before, want)
	}
}

// codeOf is the driver's number for what it refused.
func codeOf(err error) int {
	e, _ := errors.AsType[*driver.Error](err)
	return e.Code()
}

// What the database refuses has the ledger's meaning and words for people, and
// none of the driver's.
func TestWhatTheDatabaseRefusesIsSaidInWords(t *testing.T) {
	s := newStore(t)
	load(t, s, "nov", 2, 1)
	batch := func(values string) string {
		return `INSERT INTO batches (id, sheet_no, sequence, attempt, route_no, partner_bank_id, kind, bene_lei, count, total, reason, needs_approval, created_at, updated_at, state_since) VALUES ` + values
	}
	for name, c := range map[string]struct {
		query, words string
		want         error
	}{
		"a check":       {batch(`('x', 1, 9, 1, 1, 3, '', '', 0, 1, '', 0, 1, 1, 1)`), "count >= 1 does not hold", ledger.ErrRule},
		"a blank":       {batch(`('x', 1, 9, 1, 1, 3, NULL, '', 1, 1, '', 0, 1, 1, 1)`), "batches.kind is missing", ledger.ErrRule},
		"a type":        {batch(`('x', 1, 9, 1, 1, 3, '', '', 1, 'one', '', 0, 1, 1, 1)`), "TEXT value in INTEGER column batches.total", ledger.ErrRule},
		"a reference":   {batch(`('x', 9, 9, 1, 1, 3, '', '', 1, 1, '', 0, 1, 1, 1)`), "it refers to what is not there", ledger.ErrRule},
		"a rule":        {batch(`('x', 1, 9, 1, 1, 4, '', '', 2, 2, '', 0, 1, 1, 1)`), "the partner bank takes one payout a batch", ledger.ErrTransition},
		"a step":        {`UPDATE batches SET state = 'abandoned'`, "the attempts of the batch are not made", ledger.ErrTransition},
		"what is there": {`INSERT INTO wire_keys VALUES ('nov-1', 2, 1)`, "another row has the same wire_keys.key", ledger.ErrDuplicate},
	} {
		t.Run(name, func(t *testing.T) {
			err := s.inTx(t.Context(), "do it", func(tx Writer) error {
				_, err := tx.Exec(t.Context(), c.query)
				return fmt.Errorf("batch x: %w", err)
			})
			if !errors.Is(err, c.want) || !isConstraint(err) {
				t.Errorf("%v is not %v", err, c.want)
			}
			if text := fmt.Sprint(err); !strings.HasPrefix(text, "do it: "+c.want.Error()+": batch x: ") || !strings.Contains(text, c.words) ||
				strings.Contains(text, "constraint") || strings.Contains(text, fmt.Sprintf("(%d)", codeOf(err))) {
				t.Errorf("%q does not say %q", text, c.words)
			}
		})
	}
}

// A new batch takes no step, so what refuses it is a rule and not the machine.
func TestABatchAgainstTheRulesIsNoIllegalStep(t *testing.T) {
	s := newStore(t)
	load(t, s, "nov", 2, 1)
	err := s.inTx(t.Context(), "plan", func(tx Writer) error {
		b := newBatch{NewBatch: ledger.NewBatch{PlannedBatch: ledger.PlannedBatch{PartnerBankID: 4, Members: []int32{0, 1}, Total: 2},
			ID: "prnew", Sequence: 9, Attempt: 1, Actor: "asha", At: t0}, no: 3, sheetNo: 1, routeNo: 1}
		return insertBatch(t.Context(), tx, &ledger.Chain{}, b)
	})
	if want := "plan: batch prnew: the rules forbid it: the partner bank takes one payout a batch"; !errors.Is(err, ledger.ErrRule) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
