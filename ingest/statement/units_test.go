package statement

import "testing"

// TestUnitsAboveTheTable: what banks write above their tables, and what says that the
// amounts are no rupees.
func TestUnitsAboveTheTable(t *testing.T) {
	for cell, want := range map[string]string{
		"Currency : INR": "", "OD Limit : 0.00   Currency : INR": "", "Account Type : CURRENT ACCOUNT - CA": "", "Branch : M G ROAD CR": "",
		"Statement From : 01/11/2026 To : 30/11/2026": "", "JOINT HOLDERS IN ALL": "", "STATEMENT OF ACCOUNT IN INR": "",
		"Statement of Transactions in Account 0002 in INR for the period": "", "All amounts are in Indian Rupees (INR)": "", "Amounts in ₹": "",
		"Interest Rate(% p.a.) : 2.70": "", "Monthly Avg Balance : 0.00": "", "Sanctioned Limit (Rs. in Lakhs) : 50": "", "Drawing Power in Lakhs": "",
		"Balance Rs. 5,00,000": "", "Deposits are insured up to Rs. 5 lakhs": "", "000": "", "K L RAO": "", "MR TOP ALL BOB": "", "CR": "", "Amount (Cr)": "",
		"Statement of USD dealings are separate": "", "Currency: Indian Rupee": "", "Currency : INR - Indian Rupee": "",
		"Rs. in Lakhs": "lakhs", "(Rs. in Crores)": "crores", "All amounts in USD": "USD", "Rs. in '000": "000", "amounts in paise": "paise", "Figures in thousands": "thousands",
		"All amounts are in US $": "$", "INR Lakhs": "lakhs", "Statement of account [Rs. Lacs]": "lacs", "Currency: USD": "USD", "Account Currency : Swiss Franc": "Swiss Franc",
		"रु. लाख में": "लाख",
	} {
		if got := unitNote([]string{"", cell}); got != want {
			t.Errorf("%s: %q, want %q", cell, got, want)
		}
	}
	if got := unitNote([]string{"Currency", "", ": EUR"}); got != "EUR" {
		t.Errorf("in the next cell: %q", got)
	}
	if got := unitNote([]string{"Account No", "Currency", "Branch"}); got != "" {
		t.Errorf("a row of names: %q", got)
	}
	if got := unitNote([]string{"Currency", "INR", "Branch", "12"}); got != "" {
		t.Errorf("rupees in the next cell: %q", got)
	}
}

func TestTimesThatNoClockShows(t *testing.T) {
	for _, text := range []string{"20/11/2026 00:30 PM", "20/11/2026 00:30:00 AM", "20/11/2026 13:00 PM", "20/11/2026 24:00", "20/11/2026 10:60", "20/11/2026 10:15.5"} {
		if d, ok := parseDate(text); ok {
			t.Errorf("%s is read as %s", text, d)
		}
	}
	if d, ok := parseDate("20/11/2026 12:30:05.123 AM"); !ok || d.String() != "2026-11-20 00:30:05" {
		t.Errorf("half past midnight is read as %s", d)
	}
}
