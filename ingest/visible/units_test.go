package visible

import (
	"strings"
	"testing"
)

func TestNotesAboutUnits(t *testing.T) {
	for text, want := range map[string]string{
		"Rs. in Lakhs": "lakhs",
		"(₹ in lakhs)": "lakhs",
		"Vendor payments Nov 2026 (Rs. in Lakhs)": "lakhs",
		"Vendor payments - Rs in crore":           "crore",
		"All amounts in USD":                      "USD",
		"Rs. in '000":                             "000",
		"amounts in paise":                        "paise",
		"Currency|USD":                            "USD",
		"Currency:| USD":                          "USD",
		"Currency: US Dollars":                    "US Dollars",
		"Currency: Singapore":                     "Singapore",
		"Amounts in: USD":                         "USD",
		"Unit: Lakhs":                             "Lakhs",
		"Unit|Crore":                              "Crore",
		"Amounts in $":                            "$",
		"राशि लाख में":                            "लाख",

		"USD":                             "", // the name of somebody
		"L & T":                           "",
		"K Raheja Payments":               "",
		"Crore Foods Pvt Ltd":             "",
		"Rs. 12,50,000":                   "",
		"Total 1,00,000":                  "",
		"Rupees five lakh only":           "",
		"All amounts in INR":              "",
		"TRY AGAIN":                       "",
		"Currency|INR":                    "",
		"Currency: Indian Rupee":          "",
		"Unit: Pune plant":                "",
		"Unit|Pune":                       "",
		"Lakhs":                           "",
		"Sanctioned Limit (in Lakhs)|5":   "",
		"Currency|Branch":                 "",
		"Payments of the Dollar Hotel":    "",
		"Payout sheet for November 2026":  "",
		"Salary of 000 Infantry Division": "",
	} {
		if got := UnitNote(strings.Split(text, "|")); got != want {
			t.Errorf("UnitNote(%q) = %q, want %q", text, got, want)
		}
	}
}
