package sqlite

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"payrun/ledger"
	"payrun/ledger/sqlite/sqlitetest"
)

// unnoticed are the columns of which verify cannot tell that they were changed,
// each with why that is no harm: cmd/payrun/SECURITY.md, "What verify cannot notice".
var unnoticed = map[string]string{
	"ledger.created_at":   "the first event tells it, and nothing is decided by it",
	"looks.place":         "the order in which the bank was asked; what it showed is bound",
	"sheet_contents.part": "the order of the parts; the bytes are held against the hash that the trail tells",
	"copied.seq":          "only whether there is a row counts, and a copy is accepted by a person",
	"branch_list.*":       "the list is imported again at any time; the audit trail says which there were",
	"branches.*":          "as branch_list",
	"payee_names.*":       "how names are compared is not the store's; what is found by it is read again from the payouts",
}

// tellAll is a story with rows in every table that verify looks at.
func tellAll(t *testing.T) story {
	t.Helper()
	st := tell(t)
	must(t, st.Approve(t.Context(), ledger.Approving{Approval: approval("ravi", st.planned, hash("payload"))}))
	setAside(t, st)
	correct(t, st)
	unread := observe(t, st.Store, st.submitted, ledger.StatusPending, "")[:1]
	unread[0].Unread, unread[0].HasAmount = ledger.FieldAmount, false
	unread[0].Verdict = ledger.Judge(attemptsOf(t, st.Store, st.submitted)[0], unread[0].Observation)
	apply(t, st.Store, ledger.Step{Actor: "asha", BatchID: st.submitted, From: ledger.BatchSubmitted, At: at(49), Observed: unread})
	_, err := loadBytes(t, st.Store, "bytes", []byte("INV-1,100.00\n"), ledger.ReadOptions{Encoding: "windows-1252", Columns: map[string]string{"amount": "Net"}})
	must(t, err)
	statementOf(t, st.Store)
	listingOf(t, st.Store)
	must(t, st.IndexPayees(t.Context(), plainFold, 0))
	return st
}

// An index that lacks a payout would hide that it is repeated.
func TestVerifyFindsAnEditedIndexOfPayees(t *testing.T) {
	for _, edited := range []string{
		`UPDATE payee_payouts SET amount = amount + 1 WHERE payout_id = 2`,
		`UPDATE payee_payouts SET account = account + 1 WHERE payout_id = 2`,
		`DELETE FROM payee_payouts WHERE payout_id = 2`,
		`INSERT INTO payee_payouts SELECT account, payout_id + 1000, amount FROM payee_payouts WHERE payout_id = 2`,
		`UPDATE payees_indexed SET upto = upto - 1`,
		`UPDATE payees_indexed SET upto = upto + 1`, // the next payout would never be indexed
	} {
		st := tell(t)
		must(t, st.IndexPayees(t.Context(), plainFold, 0))
		sound(t, st.Store)
		must(t, st.Close())
		tamper(t, st.path, edited)
		problems, err := openToRead(t, st.path).Verify(t.Context())
		must(t, err)
		if len(problems) != 1 || !strings.Contains(problems[0].What, "index of payees") {
			t.Errorf("%s: %+v", edited, problems)
		}
	}
}

// Whatever column of whatever row someone changes, verify finds it: every
// column of every table of the schema, each in a ledger of its own.
func TestVerifyFindsEveryEditedColumn(t *testing.T) {
	ofTheProof(t)
	st := tellAll(t)
	columns := map[string][]string{}
	err := each(t.Context(), st.db, func(rows Rows) error {
		var table, column string
		err := rows.Scan(&table, &column)
		columns[table] = append(columns[table], column)
		return err
	}, `SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY 1, c.cid`)
	must(t, err)
	whole := bytesOf(t, st.Store)
	for table, list := range columns {
		for _, column := range list {
			t.Run(table+"."+column, func(t *testing.T) {
				path := filepath.Join(sqlitetest.Folder(t), "payrun.db")
				write(t, path, whole)
				if !edit(t, path, table, column) {
					t.Skip("the story has no row there")
				}
				s, err := Open(t.Context(), path)
				if err != nil {
					return // it is not even opened
				}
				defer s.Close()
				problems, err := s.Verify(t.Context())
				problems = ledger.WithoutMark(problems) // it lies alone
				found := err != nil || len(problems) > 0
				_, column := unnoticed[table+"."+column]
				_, whole := unnoticed[table+".*"]
				if !found && !column && !whole {
					t.Error("verify does not notice it")
				}
				for _, p := range problems {
					if p.What == "" || p.Detail == "" {
						t.Errorf("%+v", p)
					}
				}
			})
		}
	}
}

