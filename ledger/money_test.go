package ledger_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"payrun/ledger"
)

func TestParsePaiseReadsTheInterfacesForm(t *testing.T) {
	for in, want := range map[string]ledger.Paise{
		"0.00": 0, "0.01": 1, "1.10": 110, "500000000.00": ledger.LEILine, "00012.50": 1250,
		"92233720368547758.07": math.MaxInt64,
	} {
		got, err := ledger.ParsePaise(in)
		if err != nil || got != want {
			t.Errorf("ParsePaise(%q) = %d, %v; want %d", in, got, err, want)
		}
	}
}

func TestParsePaiseRefusesEverythingElse(t *testing.T) {
	for _, in := range []string{
		"", ".", ".00", "1", "1.", "1.0", "1.000", "1,00.00", "-1.00", "+1.00", " 1.00", "1.00 ", "1e3", "1.-5", "1.5-",
		"NaN", "0x1.00", "१.००", "92233720368547758.08", "99999999999999999999.00", "1.00\x00", "1..00",
	} {
		if got, err := ledger.ParsePaise(in); err == nil {
			t.Errorf("ParsePaise(%q) = %d, want an error", in, got)
		}
	}
}

func TestPaiseRoundTripsExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := ledger.Paise(rapid.Int64Range(0, math.MaxInt64).Draw(t, "paise"))
		back, err := ledger.ParsePaise(p.String())
		if err != nil || back != p {
			t.Fatalf("%d printed as %s read as %d, %v", p, p, back, err)
		}
		if plain := strings.ReplaceAll(p.Indian(), ",", ""); plain != p.String() {
			t.Fatalf("grouped %s, plain %s", p.Indian(), p)
		}
	})
}

func TestIndianGroups(t *testing.T) {
	for in, want := range map[ledger.Paise]string{
		0: "0.00", 99999: "999.99", 100000: "1,000.00", 9999999: "99,999.99", 10000000: "1,00,000.00",
		ledger.LEILine: "50,00,00,000.00", -123456789: "-12,34,567.89",
	} {
		if got := in.Indian(); got != want {
			t.Errorf("Indian(%d) = %s, want %s", in, got, want)
		}
	}
}

func TestPaiseIsAStringInJSON(t *testing.T) {
	b, err := json.Marshal(ledger.Tally{Count: 2, Total: 184015050})
	if err != nil || string(b) != `{"count":2,"total":"1840150.50"}` {
		t.Fatalf("%s, %v", b, err)
	}
	for _, p := range []ledger.Paise{-150, 150, math.MinInt64 + 1} {
		b, _ := json.Marshal(p)
		var back ledger.Paise
		if err := json.Unmarshal(b, &back); err != nil || back != p {
			t.Errorf("%d came back as %d from %s, %v", p, back, b, err)
		}
	}
}

func TestPlusSaysWhenASumDoesNotFit(t *testing.T) {
	if _, ok := ledger.Paise(math.MaxInt64).Plus(1); ok {
		t.Error("MaxInt64 + 1 fits")
	}
	if _, ok := ledger.Paise(math.MinInt64).Plus(-1); ok {
		t.Error("MinInt64 - 1 fits")
	}
	if sum, ok := ledger.Paise(math.MaxInt64 - 1).Plus(1); !ok || sum != math.MaxInt64 {
		t.Errorf("MaxInt64 = %d, %t", sum, ok)
	}
}

func TestATallyDoesNotWrap(t *testing.T) {
	full := ledger.Tally{Count: 1, Total: math.MaxInt64}
	added := full
	added.Add(1)
	want := ledger.Tally{Count: 2, Total: math.MaxInt64}
	if sum := full.Plus(ledger.Tally{Count: 1, Total: 1}); added != want || sum != want {
		t.Errorf("too much: %v and %v, want %v", added, sum, want)
	}
}

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
