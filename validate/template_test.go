package validate

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"payrun/ingest"
	"payrun/ledger"
)

func requiredOf(accounts []ledger.DebitAccount) (names []string) {
	for _, c := range Template(accounts) {
		if c.Required {
			names = append(names, c.Name)
		}
	}
	return names
}

func TestTheTemplateMarksWhatTheAccountsNeed(t *testing.T) {
	payee := []string{"merchant_txn_ref_id", "vendor_name", "bank_account_number", "ifsc", "amount"}
	byID := []string{"merchant_txn_ref_id", "amount", "open_beneficiary_id"}
	for name, test := range map[string]struct {
		accounts []ledger.DebitAccount
		want     []string
	}{
		"no account":         {nil, payee},
		"an ordinary one":    {testAccounts[:1], payee},
		"RIB next to others": {testAccounts, payee},
		"RIB alone":          {testAccounts[2:3], byID},
	} {
		same(t, test.want, requiredOf(test.accounts), name)
	}
	for i, c := range Template(nil) {
		if c.Name != Columns()[i] || c.What == "" || c.Amount != (c.Name == "amount") {
			t.Errorf("column %d is %+v, want %s and what belongs there", i, c, Columns()[i])
		}
	}
}

// TestTheExampleRowIsNeverPaid: it would be, were it not for its reference.
func TestTheExampleRowIsNeverPaid(t *testing.T) {
	var names, cells []string
	for _, c := range Template(testAccounts) {
		names, cells = append(names, c.Name), append(cells, c.Example)
	}
	sheet := strings.Join(names, ",") + "\n" + strings.Join(cells, ",") + "\n"
	for _, ref := range []string{ExampleReference, "example", " Example "} {
		out := checkText(t, testOptions(), nil, strings.Replace(sheet, ExampleReference, ref, 1))
		same(t, []string{"2:merchant_txn_ref_id:row_example"}, out.codes(), ref)
	}
	for _, ref := range []string{"EXAMPLE-1", "INV-1"} {
		if out := checkText(t, testOptions(), nil, strings.Replace(sheet, ExampleReference, ref, 1)); len(out.kept) != 1 {
			t.Errorf("%q: %v", ref, out.codes())
		}
	}
}

func TestOpenReadsTheRowsThatCheckReads(t *testing.T) {
	path := writeFile(t, "sheet.csv", "Salaries of November\n\nRef No;Net;Name;A/c No;IFSC\nINV-1;5.00;Asha Traders;50200012345678;HDFC0001234\n")
	o := testOptions()
	o.Map = map[string]string{"amount": "Net"}
	sheet, err := Open(path, o)
	must(t, err)
	defer sheet.Close() //nolint:errcheck // only read from
	var last ingest.Row
	for {
		row, err := sheet.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		last = ingest.Row{Number: row.Number, Cells: slices.Clone(row.Cells)}
	}
	same(t, ingest.Row{Number: 4, Cells: []string{"INV-1", "5.00", "Asha Traders", "50200012345678", "HDFC0001234"}}, last)
	o.Map = map[string]string{"nosuch": "Net"}
	if _, err := Open(path, o); !isUsage(err) {
		t.Errorf("an unknown column: %v, want a UsageError", err)
	}
	if _, err := Open(writeFile(t, "empty.csv", ""), testOptions()); err == nil {
		t.Error("an empty file was opened")
	} else if d, ok := errors.AsType[*ingest.Defect](err); !ok {
		t.Errorf("an empty file: %v (%v), want a Defect", err, d)
	}
}

func TestTheCopyIsWhatWasChecked(t *testing.T) {
	text := header + good("INV-1", "1.00") + good("INV-1", "2.00") // also where rows are refused
	var kept strings.Builder
	o := testOptions()
	o.Copy = &kept
	checkText(t, o, nil, text)
	if kept.String() != text {
		t.Errorf("kept %q, want %q", kept.String(), text)
	}
}
