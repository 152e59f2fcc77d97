package ledger

import (
	"strings"
	"testing"
	"time"
)

func TestPlainLeavesNothingATerminalActsOn(t *testing.T) {
	for in, want := range map[string]string{
		"":             "",
		"Asha Traders": "Asha Traders",
		"आशा ट्रेडर्स ₹ ज्ञ":   "आशा ट्रेडर्स ₹ ज्ञ",
		"क्\u200dष \u200c":     "क्\u200dष \u200c", // joiners are spelling
		"a\x1b[31mb":           `a\x1b[31mb`,
		"a\u202eb":             `a\u202eb`,
		"a\u009bb":             `a\u009bb`,
		"a\x00b\x7f":           `a\x00b\x7f`,
		"a\u2066b\u2069":       `a\u2066b\u2069`,
		"a\ufeffb\u200b":       `a\ufeffb\u200b`,
		"one\ntwo\r\nthree\tf": "one two  three f",
		"bad \xff bytes":       `bad \ufffd bytes`,
		"line\u2028sep\u2029":  `line\u2028sep\u2029`,
		"\U000e0041 tag":       `\U000e0041 tag`,
	} {
		if got := Plain(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestCountsAndAmountsForPeople(t *testing.T) {
	for got, want := range map[string]string{
		PayoutSuccess.Words():                "Paid",
		PayoutRequestInitiated.Words():       "With the bank",
		Counted(1, "batch", "batches"):       "1 batch",
		Counted(0, "batch", "batches"):       "0 batches",
		Counted(1234567, "batch", "batches"): "12,34,567 batches",
		Paise(1234567890).Rupees():           "₹1,23,45,678.90",
		Counted(100000, "payout", "payouts"): "1,00,000 payouts",
		Grouped(0):                           "0",
		Paise(-150).Rupees():                 "−₹1.50",
		Paise(-5).Rupees():                   "−₹0.05",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestMomentsInErrorsAreInTheZoneOfTheBanks(t *testing.T) {
	e := &Refusal{Rule: RuleSecondPerson, Until: time.Date(2026, 11, 22, 22, 16, 0, 0, time.UTC)}
	if got := e.Error(); !strings.Contains(got, "2026-11-23 03:46:00 IST") {
		t.Error(got)
	}
}

func TestALengthOfTimeIsWordedByItsLargestUnit(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 s", 59 * time.Second: "59 s", time.Minute: "1 minute", 12*time.Minute + 40*time.Second: "12 minutes",
		time.Hour: "1 hour", 47 * time.Hour: "47 hours", 72 * time.Hour: "3 days",
	} {
		if got := Lasting(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
