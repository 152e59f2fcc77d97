package validate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
)

// trapSheet is a sheet that is made by chance: a row a payout, and a column or two more.
type trapSheet struct {
	rng     *rand.Rand
	above   []string // lines above the header
	before  string   // columns before the amount
	amount  string   // its header
	after   string   // columns after it
	quoted  bool
	whole   bool // all amounts are rupees without paise, and written so
	rows    []trapRow
	options Options
}

type trapRow struct {
	amount  ledger.Paise
	account string
	cells   [3]string // before the amount, the amount where it is written in another way, after it
}

// trap is one way in which something besides the amount changes what a sheet means. It spoils
// a sheet in at least one row, or makes one that only looks so.
type trap struct {
	name, code string
	make       func(s *trapSheet, spoilt func(row int) bool)
}

// money writes an amount.
func (s *trapSheet) money(p ledger.Paise) string {
	if s.whole {
		return strings.TrimSuffix(p.String(), ".00")
	}
	return p.String()
}

// some is an amount by chance.
func (s *trapSheet) some(least, most int) ledger.Paise {
	p := ledger.Paise(least + s.rng.IntN(most-least))
	if s.whole {
		p -= p % 100
	}
	return p
}

func (s *trapSheet) one(words ...string) string { return words[s.rng.IntN(len(words))] }

// each writes the cell of the column after the amount.
func (s *trapSheet) each(header string, cell func(row int, r *trapRow) string) {
	s.after = header
	for i := range s.rows {
		s.rows[i].cells[2] = cell(i, &s.rows[i])
	}
}

