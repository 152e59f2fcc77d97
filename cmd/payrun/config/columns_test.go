package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

// someColumns are the words of this test: what they mean is another room's.
func someColumns(word string) (string, bool) {
	c, ok := map[string]string{"amount": "amount", "Net Pay": "amount", "ref": "merchant_txn_ref_id"}[word]
	return c, ok
}

func readColumns(text string) (File, error) {
	return Sources{Amount: ledger.ParsePaise, Column: someColumns}.parse(Name, text)
}

func TestColumnsAndProfiles(t *testing.T) {
	got, err := readColumns("[columns]\n\"Net Pay\" = \"Net Disbursal\"\n[columns.vendor]\namount = \"Final\"\n[columns.salary]\nref = \"Emp Code\"\namount = \"Take Away\"\n")
	must(t, err)
	want := Columns{
		Always: map[string]string{"Net Pay": "Net Disbursal"},
		Profiles: []Profile{
			{"salary", map[string]string{"ref": "Emp Code", "amount": "Take Away"}},
			{"vendor", map[string]string{"amount": "Final"}},
		},
	}
	if diff := cmp.Diff(want, got.Columns); diff != "" {
		t.Error(diff)
	}
}

func TestColumnsThatNoSheetCanHaveAreRefusedWithTheirPlace(t *testing.T) {
	for text, want := range map[string]string{
		"[columns]\nsum = \"X\"\n":                         "line 2, column 1: columns.sum: no column of a sheet is called so",
		"[columns]\namount = \"\"\n":                       "line 2, column 1: columns.amount: must not be empty",
		"[columns]\namount = \"A\"\n\"Net Pay\" = \"B\"\n": "are both amount",
		"[columns.salary]\nref = \"A\"\nsum = \"B\"\n":     "line 3, column 1: columns.salary.sum: no column",
		"[columns]\namount = 7\n":                          "want the header of the column",
		"[columns.salary]\namount = [\"A\", \"B\"]\n":      "want the header of the column",
		"columns = \"amount\"\n":                           "want headers",
		"[columns.salary.more]\namount = \"A\"\n":          "want the header of the column",
	} {
		if _, err := readColumns(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestRailsAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"[rails]\nNEFT = \"neft\"\n\"R T\" = \"rtgs\"\n": "",
		"[rails]\nNEFT = \"fast\"\n":                     `line 2, column 1: rails.NEFT: "fast": want neft, rtgs or imps`,
		"[rails]\nNEFT = \"\"\n":                         "want neft, rtgs or imps",
	} {
		if _, err := readColumns(text); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
