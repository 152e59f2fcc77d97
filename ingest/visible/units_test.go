package visible

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
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
		"Currency|:|USD":                          "USD",
		"Currency:| USD":                          "USD",
		"Currency: US Dollars":                    "US Dollars",
		"Currency: Singapore":                     "Singapore",
		"Amounts in: USD":                         "USD",
		"Unit: Lakhs":                             "Lakhs",
		"Unit|Crore":                              "Crore",
		"Amounts in $":                            "$",
		"राशि लाख में":                            "लाख",

		"₹ Lakhs":                      "lakhs",
		"(₹ Lakhs)":                    "lakhs",
		"₹ Crores":                     "crores",
		"₹ Cr":                         "cr",
		"₹'000":                        "000",
		"Lakhs":                        "lakhs",
		"₹ in K":                       "k",
		"Figures in K":                 "k",
		"Rs. L":                        "l",
		"Rs/Lakh":                      "lakh",
		"In ₹ Lakhs":                   "lakhs",
		"Amount: ₹ Cr.":                "cr",
		"Amounts rounded to thousands": "thousands",
		"Statement of payments for November 2026 Rs. in Lakhs": "lakhs",
		"Vendor payments ₹ Lakhs":                              "lakhs",

		"Vendor payments in USD":    "USD",
		"Salary details in lakhs":   "lakhs",
		"Payment currency USD":      "USD",
		"Paid in AED":               "AED",
		"Total in all":              "",
		"Amount in words":           "",
		"Payments in cash":          "",
		"Sanctioned limit in lakhs": "",
		"Invoices in CR":            "",

		"USD":                             "", // the name of someone
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
		"Sanctioned Limit (in Lakhs)|5":   "",
		"Sanctioned Limit (₹ in Lakhs)":   "",
		"Total payout Rs. 2.45 Lakh":      "",
		"Budget 2026-27 (Rs. 12 Cr)":      "",
		"Payments up to Rs. 2 lakh":       "",
		"Amount in words : Four lakh":     "",
		"Thousand Oaks Apartments":        "",
		"Unit : K Mill":                   "",
		"Sterling":                        "",
		"K":                               "",
		"Cr":                              "",
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

// A title that ends in rupees of a scale states it, however both are written; with a number
// between them, or words behind, it does not.
func TestNotesAboutUnitsProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		pick := func(name string, from ...string) string { return rapid.SampledFrom(from).Draw(rt, name) }
		scale := pick("scale", "Lakhs", "lakh", "LACS", "Crores", "Cr", "K", "L", "Mn", "thousands", "'000")
		title := pick("title", "", "Vendor payments ", "Statement of payments for November 2026 ", "Salary, ", "M/s Rao: ", "Payments (")
		rupee, in := pick("rupee", "₹ ", "Rs. ", "Rs ", "INR ", "Rupees "), pick("in", "", "in ")
		note := title + rupee + in + scale
		if UnitNote([]string{note}) == "" {
			rt.Errorf("%q says no unit", note)
		}
		for _, harmless := range []string{title + rupee + "2.5 " + scale, note + " Traders Pvt", title + "Rao " + scale + " Foods", "Credit Limit " + rupee + in + scale} {
			if unit := UnitNote([]string{harmless}); unit != "" {
				rt.Errorf("%q says %s", harmless, unit)
			}
		}
	})
}