func traps() []trap {
	return []trap{
		{"an amount that a comma cuts", codeAmountCut, func(s *trapSheet, spoilt func(int) bool) {
			s.each("Narration", func(i int, r *trapRow) string {
				if !spoilt(i) {
					return s.one("Oct", "12", "500", "A-500", "1234")
				}
				r.cells[1] = fmt.Sprint(1 + s.rng.IntN(999))
				return s.one("500", "25", "000", "750.5", "999.99")
			})
		}},
		{"a line in quotes is not cut", "", func(s *trapSheet, _ func(int) bool) {
			s.quoted = true
			s.each("Narration", func(_ int, r *trapRow) string { r.cells[1] = fmt.Sprint(1 + s.rng.IntN(999)); return "500" })
		}},
		{"a note above states a unit", codeAmountOtherUnit, func(s *trapSheet, spoilt func(int) bool) {
			s.above = []string{s.one("Payments,,", "L & T,,", "Crore Foods,,", "Amounts in Rs.,,")}
			if spoilt(-1) {
				s.above = append(s.above, s.one("Rs. in Lakhs,,", ",(₹ in crore),", "All amounts in USD,,", "Unit:,Lakh,", ",,Amount in '000"))
			}
		}},
		{"a column of units", codeAmountCurrency, func(s *trapSheet, spoilt func(int) bool) {
			s.each(s.one("Unit", "Currency", "UOM"), func(i int, _ *trapRow) string {
				if spoilt(i) && s.after == "Currency" {
					return s.one("USD", "EUR", "Lakh")
				} else if spoilt(i) {
					return s.one("Lakh", "lakhs", "Crore", "paise")
				}
				return s.one("", "Rs.", "INR")
			})
		}},
		{"another account", codeAccountColumnUnclear, func(s *trapSheet, spoilt func(int) bool) {
			s.each(s.one("New Account Number", "Corrected A/c No", "Account Number 2", "Changed Bank A/c"), func(i int, r *trapRow) string {
				if spoilt(i) {
					return fmt.Sprintf("%d", 100_000_000_000+s.rng.IntN(800_000_000_000))
				}
				return s.one("", r.account)
			})
		}},
		{"numbers that are no accounts", "", func(s *trapSheet, _ func(int) bool) {
			s.each(s.one("Mobile", "UAN", "PO No", "Aadhaar No", "Old Account Number", "Phone", "Column1"), func(int, *trapRow) string { return fmt.Sprint(9_000_000_000 + s.rng.IntN(999_999_999)) })
		}},
		{"another IFSC", codeAccountColumnUnclear, func(s *trapSheet, spoilt func(int) bool) {
			header := s.one("New IFSC", "Revised IFSC Code", "Col7")
			if len(s.rows) == 1 {
				header = "IFSC as per bank"
			}
			s.each(header, func(i int, _ *trapRow) string {
				if spoilt(i) {
					return "SBIN0004567"
				}
				return "HDFC0001234"
			})
		}},
		{"another amount", codeAmountColumnUnclear, func(s *trapSheet, spoilt func(int) bool) {
			s.each(s.one("Approved", "Revised", "Passed", "Sanctioned Amt", "Final", "To Pay", "Total", "Whatever", "MD", "As per HO", "In Hand", "By Bank", "स्वीकृत"), func(i int, r *trapRow) string {
				if spoilt(i) {
					return s.money(r.amount*11/10 + 100 - r.amount*11/10%100)
				}
				return s.money(r.amount)
			})
		}},
		{"another amount without a name", codeAmountColumnUnclear, func(s *trapSheet, spoilt func(int) bool) {
			s.each(" ,Narration", func(i int, r *trapRow) string {
				if spoilt(i) {
					return s.money(r.amount-r.amount/10) + ",Oct"
				}
				return s.money(r.amount) + ",Oct"
			})
			if s.amount != "Amount" && spoilt(-1) {
				s.rows = append(s.rows, s.row(",Oct"))
			}
		}},
		{"an amount that is not approved", codeAmountColumnUnclear, func(s *trapSheet, spoilt func(int) bool) {
			s.each(s.one("Approved", "Balance", "Passed for payment", "बकाया"), func(i int, r *trapRow) string {
				if spoilt(i) {
					return s.one("0", "-", "", "NIL", "0.00")
				}
				return s.money(r.amount)
			})
			if spoilt(-1) {
				s.rows = append(s.rows, s.row(""))
				s.rows[len(s.rows)-1].cells[2] = s.money(s.rows[len(s.rows)-1].amount)
			}
		}},
		{"what is taken off", codeAmountColumnUnclear, func(s *trapSheet, spoilt func(int) bool) {
			s.each(s.one("Advance", "Adv", "Retention", "Discount", "Recovery", "Mobile Recovery", "Adjustment", "Ded.", "Fine", "Cash", "कटौती"), func(i int, r *trapRow) string {
				if spoilt(i) {
					return s.money(s.some(10_000, 90_000))
				}
				return s.one("", "0", "-")
			})
		}},
		{"numbers that are no amounts", "", func(s *trapSheet, _ func(int) bool) {
			s.each(s.one("Leave Balance", "Payment Terms", "Weight", "GST %", "Emp Code", "Bill No", "CGPA", "Fat", "Paid Days"), func(int, *trapRow) string {
				return fmt.Sprintf("%d.%d", 1+s.rng.IntN(40), s.rng.IntN(9))
			})
		}},
		{"rate and quantity", "", func(s *trapSheet, _ func(int) bool) {
			s.before = s.one("Rate,Quantity", "Price,Kg", "Each,Boxes")
			for i := range s.rows {
				rate, n := s.some(10_000, 90_000), 2+s.rng.IntN(30)
				s.rows[i].amount = rate * ledger.Paise(n)
				s.rows[i].cells[0] = fmt.Sprintf("%s,%d", s.money(rate), n)
			}
		}},
		{"parts of the amount", "", func(s *trapSheet, _ func(int) bool) {
			s.before = s.one("Labour,Material", "Fare,Lodging", "Taxable Value,GST", "Fixed Pay,Variable Pay", "Tuition Fee,Maintenance")
			for i := range s.rows {
				a, b := s.some(10_000, 90_000), s.some(10_000, 90_000)
				s.rows[i].amount, s.rows[i].cells[0] = a+b, s.money(a)+","+s.money(b)
			}
		}},
		{"gross less what is taken off", "", func(s *trapSheet, _ func(int) bool) {
			s.before = s.one("Claim,Advance", "Invoice Value,Retention", "Approved Amt,Ded", "Monthly Rent,Tax")
			for i := range s.rows {
				a, b := s.some(200_000, 290_000), s.some(10_000, 90_000)
				if s.rng.IntN(3) == 0 {
					b = 0
				}
				s.rows[i].amount, s.rows[i].cells[0] = a-b, s.money(a)+","+s.money(b)
			}
		}},
		{"a register with a gross", "", func(s *trapSheet, _ func(int) bool) {
			s.before = "Basic Pay,HRA,Gross Pay,PF,Leave Balance"
			for i := range s.rows {
				a, b, c := s.some(200_000, 290_000), s.some(10_000, 90_000), s.some(10_000, 20_000)
				s.rows[i].amount, s.rows[i].cells[0] = a+b-c, strings.Join([]string{s.money(a), s.money(b), s.money(a + b), s.money(c), "12.5"}, ",")
			}
		}},
		{"an advance and what is still to pay", codeAmountColumnUnclear, func(s *trapSheet, spoilt func(int) bool) {
			if s.before = "Advance,To Pay"; !spoilt(-1) {
				s.before = "Labour,Material"
			}
			for i := range s.rows {
				a, b := s.some(10_000, 90_000), s.some(100_000, 290_000)
				s.rows[i].amount, s.rows[i].cells[0] = a+b, s.money(a)+","+s.money(b)
			}
		}},
		{"credits among debits", codeCreditsAmongPayouts, func(s *trapSheet, spoilt func(int) bool) {
			kinds := [][2]string{{"Dr", "Cr"}, {"D", "C"}, {"Debit", "CREDIT"}}[s.rng.IntN(3)]
			s.each(s.one("Dr/Cr", "Side", "D/C"), func(i int, _ *trapRow) string {
				if spoilt(i) {
					return kinds[1]
				}
				return kinds[0]
			})
			if spoilt(-1) && !strings.EqualFold(s.rows[0].cells[2], kinds[0]) {
				s.rows = append(s.rows, s.row(kinds[0])) // a column of one kind says nothing
			}
		}},
		{"credit notes", codeCreditsAmongPayouts, func(s *trapSheet, spoilt func(int) bool) {
			s.each(s.one("Doc Type", "Type", "Voucher Type"), func(i int, _ *trapRow) string {
				if spoilt(i) {
					return s.one("Credit Note", "Cr.Note", "REFUND", "Reversal", "Recovery", "Deduction")
				}
				return s.one("Invoice", "Payment")
			})
			if spoilt(-1) {
				s.rows = append(s.rows, s.row("Invoice"))
			}
		}},
		{"a later day", codeExecutionDateAhead, func(s *trapSheet, spoilt func(int) bool) {
			s.options.Now = time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
			s.each(s.one("Payment Date", "Value Date", "Pay On"), func(i int, _ *trapRow) string {
				day := s.options.Now.AddDate(0, 0, -s.rng.IntN(20))
				if spoilt(i) {
					day = s.options.Now.AddDate(0, 0, 1+s.rng.IntN(400))
				}
				return day.Format(s.one("2006-01-02", "02/01/2006", "2-1-06", "02-Jan-2006", "02.01.2006"))
			})
		}},
		{"a word in a remark", codeRowSaysOtherwise, func(s *trapSheet, spoilt func(int) bool) {
			s.each(s.one("Narration", "Comments"), func(i int, _ *trapRow) string {
				if spoilt(i) {
					return s.one("Oct - HOLD", "pls hold", "duplicate - ignore", "Already paid by cheque", "Do not pay")
				}
				return s.one("Household goods", "Oct", "Stopper rods", "Holding tank", "Cheque paid in")
			})
		}},
		{"a cross", codeRowSaysOtherwise, func(s *trapSheet, spoilt func(int) bool) {
			s.each(s.one("OK", "Approved", "Checked"), func(i int, _ *trapRow) string {
				if spoilt(i) {
					return s.one("✗", "❌", "✘")
				}
				return "✓"
			})
		}},
		{"some values are debit accounts", codeDebitAccountUnclear, func(s *trapSheet, spoilt func(int) bool) {
			s.each(s.one("Bank", "Pay through", "Unit Name"), func(i int, _ *trapRow) string {
				if spoilt(i) {
					return s.one("elsewhere", "Main branch")
				}
				return s.one("main", "MAIN", "big")
			})
			if spoilt(-1) {
				s.rows = append(s.rows, s.row("main"))
			}
		}},
	}
}

