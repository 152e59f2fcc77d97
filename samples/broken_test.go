package samples_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/charmap"

	"payrun/ledger"
)

// sample is a sheet and what must be said about it.
type sample struct {
	name     string
	make     func(t *testing.T) []byte
	expected expectedOutcome
}

// six is the small run that each broken sheet spoils in one place: six payouts,
// 3,00,000.00 altogether, one OTP. It is in rows 2 to 7.
func six() sheet {
	s := sheet{columns: canonical()}
	for i, p := range []payout{
		{name: "Konkan Packaging", amount: 40_000_00},
		{name: "मालवा ट्रेडर्स", amount: 1_25_000_00},
		{name: "Deccan Cold Storage LLP", amount: 18_250_50},
		{name: "Kaveri Chemicals & Co", amount: 76_749_50},
		{name: "Doab Electricals", amount: 9_999_99},
		{name: "Kutch Paper Products", amount: 30_000_01},
	} {
		p.ref = "DEC25/" + string('A'+rune(i))
		p.account = "0050200" + strings.Repeat(string('1'+rune(i)), 6)
		p.ifsc = "TSTB0000" + strings.Repeat(string('1'+rune(i)), 3)
		p.remarks = "December advance, lot " + string('1'+rune(i))
		p.debit = accountName(3, ledger.KindNone)
		s.payouts = append(s.payouts, p)
	}
	return s
}

// tally of the payouts of six at these positions.
func tally(positions ...int) ledger.Tally {
	var t ledger.Tally
	for _, i := range positions {
		t.Add(six().payouts[i].amount)
	}
	return t
}

// refusedRow: one row of six is refused for one reason.
func refusedRow(i int, column, code string) expectedOutcome {
	e := expectedOutcome{Exit: 10, Rows: 6, OTPs: 1, Findings: []finding{{Row: 2 + i, Column: column, Code: code}}}
	for k, p := range six().payouts {
		e.Total += p.amount
		if k == i {
			e.Rejected.Add(p.amount)
		} else {
			e.Accepted.Add(p.amount)
		}
	}
	return e
}

// unread takes an amount that cannot be read out of what is expected.
func unread(e expectedOutcome) expectedOutcome {
	e.Total -= e.Rejected.Total
	e.Rejected.Total = 0
	return e
}

// refusedAfter: the sheet is refused as a whole, with n of its rows read.
func refusedAfter(n, row int, code string) expectedOutcome {
	e := refusedFile(row, "", code)
	for _, p := range six().payouts[:n] {
		e.Accepted.Add(p.amount)
	}
	e.Rows, e.Total, e.OTPs = n, e.Accepted.Total, 1
	return e
}

// refusedFile: the sheet is refused as a whole, before any row is read.
func refusedFile(row int, column, code string) expectedOutcome {
	return expectedOutcome{Exit: 10, Findings: []finding{{Row: row, Column: column, Code: code}}}
}

// but writes a sheet as CSV after a change.
func (s sheet) but(change func(*sheet)) func(t *testing.T) []byte {
	return func(t *testing.T) []byte {
		changed := s
		changed.payouts = slices.Clone(s.payouts)
		change(&changed)
		return changed.csv(t)
	}
}

// spoilt writes six as CSV after a change to the payout at position i.
func spoilt(i int, change func(*payout)) func(t *testing.T) []byte {
	return six().but(func(s *sheet) { change(&s.payouts[i]) })
}

// replaced writes six as CSV and replaces one piece of its text.
func replaced(before, after string) func(t *testing.T) []byte {
	return func(t *testing.T) []byte {
		csv := six().csv(t)
		if bytes.Count(csv, []byte(before)) != 1 {
			t.Fatalf("%q is not there once", before)
		}
		return bytes.Replace(csv, []byte(before), []byte(after), 1)
	}
}

func brokenSamples() []sample {
	return slices.Concat(brokenRows(), brokenFiles(), brokenMessages())
}

