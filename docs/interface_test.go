// Package docs holds the pages; its tests hold what they say against the code.
package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// named is what the interface names, typed by hand from its document, in its
// order: a group, and the names in it between commas.
var named = [...]struct{ group, names string }{
	{"Host", "id_url, linking_url, base_url"},
	{"Envelope", "status, data, error, error.code, error.message, error.details, meta.timestamp, meta.pagination, is_sandbox"},
	{"Sub-merchant", "sub_merchant_id, first_name, last_name, email, username"},
	{"Linking session", "redirect_url, is_sandbox, status, merchant_redirect_url"},
	{"Bank account", "status, partner_bank_id, bank_account_id, account_number, ifsc, account_name, identifier, redirect_url, partner bank ids 1; 3; 4; 8; 12; 31; 79; 105"},
	{"Beneficiary", "bank_account_id, open_beneficiary_id, bank_beneficiary_id, vendor_name, bank_account_number, ifsc, beneficiary_status"},
	{"Payout", "merchant_txn_ref_id, open_beneficiary_id, vendor_name, amount, bank_account_number, ifsc, remarks, open_txn_id, bank_txn_ref_id, status, bank_status_code, error"},
	{"Payout batch", "sub_merchant_id, bank_account_id, debit_account_number, debit_account_holder_name, debit_ifsc, merchant_transfer_batch_id, open_batch_id, payouts"},
	{"Statement entry", "transaction_id, transaction_amount, transaction_type, closing_balance, transacted_date, posted_date, value_date, reference_number, remarks"},
	{"Balance entry", "bank_account_id, balance"},
	{"Payout status", "request_initiated, pending, initiated, success, failed, transitions after submit"},
	{"Beneficiary status", "request_initiated, active, verify_started"},
	{"Bank account status", "active, token_expired"},
	{"Linking session status", "initiated"},
	{"Operation", "1 List sub-merchants, 2 Register sub-merchant, 3 Initiate bank-account linking, 4 List bank accounts, 5 List beneficiaries, 6 Initiate beneficiary, " +
		"7 Fetch balance, 8 Initiate transfer, 9 Submit transfer, 10 Get transfer status, 11 Fetch bank statements"},
	{"List sub-merchants", "limit, offset"},
	{"Register sub-merchant", "first_name, last_name, email, username"},
	{"Initiate linking", "sub_merchant_id, partner_bank_id, merchant_redirect_url"},
	{"List bank accounts", "sub_merchant_id, bank_account_id, search, partner_bank_id, cursor, limit"},
	{"List beneficiaries", "sub_merchant_id, bank_account_id, open_beneficiary_id, search, cursor, limit"},
	{"Initiate beneficiary", "sub_merchant_id, bank_account_id, vendor_name, bank_account_number, ifsc, the Complete operation"},
	{"Fetch balance", "sub_merchant_id, bank_account_id, cursor, limit"},
	{"Initiate transfer", "merchant_transfer_batch_id, transaction_type_id, payout_data[], payout_data[].merchant_txn_ref_id, payout_data[].open_beneficiary_id, " +
		"payout_data[].vendor_name, payout_data[].bank_account_number, payout_data[].ifsc, payout_data[].remarks, the amount field, the debit-account selector, rule 1 bulk, rule 2 uniqueness"},
	{"Submit transfer", "merchant_transfer_batch_id, otp, transaction_token, bene_lei"},
	{"Get transfer status", "merchant_transfer_batch_id, open_txn_id, merchant_txn_ref_id, cursor, limit, an unknown batch"},
	{"Fetch bank statements", "from_date, to_date, bank_account_id, sub_merchant_id, cursor, limit, partner bank 8, the other shape, request_id, the List statements by request_id operation"},
	{"Authentication", "Authorization, 401, how credentials are issued, how an environment is selected"},
	{"Webhook", "bank-account linking, payout, statement, signing; retries; configuration of the URL"},
	{"HTTP status", "400, 401, 500, the status of each code"},
	{"Code", "SM_004, AL_002, AL_004, AL_006, BN_001, BN_002, BN_003, BN_005, BN_006, BN_007, BL_001, BL_002, BL_003, " +
		"FT_001, FT_002, FT_004, FT_005, FT_006, FT_007, FT_008, FT_009, FT_010, FT_011, FT_012, FT_013, FT_014, FT_015, ST_001, ST_002, ST_003, ST_004, ST_007"},
	{"Limit", "page size of the sub-merchant list, page size of other lists, offset default, statement window, payouts per batch, batch id uniqueness, " +
		"payout reference uniqueness, LEI threshold, rate limits, OTP validity and attempts"},
	{"Pagination", "cursor, next_cursor, limit, has_more"},
	{"Version", "/v1/"},
}