// row makes a payout by chance.
func (s *trapSheet) row(after string) trapRow {
	return trapRow{amount: s.some(100_000, 9_000_000), account: fmt.Sprintf("5020%08d", s.rng.IntN(100_000_000)), cells: [3]string{2: after}}
}

func (s *trapSheet) text() string {
	var b strings.Builder
	join := func(parts ...string) {
		parts = slices.DeleteFunc(parts, func(p string) bool { return p == "\x00" })
		line := strings.Join(parts, ",")
		if s.quoted {
			line = `"` + strings.ReplaceAll(line, ",", `","`) + `"`
		}
		b.WriteString(line + "\n")
	}
	named := func(header, text string) string {
		if header == "" && text == "" {
			return "\x00"
		}
		return text
	}
	for _, line := range s.above {
		b.WriteString(line + "\n")
	}
	join("Ref No", "Name", "Account No", "IFSC", named(s.before, s.before), s.amount, named(s.after, s.after))
	for i, r := range s.rows {
		amount := r.cells[1]
		if amount == "" {
			amount = s.money(r.amount)
		}
		join(fmt.Sprintf("R-%d", i), "Asha Traders", r.account, "HDFC0001234", named(s.before, r.cells[0]), amount, named(s.after, r.cells[2]))
	}
	return b.String()
}