// brokenRows have one row that is refused.
func brokenRows() []sample {
	repeated := refusedRow(1, "merchant_txn_ref_id", "reference_repeated")
	repeated.Findings = append(repeated.Findings, finding{Row: 6, Column: "merchant_txn_ref_id", Code: "reference_repeated"})
	repeated.Rejected, repeated.Accepted = tally(1, 4), tally(0, 2, 3, 5)

	rib := refusedRow(3, "open_beneficiary_id", "open_beneficiary_id_missing")
	lei := refusedRow(2, "bene_lei", "lei_missing")
	lei.Rejected.Total = ledger.LEILine
	lei.Total = lei.Accepted.Total + lei.Rejected.Total

	return []sample{
		{"ifsc-letter-o.csv", spoilt(2, func(p *payout) { p.ifsc = strings.Replace(p.ifsc, "0", "O", 1) }),
			refusedRow(2, "ifsc", "ifsc_malformed")},
		{"reference-repeated.csv", spoilt(4, func(p *payout) { p.ref = "dec25/b" }), repeated},
		{"amount-unclear.csv", spoilt(1, func(p *payout) { p.written = "1,25" }),
			unread(refusedRow(1, "amount", "amount_grouping"))},
		{"amount-negative.csv", spoilt(5, func(p *payout) { p.written = "(30,000.01)" }),
			unread(refusedRow(5, "amount", "amount_negative"))},
		{"account-scientific.csv", spoilt(3, func(p *payout) { p.account = "5.0200444444E+12" }),
			refusedRow(3, "bank_account_number", "account_scientific")},
		{"account-numeric.xlsx", func(t *testing.T) []byte {
			return six().xlsx(t, "Payouts", func(f *excelize.File) {
				check(t, f.SetCellStyle("Payouts", "C5", "C5", 0))
				check(t, f.SetCellDefault("Payouts", "C5", "50200444444"))
			})
		}, refusedRow(3, "bank_account_number", "account_numeric_cell")},
		{"formula-without-value.xlsx", func(t *testing.T) []byte {
			return six().xlsx(t, "Payouts", func(f *excelize.File) {
				check(t, f.SetCellDefault("Payouts", "E4", ""))
				check(t, f.SetCellFormula("Payouts", "E4", "18000+250.5"))
			})
		}, unread(refusedRow(2, "amount", "cell_formula_without_value"))},
		{"lei-missing.csv", spoilt(2, func(p *payout) {
			p.amount, p.debit = ledger.LEILine, accountName(1, ledger.KindNone)
		}), lei},
		{"rib-without-beneficiary.csv", spoilt(3, func(p *payout) { p.debit = accountName(12, ledger.KindRIB) }), rib},
		{"debit-account-unknown.csv", spoilt(0, func(p *payout) { p.debit = "pb5" }),
			refusedRow(0, "bank_account_id", "debit_account_unknown")},
		{"name-control-character.csv", spoilt(1, func(p *payout) { p.name = "Malwa \u202eTraders" }),
			refusedRow(1, "vendor_name", "text_characters")},
	}
}

// brokenFiles are refused as a whole.
func brokenFiles() []sample {
	differs := refusedAfter(6, 8, "control_total_differs")
	differs.Findings[0].Column = "amount"
	return []sample{
		{"total-mismatch.csv", six().but(func(s *sheet) {
			s.total = s.sum() - 10_000_00
		}), differs},
		{"column-missing.csv", six().but(func(s *sheet) {
			s.columns = without(s.columns, "ifsc")
		}), refusedFile(1, "ifsc", "column_missing")},
		{"column-twice.csv", six().but(func(s *sheet) {
			s.columns = append(s.columns, column{"Net Pay", func(payout) string { return "1.00" }, money})
		}), refusedFile(1, "amount", "column_repeated")},
		{"header-look-alike.csv", replaced("amount", "аmount"), // the first letter is Cyrillic
			refusedFile(1, "amount", "header_look_alike")},
		{"header-only.csv", six().but(func(s *sheet) {
			s.payouts = nil
		}), refusedFile(0, "", "no_rows")},
		{"quote-unclosed.csv", replaced(`lot 6",`, `lot 6","`), refusedAfter(5, 7, "csv_quote_unclosed")},
		{"windows-1252.csv", func(t *testing.T) []byte {
			s := six()
			s.payouts[1].name = "Café Malwa"
			return encoded(t, charmap.Windows1252, s.csv(t))
		}, refusedAfter(1, 3, "csv_encoding")},
		{"truncated.xlsx", func(t *testing.T) []byte {
			b := six().xlsx(t, "Payouts", nil)
			return b[:len(b)*6/10]
		}, refusedFile(0, "", "workbook_damaged")},
		{"hidden-row.xlsx", func(t *testing.T) []byte {
			return six().xlsx(t, "Payouts", func(f *excelize.File) { check(t, f.SetRowVisible("Payouts", 4, false)) })
		}, refusedAfter(6, 4, "hidden_rows")},
		{"merged-cells.xlsx", func(t *testing.T) []byte {
			return six().xlsx(t, "Payouts", func(f *excelize.File) { check(t, f.MergeCell("Payouts", "F3", "F4")) })
		}, refusedAfter(6, 3, "merged_cells")},
		{"two-data-tabs.xlsx", func(t *testing.T) []byte {
			return six().xlsx(t, "Lot 1", func(f *excelize.File) { six().workbook(t, f, "Lot 2") })
		}, refusedFile(0, "", "tab_ambiguous")},
	}
}