// row is one row of the page: what it is about, how it is read, and its tests.
type row struct {
	items   []string // "Payout: amount"
	reading string
	tests   []string
}

// interfacePage has a row for everything that the interface names.
const interfacePage = "../submitter/bankapi/INTERFACE.md"

var quotedName = regexp.MustCompile("`([^`]+)`")

func rowsOf(t *testing.T, page string) (rows []row) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		group, _, isItem := strings.Cut(cells[0], ": `")
		if !strings.HasPrefix(line, "|") || len(cells) != 3 || !isItem {
			continue
		}
		r := row{reading: strings.TrimSpace(cells[1])}
		for _, name := range quotedName.FindAllStringSubmatch(cells[0], -1) {
			r.items = append(r.items, strings.TrimSpace(group)+": "+name[1])
		}
		for _, name := range quotedName.FindAllStringSubmatch(cells[2], -1) {
			r.tests = append(r.tests, name[1])
		}
		rows = append(rows, r)
	}
	return rows
}

// TestTheTableOfTheInterfaceHasNoHoles: all that the interface names has just one
// row, with a reading and a test, and there is nothing else in the table.
func TestTheTableOfTheInterfaceHasNoHoles(t *testing.T) {
	missing := map[string]bool{}
	for _, n := range named {
		for name := range strings.SplitSeq(n.names, ", ") {
			missing[n.group+": "+strings.ReplaceAll(name, ";", ",")] = true
		}
	}
	seen := map[string]bool{}
	for _, r := range rowsOf(t, interfacePage) {
		if r.reading == "" || len(r.tests) == 0 {
			t.Errorf("%v: no reading, or no test", r.items)
		}
		for _, item := range r.items {
			if !missing[item] || seen[item] {
				t.Errorf("%s is not named by the interface, or has two rows", item)
			}
			seen[item] = true
		}
	}
	for item := range missing {
		if !seen[item] {
			t.Errorf("%s has no row", item)
		}
	}
}

// TestTheTestsOfTheTableExist: each is a test function or a script of this
// repository.
func TestTheTestsOfTheTableExist(t *testing.T) {
	there := testsOf(t, "..")
	for _, r := range rowsOf(t, interfacePage) {
		for _, name := range r.tests {
			if !there[name] {
				t.Errorf("%v: there is no test %s", r.items, name)
			}
		}
	}
}

var testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

func testsOf(t *testing.T, root string) map[string]bool {
	t.Helper()
	there := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case strings.HasSuffix(path, ".txtar"):
			there[entry.Name()] = true
		case strings.HasSuffix(path, "_test.go"):
			source, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, m := range testFunction.FindAllSubmatch(source, -1) {
				there[string(m[1])] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return there
}

// TestAHoleInATableIsSeen: the two tests above would notice.
func TestAHoleInATableIsSeen(t *testing.T) {
	rows := rowsOf(t, interfacePage)
	if len(rows) < 80 {
		t.Fatalf("%d rows are read", len(rows))
	}
	i := slices.IndexFunc(rows, func(r row) bool { return slices.Contains(r.items, "Payout: amount") })
	if i < 0 || len(rows[i].tests) < 2 || !strings.Contains(rows[i].reading, "two digits") {
		t.Error("the row of an amount is not read as it is")
	}
}