// Each trap is seen in sheets that have it, and in no sheet without.
func TestWhatColumnsBesideTheAmountMean(t *testing.T) {
	for _, tr := range traps() {
		t.Run(tr.name, func(t *testing.T) {
			for seed := range uint64(20) {
				for _, spoilt := range []bool{false, true} {
					if spoilt && tr.code == "" {
						continue
					}
					s := &trapSheet{rng: rand.New(rand.NewPCG(seed, 25)), amount: "Amount", whole: seed%2 == 0, options: testOptions()}
					if seed%3 == 0 {
						s.amount = s.one("Net Payable", "Transfer Amount")
					}
					for range 1 + s.rng.IntN(12) {
						s.rows = append(s.rows, s.row(""))
					}
					in := s.rng.IntN(len(s.rows))
					tr.make(s, func(row int) bool { return spoilt && (row == in || row < 0) })
					text := s.text()
					o := checkText(t, s.options, nil, text)
					var wrong []string
					for _, f := range o.Findings {
						if f.Severity != ledger.SeverityInfo && f.Code != codePayeeOtherName && f.Code != codePayeeTwice {
							wrong = append(wrong, f.Code)
						}
					}
					if found := slices.Contains(wrong, tr.code); found != spoilt || !spoilt && len(wrong) > 0 {
						t.Fatalf("seed %d, spoilt %v: %v\n%s", seed, spoilt, o.codes(), text)
					}
				}
			}
		})
	}
}

// Rows of a sheet that come back are read as it was, also when its debit accounts have other
// names by then: they are refused, and not paid from the default account.
func TestADebitAccountByContentsIsReadSoAgain(t *testing.T) {
	text := "Ref No,Name,Account No,IFSC,Amount,Bank\nA-1,Asha Traders,50200012345678,HDFC0001234,10.00,big\n"
	first := checkText(t, testOptions(), nil, text)
	if len(first.kept) != 1 || first.Columns["bank_account_id"] != "Bank" {
		t.Fatalf("%v %v", first.codes(), first.Columns)
	}
	o := testOptions()
	o.Map, o.Accounts = first.Columns, slices.Clone(o.Accounts)
	if again := checkText(t, o, nil, text); again.Sheet.RowsHash != first.Sheet.RowsHash || len(again.kept) != 1 {
		t.Errorf("%v", again.codes())
	}
	for i := range o.Accounts {
		o.Accounts[i].Name += "-renamed"
	}
	if again := checkText(t, o, nil, text); !slices.Contains(again.codes(), "2:bank_account_id:debit_account_unknown") {
		t.Errorf("%v", again.codes())
	}
}

// What holds for every sheet does not know a column that is new on this one: a map of the run,
// and a profile that has all columns of the sheet, do.
func TestWhoSaysWhichAmountIsPaid(t *testing.T) {
	const text = "Ref No,Name,Account No,IFSC,Net Pay,Revised Net Pay\nA-1,Asha Traders,50200012345678,HDFC0001234,2000,1800\n"
	said := map[string]string{"amount": "Net Pay"}
	for name, c := range map[string]struct {
		o       Options
		refused bool
	}{
		"nobody":           {Options{}, true},
		"payrun.toml":      {Options{Columns: said}, true},
		"a profile":        {Options{Profiles: []Profile{{"salary", said}}}, false},
		"a map of the run": {Options{Choices: Choices{Map: said}}, false},
	} {
		o := testOptions()
		o.Columns, o.Profiles, o.Map = c.o.Columns, c.o.Profiles, c.o.Map
		if out := checkText(t, o, nil, text); out.FileRefused() != c.refused {
			t.Errorf("%s: %v", name, out.codes())
		}
	}
}

// A row that comes back is corrected in the column that its sheet was read by.
func TestRowsThatComeBackAreReadAsTheirSheetWas(t *testing.T) {
	const header = "Ref No,Name,Account No,IFSC,Amount,Approved"
	const row = "A-1,Asha Traders,50200012345678,HDFC0001234,1800,2000"
	if out := checkText(t, testOptions(), nil, header+"\n"+row+"\n"); !out.FileRefused() {
		t.Fatal(out.codes())
	}
	o := testOptions()
	o.Origin = &ledger.Sheet{}
	out := checkText(t, o, nil, header+",payrun_sheet,payrun_row\n"+row+",sh22ghnaxmgj,2\n")
	if slices.Contains(out.codes(), "1:amount:amount_column_unclear") {
		t.Error(out.codes())
	}
}