// listingOf records listings with something in every column.
func listingOf(t *testing.T, s *Store) {
	t.Helper()
	for _, b := range []ledger.BankListing{
		{List: ledger.ListOfAccounts, Whole: true, At: at(3), Actor: "asha", Accounts: []ledger.LinkedAccount{{BankAccountID: "a1", PartnerBankID: 3, Status: "active",
			AccountNumber: "XXXX0003", IFSC: "SBOX0000003", AccountName: "Sample", Identifier: "one"}}},
		{List: ledger.ListOfBeneficiaries, SubMerchantID: "sm", BankAccountID: "a1", Whole: true, At: at(4), Actor: "asha", Beneficiaries: []ledger.Beneficiary{{BankAccountID: "a1",
			OpenBeneficiaryID: "b1", BankBeneficiaryID: "BB1", VendorName: "Rao", BankAccountNumber: "123456789012", IFSC: "HDFC0001234", Status: "active"}}},
	} {
		must(t, s.KeepListing(t.Context(), b))
	}
}

// What is kept as JSON and is none any more is damage, and not an error of the program.
func TestJSONThatIsNoneIsDamage(t *testing.T) {
	st := tell(t)
	statementOf(t, st.Store)
	must(t, st.Close())
	tamper(t, st.path, `UPDATE statement_readings SET balances = balances || 'x'`)
	s := openToRead(t, st.path)
	if _, err := s.Statements(t.Context(), accountCIB); !errors.Is(err, ledger.ErrLedgerDamaged) {
		t.Errorf("%v", err)
	}
}

// A person who changes which account a beneficiary's id names is found out before
// the list is used.
func TestAListThatWasChangedIsNotUsed(t *testing.T) {
	st := tell(t)
	listingOf(t, st.Store)
	if _, err := st.BankLists(t.Context()); err != nil {
		t.Fatal(err)
	}
	must(t, st.Close())
	for _, q := range []string{
		`UPDATE bank_lists SET listed = replace(listed, '"open_beneficiary_id":"b1"', '"open_beneficiary_id":"b2"')`,
		`UPDATE bank_lists SET listed = json_set(listed, '$.beneficiaries', json('[]'))`,
		`DELETE FROM bank_lists`,
	} {
		tamper(t, st.path, q)
		s := openToRead(t, st.path)
		if _, err := s.BankLists(t.Context()); !errors.Is(err, ledger.ErrTampered) {
			t.Errorf("%s: %v", q, err)
		}
		must(t, s.Close())
	}
}

