package samples_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"payrun/ledger"
	"payrun/samples"
)

func TestMonthEndIsPaidFromEveryKindOfAccount(t *testing.T) {
	want := map[string]int{
		"pb1": 44, "pb3": 30, "pb12-cib": 28, "pb12-rib": 6, "pb4": 3, "pb8": 3, "pb31": 3, "pb79": 3, "pb105": 3,
	}
	for _, s := range []sheet{monthEndCSV(t), monthEndXLSX(t)} {
		got := map[string]int{}
		for _, p := range s.payouts {
			got[p.debit]++
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("payouts by debit account (-want +got):\n%s", d)
		}
	}
}

func TestBothMonthEndsCanBeLoaded(t *testing.T) {
	csv, xlsx := monthEndCSV(t), monthEndXLSX(t)
	refs := map[string]bool{}
	for i, p := range csv.payouts {
		if refs[p.ref] = true; p.amount != xlsx.payouts[i].amount || p.account != xlsx.payouts[i].account {
			t.Errorf("payout %d differs", i)
		}
	}
	for _, p := range xlsx.payouts {
		if refs[p.ref] {
			t.Errorf("%s is in both", p.ref)
		}
	}
}

func TestMonthEndHasWhatMonthEndsHave(t *testing.T) {
	var overLine, devanagari, quotes, leadingZeros, beneficiaries int
	payees := map[string]bool{}
	for _, p := range monthEndCSV(t).payouts {
		if p.amount >= ledger.LEILine && ledger.ValidLEI(p.lei) {
			overLine++
		}
		if strings.ContainsFunc(p.name, func(r rune) bool { return unicode.Is(unicode.Devanagari, r) }) {
			devanagari++
		}
		if strings.Contains(p.remarks, `"`) && strings.Contains(p.remarks, ",") {
			quotes++
		}
		if strings.HasPrefix(p.account, "0") {
			leadingZeros++
		}
		if p.beneficiary == beneficiary1 || p.beneficiary == beneficiary2 {
			beneficiaries++
		}
		paid := p.account + p.beneficiary + p.amount.String()
		if payees[paid] {
			t.Errorf("%s is paid the same amount twice", p.name)
		}
		payees[paid] = true
	}
	if overLine != 1 || devanagari < 5 || quotes < 5 || leadingZeros < 10 || beneficiaries != 6 {
		t.Errorf("%d over the line, %d in Devanagari, %d remarks with comma and quotes, %d accounts with leading zeros, %d by beneficiary id",
			overLine, devanagari, quotes, leadingZeros, beneficiaries)
	}
}

func TestMonthEndWorkbookKeepsCodesAsTextAndAmountsAsNumbers(t *testing.T) {
	data, err := samples.FS.ReadFile(samples.MonthEndXLSX)
	check(t, err)
	f, err := excelize.OpenReader(bytes.NewReader(data))
	check(t, err)
	defer f.Close() //nolint:errcheck // only read from
	const tab = "Nov 2025"
	for _, cell := range []string{"A4", "C4", "D4"} {
		if kind, err := f.GetCellType(tab, cell); err != nil || kind != excelize.CellTypeSharedString {
			t.Errorf("%s is of type %v, want text (%v)", cell, kind, err)
		}
		style, err := f.GetCellStyle(tab, cell)
		check(t, err)
		if s, err := f.GetStyle(style); err != nil || s.NumFmt != 49 {
			t.Errorf("%s has number format %d, want text (%v)", cell, s.NumFmt, err)
		}
	}
	raw, err := f.GetCellValue(tab, "E8", excelize.Options{RawCellValue: true})
	check(t, err)
	if kind, err := f.GetCellType(tab, "E8"); err != nil || kind != excelize.CellTypeUnset || raw != "625000000" {
		t.Errorf("E8 is %q of type %v, want the number 625000000 (%v)", raw, kind, err)
	}
}
