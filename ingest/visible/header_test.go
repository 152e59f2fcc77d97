package visible

import "testing"

// Rupee units and date formats say nothing that a header is compared by; other
// units do, and a unit that is all of a header is the header.
func TestHeadersAreComparedWithoutRupeesAndDateFormats(t *testing.T) {
	for header, want := range map[string]string{
		"Withdrawal Amount (INR )":      "withdrawalamount",
		"Amount( in Rs. )":              "amount",
		"Balance [₹]":                   "balance",
		"Amount (Rupee)":                "amount",
		"Amount in ₹":                   "amount",
		"राशि (रुपये में)":              "राशि",
		"Date (dd/mm/yyyy)":             "date",
		"Date (DD-MMM-YYYY hh:mm:ss)":   "date",
		"Debit (INR) (dd/mm/yy) Amount": "debitamount",
		"Amount (USD)":                  "amountusd",
		"Amount (Rs. in Lakhs)":         "amountrsinlakhs",
		"Balance (":                     "balance",
		"Date (Value Date)":             "datevaluedate",
		"₹":                             "inr",
		"Rs.":                           "rs",
		"A/c #":                         "acno",
		"Amount (INR\u00a0)":            "amountinr\u200b",
	} {
		if got := FoldHeader(header); got != want {
			t.Errorf("FoldHeader(%q) = %q, want %q", header, got, want)
		}
	}
	for header, want := range map[string]string{
		"Debit Rs.": "Debit", "Debit INR": "Debit", "debit_inr": "debit", "Amount in Rs": "Amount", "Date DD/MM/YYYY": "Date",
		"INR": "INR", "Amount USD": "Amount USD", "Money In": "Money In",
	} {
		if got := WithoutUnit(header); got != want {
			t.Errorf("WithoutUnit(%q) = %q, want %q", header, got, want)
		}
	}
}

func TestAHeaderTellsWhetherTheDayComesFirst(t *testing.T) {
	for header, want := range map[string][2]bool{
		"Date (dd/mm/yyyy)": {true, true}, "Date (MM-DD-YY)": {false, true}, "Txn Date DD.MM.YYYY": {true, true}, "Date (yyyy-mm-dd)": {},
		"Date": {}, "Date (Value Date)": {}, "Date (mm)": {},
	} {
		if dayFirst, known := DayFirst(header); dayFirst != want[0] || known != want[1] {
			t.Errorf("%s: %v, %v", header, dayFirst, known)
		}
	}
}

func TestWhatAHeaderMeans(t *testing.T) {
	words := map[string]int{"amount": 1, "राशि": 1, "inr": 1, "name": 2}
	for header, want := range map[string]int{
		"Amount": 1, "Amount Rs.": 1, "राशि (Amount)": 1, "राशि / Amount Rs.": 1, "राशि / INR": 1, "राशि\nAmount": 1,
		"Amount (Name)": 0, "Amount / Rate": 0, "Rate Rs.": 0, "()": 0, "": 0,
	} {
		if got, ok := MeaningOf(header, func(word string) (int, bool) { return words[word], words[word] > 0 }); ok != (want > 0) || ok && got != want {
			t.Errorf("%s: %d, %v", header, got, ok)
		}
	}
}