// statementOf records statements with something in every column of every table.
func statementOf(t *testing.T, s *Store) {
	t.Helper()
	entry := func(id, day string, amount, closing ledger.Paise, words string) ledger.StatementEntry {
		return ledger.StatementEntry{TransactionID: id, Debit: true, Amount: amount, Closing: closing, Transacted: day + " 10:00:00", Posted: day + " 10:00:01", Value: day, Reference: "R", Remarks: words}
	}
	booking := entry("T4", "2031-03-03", 1_00, 490_00, "W")
	booking.Details = []ledger.EntryDetail{{Amount: 1_00, Reference: "D"}}
	list := []ledger.StatementEntry{entry("T1", "2031-03-01", 2_00, 998_00, "RENT"), entry("T2", "2031-03-02", 100_00, 500_00, "NEFT NOV-1"), entry("T3", "2031-03-02", 3_00, 497_00, "RENT"), booking}
	for _, r := range []ledger.StatementRead{
		{Source: ledger.FromInterface, To: "2031-03-03", RequestIDs: []string{"rq"}, Balances: []ledger.BalanceRead{{Balance: 1, At: at(1)}}, Entries: list},
		{Source: ledger.FromFile, To: "2031-03-04", FileName: "march.csv", FileSHA256: hash("march"), FileFormat: "csv",
			Opening: new(ledger.Paise(1000_00)), Closing: new(ledger.Paise(490_00)), Entries: list},
		{Source: ledger.FromFile, To: "2031-03-04", FileName: "again.csv", FileSHA256: hash("again"), FileFormat: "csv",
			Opening: new(ledger.Paise(1000_00)), Closing: new(ledger.Paise(490_00)), Entries: list},
	} {
		r.BankAccountID, r.Shape, r.From, r.At, r.Actor = accountCIB, ledger.ShapeEntries, "2031-03-01", at(2), "asha"
		if _, err := s.RecordStatement(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	for _, person := range []string{"asha", "ravi"} {
		explain := ledger.StatementDecision{Entries: []ledger.EntryRef{{Reading: 1, Line: 1}}, Ref: "nov-2", Reason: "instalment", Actor: person, At: at(3)}
		if _, err := s.DecideStatement(t.Context(), explain); err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range []string{"statement_same", "statement_matches", "statement_open", "statement_breaks"} {
		if columnOf(t, s.db, `SELECT count(*) FROM `+table)[0] == "0" {
			t.Fatalf("there is nothing in %s", table)
		}
	}
}

// correct loads a sheet that corrects the payouts of the abandoned batch.
func correct(t *testing.T, st story) {
	t.Helper()
	sheet := ledger.Sheet{Name: "fixed.csv", SHA256: hash("fixed"), RowsHash: hash("rows fixed"), Format: "csv", Header: 1, LoadedAt: at(50), LoadedBy: "asha"}
	var list []ledger.Corrected
	var sends []ledger.Payout
	for i, a := range attemptsOf(t, st.Store, st.abandoned) {
		c := ledger.Corrected{After: a, Is: a.Payout}
		c.Is.Row, c.Is.BankAccountNumber, c.Is.Remarks, c.Is.BeneLEI = i+2, "77700012345", "as the payee says", "5493001KJTIIGC8Y1R12"
		list, sends = append(list, c), append(sends, c.Sends().Payout)
		sheet.Corrected.Add(c.Is.Amount)
	}
	sheet.Rows, sheet.Total = sheet.Corrected.Count, sheet.Corrected.Total
	var first string
	must(t, st.read.QueryRow(`SELECT id FROM sheets WHERE no = 1`).Scan(&first))
	back := ledger.KeyedPayout{Payout: sends[0], Key: "back-1", From: &ledger.RowOrigin{SheetID: first, Row: 99}}
	back.Ref = "back-1"
	sheet.Accepted.Add(back.Amount)
	sheet.Rows, sheet.Total = sheet.Rows+1, sheet.Total+back.Amount
	l, err := st.BeginLoad(t.Context())
	if err == nil {
		err = l.Add([]ledger.KeyedPayout{back})
	}
	if err == nil {
		err = l.Correct(list, planOf(sends, len(sends)))
	}
	if err == nil {
		_, err = l.Commit(sheet, planOf([]ledger.Payout{back.Payout}, 1))
	}
	must(t, err)
	sound(t, st.Store)
}

// edit changes one value of a column, in the last row that has another than NULL
// if there is one, as no program may.
func edit(t *testing.T, path, table, column string) bool {
	t.Helper()
	db := disarmed(t, path)
	defer db.Close()
	value := fmt.Sprintf(`CASE typeof(%[1]s) WHEN 'integer' THEN %[1]s + 1 WHEN 'text' THEN %[1]s || 'x' WHEN 'blob' THEN x'00' END`, column)
	where := fmt.Sprintf(`%s IS NOT NULL`, column)
	keys := columnOf(t, sqlReader{db}, `SELECT name FROM pragma_table_info(?) WHERE pk > 0`, table)
	r, err := db.Exec(fmt.Sprintf(`UPDATE %[1]s SET %[2]s = %[3]s WHERE (%[4]s) = (SELECT %[4]s FROM %[1]s WHERE %[5]s ORDER BY %[6]s DESC LIMIT 1)`,
		table, column, value, strings.Join(keys, ", "), where, strings.Join(keys, " DESC, ")))
	must(t, err)
	n, err := r.RowsAffected()
	return err == nil && n > 0
}
