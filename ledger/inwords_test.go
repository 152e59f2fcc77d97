package ledger_test

import (
	"math"
	"testing"

	"payrun/ledger"
)

func TestAmountsAreSpelledAsOnACheque(t *testing.T) {
	for amount, want := range map[ledger.Paise]string{
		0:                   "Rupees zero only",
		1:                   "Rupees zero and paise one only",
		100_00:              "Rupees one hundred only",
		1_02_000_50:         "Rupees one lakh two thousand and paise fifty only",
		99_99_999_99:        "Rupees ninety-nine lakh ninety-nine thousand nine hundred ninety-nine and paise ninety-nine only",
		1_40_25_45_574_11:   "Rupees one hundred forty crore twenty-five lakh forty-five thousand five hundred seventy-four and paise eleven only",
		12_34_567_00_00_000: "Rupees twelve thousand three hundred forty-five crore sixty-seven lakh only",
		-20_00:              "minus Rupees twenty only",
		math.MaxInt64:       "Rupees nine hundred twenty-two crore thirty-three lakh seventy-two thousand thirty-six crore eighty-five lakh forty-seven thousand seven hundred fifty-eight and paise seven only",
	} {
		if got := amount.InWords(); got != want {
			t.Errorf("%d\n got %s\nwant %s", amount, got, want)
		}
	}
}
