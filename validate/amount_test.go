package validate

import (
	"math"
	"strings"
	"testing"

	"payrun/ingest"
	"payrun/ledger"

	"pgregory.net/rapid"
)

func TestAmountsAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string]ledger.Paise{
		"100":                   10000,
		"100.5":                 10050,
		"100.50":                10050,
		"0.01":                  1,
		"00500":                 50000,
		"1,000":                 100000,
		"10,000.00":             1000000,
		"1,00,000.00":           10000000,
		"100,000.00":            10000000,
		"12,34,56,789.01":       12345678901,
		"123,456,789.01":        12345678901,
		"₹ 500":                 50000,
		"₹500":                  50000,
		"₹\u00a01,00,000":       10000000,
		"Rs 500":                50000,
		"Rs. 500":               50000,
		"Rs.500.50":             50050,
		"rs.500":                50000,
		"INR 500":               50000,
		"inr500":                50000,
		"500 INR":               50000,
		"500/-":                 50000,
		"500 /-":                50000,
		"Rs. 1,00,000/-":        10000000,
		"500.00/-":              50000,
		"92233720368547758.07":  math.MaxInt64,
		"092233720368547758.07": math.MaxInt64,
	} {
		got, fault := parseAmount(text)
		if fault != "" || got != want {
			t.Errorf("parseAmount(%q) = %d, fault %q, want %d", text, got, fault, want)
		}
	}
}

func TestAmountsThatAreRefusedAndWhy(t *testing.T) {
	for text, want := range map[string]string{
		"":                      codeAmountMissing,
		"0":                     codeAmountZero,
		"0.00":                  codeAmountZero,
		"Rs. 0":                 codeAmountZero,
		"-500":                  codeAmountNegative,
		"−500":                  codeAmountNegative,
		"500-":                  codeAmountNegative,
		"(500)":                 codeAmountNegative,
		"₹ -500":                codeAmountNegative,
		"-₹500":                 codeAmountNegative,
		"(1,00,000.00)":         codeAmountNegative,
		"1,50":                  codeAmountGrouping,
		"1,00,00.00":            codeAmountGrouping,
		"1,0000":                codeAmountGrouping,
		",100":                  codeAmountGrouping,
		"100,":                  codeAmountGrouping,
		"1,,000":                codeAmountGrouping,
		"1234,567":              codeAmountGrouping,
		"123,45,678":            codeAmountGrouping,
		"12,345,67":             codeAmountGrouping,
		"0,500":                 codeAmountGrouping,
		"12,34,567,890":         codeAmountGrouping,
		"100.505":               codeAmountDecimals,
		"1.234":                 codeAmountDecimals,
		"100.000":               codeAmountDecimals,
		"1.234,56":              codeAmountComma,
		"1.23.456,78":           codeAmountComma,
		"1e3":                   codeAmountExponent,
		"1.5E+10":               codeAmountExponent,
		"1E-2":                  codeAmountExponent,
		"५००":                   codeAmountDigits,
		"１００":                   codeAmountDigits,
		"10٠":                   codeAmountDigits,
		"92233720368547758.08":  codeAmountOutOfRange,
		"999999999999999999":    codeAmountOutOfRange,
		"100000000000000000000": codeAmountOutOfRange,
		"NaN":                   codeAmountUnreadable,
		"Inf":                   codeAmountUnreadable,
		"five":                  codeAmountUnreadable,
		"500.":                  codeAmountUnreadable,
		".50":                   codeAmountUnreadable,
		"1 000":                 codeAmountUnreadable,
		"1'000":                 codeAmountUnreadable,
		"0x1F":                  codeAmountUnreadable,
		"1_000":                 codeAmountUnreadable,
		"+500":                  codeAmountUnreadable,
		"$500":                  codeAmountUnreadable,
		"INR 500 INR":           codeAmountUnreadable,
		"Rs":                    codeAmountUnreadable,
		"/-":                    codeAmountUnreadable,
		"4800.-":                codeAmountUnreadable, // 4800 without decimals, and not below zero
		"4,800,-":               codeAmountUnreadable,
		"4800-":                 codeAmountNegative,
		"12%":                   codeAmountUnreadable,
		"1.2.3":                 codeAmountUnreadable,
		"500 Dr":                codeAmountUnreadable,
		"10\u200b0":             codeAmountUnreadable,
	} {
		if got, fault := parseAmount(text); fault != want {
			t.Errorf("parseAmount(%q) = %d, fault %q, want fault %q", text, got, fault, want)
		}
	}
}

func TestParseAmountSaysWhyNot(t *testing.T) {
	if got, err := ParseAmount(" Rs. 18,40,150.50 "); err != nil || got != 1840150_50 {
		t.Errorf("%d, %v", got, err)
	}
	if _, err := ParseAmount("1,50"); err == nil || !strings.Contains(err.Error(), "commas") {
		t.Errorf("%v", err)
	}
}

