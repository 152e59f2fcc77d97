package validate

import (
	"strings"
	"testing"
	"time"

	"payrun/ingest"
)

// What cannot be seen is named, what is seen is named as the person sees it,
// and a number in the wrong column is masked.
func TestFindingsSayWhatIsWrongInTheCell(t *testing.T) {
	row := func(account, ifsc, amount string) string {
		return "A,Asha," + account + "," + ifsc + "," + amount + "\n"
	}
	const account, branch = "50200012345678", "HDFC0001234"
	for name, tc := range map[string]struct{ row, code, says, value string }{
		"an account with a zero-width space": {row(account+"\u200b", branch, "1"), codeAccountMalformed, "holds U+200B, which does not show", ""},
		"an IFSC with a zero-width space":    {row(account, branch+"\u200b", "1"), codeIFSCMalformed, "holds U+200B", ""},
		"an amount with a zero-width space":  {row(account, branch, "1\u200b"), codeAmountUnreadable, "holds U+200B", ""},
		"an amount in lakhs":                 {row(account, branch, "1.5 Lakh"), codeAmountUnreadable, `it says "lakh"`, ""},
		"an amount in crores":                {row(account, branch, "5Cr"), codeAmountUnreadable, `it says "cr"`, ""},
		"an amount with Dr":                  {row(account, branch, "500 Dr"), codeAmountUnreadable, `it says "dr"`, ""},
		"account and IFSC swapped":           {row(branch, account, "1"), codeIFSCMalformed, "", "XXXXXXXXXX5678"},
	} {
		t.Run(name, func(t *testing.T) {
			f := checkText(t, testOptions(), nil, header+tc.row).finding(t, tc.code)
			if !strings.Contains(f.Message, tc.says) || tc.value != "" && f.Value != tc.value {
				t.Errorf("%+v", f)
			}
		})
	}
}

// A note next to the table of a workbook has nothing to do with separators.
func TestACellBesideTheTableIsNamed(t *testing.T) {
	head := []any{"ref", "name", "account no", "ifsc", "amount"}
	path := workbook(t, head, []any{"A", "Asha", "50200012345678", "HDFC0001234", 100, nil, nil, nil, "urgent"})
	f := checkFile(t, testOptions(), nil, path).finding(t, codeRowTooManyCells)
	if f.Cell != "I2" || f.Value != "urgent" || strings.Contains(f.Fix, "quotes") || !strings.Contains(f.Message, "I2") {
		t.Errorf("%+v", f)
	}
}

// The cure hangs on the column: no amount becomes text, and a reference that was
// a number is made again.
func TestTheCureFitsTheColumn(t *testing.T) {
	for c, words := range map[column]string{colAmount: "two decimals", colReference: `"NOV26-"&TEXT(`} {
		if fix := fixOfKind(c); !strings.Contains(fix, words) {
			t.Errorf("%s: %s", c, fix)
		}
	}
	if e, _ := ingest.Explained(codeCellDate); fixOfKind(colAccount) != "" || !strings.Contains(e.Fix, "Text to Columns") {
		t.Errorf("accounts: %s", e.Fix)
	}
}

// A day in a finding is the day where its reader is: a sheet loaded on an evening in UTC was loaded on the
// next day in India.
func TestTheDaysOfFindingsAreThoseOfTheConfiguredZone(t *testing.T) {
	india := time.FixedZone("IST", 19800)
	c := &check{o: Options{Now: time.Date(2026, 11, 23, 9, 0, 0, 0, india)}}
	if got := c.day(time.Date(2026, 11, 22, 22, 16, 0, 0, time.UTC)); got != "2026-11-23" {
		t.Errorf("a sheet loaded at 03:46 on 2026-11-23 in India was loaded on %s", got)
	}
}