// western groups the rupees of an amount by threes.
func western(p ledger.Paise) string {
	rupees, paise, _ := strings.Cut(p.String(), ".")
	var groups []string
	for len(rupees) > 3 {
		groups = append([]string{rupees[len(rupees)-3:]}, groups...)
		rupees = rupees[:len(rupees)-3]
	}
	return strings.Join(append([]string{rupees}, groups...), ",") + "." + paise
}

func TestAmountSurvivesPrintingInEveryGrouping(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := ledger.Paise(rapid.Int64Range(1, math.MaxInt64).Draw(t, "paise"))
		before := rapid.SampledFrom([]string{"", "₹", "₹ ", "Rs ", "Rs. ", "INR ", "inr"}).Draw(t, "before")
		after := rapid.SampledFrom([]string{"", "/-"}).Draw(t, "after")
		for _, text := range []string{want.String(), want.Indian(), western(want)} {
			got, fault := parseAmount(before + text + after)
			if fault != "" || got != want {
				t.Fatalf("parseAmount(%q) = %d, fault %q, want %d", before+text+after, got, fault, want)
			}
		}
	})
}

func TestAmountWithACommaMovedIsRefusedOrTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := ledger.Paise(rapid.Int64Range(100_000_00, 1e15).Draw(t, "paise"))
		digits := strings.ReplaceAll(want.String(), ",", "")
		at := rapid.IntRange(0, len(digits)).Draw(t, "comma at")
		if got, fault := parseAmount(digits[:at] + "," + digits[at:]); fault == "" && got != want {
			t.Fatalf("a comma made %d of %d", got, want)
		}
	})
}

func TestReadingAnAmountAllocatesNothing(t *testing.T) {
	for _, text := range []string{"100.50", "1,00,000.00", "Rs. 500/-"} {
		if n := testing.AllocsPerRun(100, func() { parseAmount(text) }); n != 0 {
			t.Errorf("parseAmount(%q) allocates %v times", text, n)
		}
	}
}

// FuzzAmount holds the parser against a slow reading of the same rules: take
// the marks off, drop the commas, and the digits must say what was read.
func FuzzAmount(f *testing.F) {
	for _, s := range []string{"1,00,000.00", "Rs. 500/-", "₹ 1", "1.234,56", "(500)", "1e3", "५००", "0.30000000000000004", "INR 5 INR", "-.-", "92233720368547758.07", "12500.5000", "1.500"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, fault := parseAmount(s)
		if fault != "" {
			if got != 0 {
				t.Fatalf("%q is refused and worth %d", s, got)
			}
			if fault == "" {
				t.Fatalf("%q is refused without a reason", s)
			}
			return
		}
		const digits = "0123456789"
		number := s[strings.IndexAny(s, digits) : strings.LastIndexAny(s, digits)+1]
		rupees, paise, _ := strings.Cut(strings.ReplaceAll(number, ",", ""), ".")
		want, err := ledger.ParsePaise(rupees + "." + (paise + "00")[:2])
		more := len(paise) > 2 && (strings.Trim(paise[2:], "0") != "" || len(paise) == 3 && len(rupees) <= 3) // 1.500 may be a thousand and a half
		if err != nil || more || got != want || got <= 0 {
			t.Fatalf("%q was read as %s, the slow way gives %s, %v", s, got, want, err)
		}
	})
}

func TestNumericCellsThatAreNotExact(t *testing.T) {
	for cell, want := range map[string]bool{
		"100": true, "100.5": true, "15000000000": true, "123456789012345": true, "0.1": true,
		"100.10000000000001": false, "0.30000000000000004": false, "1234567890123456": false, "12345678901234567890": false, "NaN": false, "": false, "1_000": false,
	} {
		if got := ingest.Exact(cell); got != want {
			t.Errorf("ingest.Exact(%q) = %v", cell, got)
		}
	}
}

func TestALargerAmountThanAPayoutMayBeIsRefused(t *testing.T) {
	r := rowReader{row: &ingest.Row{}, o: Options{PayoutMost: 10_000_00}, layout: &layout{}, found: &findings{}}
	for text, want := range map[string]string{"10,000.00": "", "10000.01": codeAmountAboveMost, "123456789012": codeAmountAboveMost} {
		r.found, r.refused, r.bad, r.amount = &findings{}, [columnCount]bool{}, false, false
		r.cells[colAmount] = text
		r.payAmount()
		if got := r.bad; got != (want != "") || !r.amount {
			t.Errorf("%s: refused %v, read %v; want %q", text, got, r.amount, want)
		}
	}
}
