package ledger_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"payrun/ledger"
)

func TestMaskWords(t *testing.T) {
	accounts := []string{"123456789019", "000987654321", "55501", "AB12CD3456", "ZQ7771"}
	for name, c := range map[string]struct{ text, want string }{
		"alone":               {"123456789019", "XXXXXXXX9019"},
		"in a sentence":       {"account 123456789019 is invalid", "account XXXXXXXX9019 is invalid"},
		"in a body":           {`{"bank_account_number":"123456789019","ifsc":"HDFC0001234"}`, `{"bank_account_number":"XXXXXXXX9019","ifsc":"HDFC0001234"}`},
		"behind letters":      {"ACC123456789019.", "ACCXXXXXXXX9019."},
		"behind a branch":     {"0042123456789019", "XXXXXXXXXXXX9019"},
		"before something":    {"12345678901900", "XXXXXXXX901900"},
		"twice":               {"123456789019/123456789019", "XXXXXXXX9019/XXXXXXXX9019"},
		"without its zeros":   {"a/c 987654321", "a/c XXXXX4321"},
		"with more zeros":     {"a/c 0000000987654321", "a/c XXXXXXXXXXXX4321"},
		"a short one":         {"a/c 55501 is closed", "a/c X5501 is closed"},
		"a short one, padded": {"a/c 000055501", "a/c XXXXX5501"},
		"part of a number":    {"HTTP 4555012, INV-555011", "HTTP 4555012, INV-555011"},
		"with letters":        {"no such account ab12cd3456x", "no such account XXXXXX3456x"},
		"what is not one":     {"UTR HDFCN52025110399887766, INV-2025-0001, ₹1,23,456.78", "UTR HDFCN52025110399887766, INV-2025-0001, ₹1,23,456.78"},
		"in fours":            {"account 1234 5678 9019 is invalid", "account XXXX XXXX 9019 is invalid"},
		"with dashes":         {"a/c 1234-5678-9019.", "a/c XXXX-XXXX-9019."},
		"with other dashes":   {"1234–5678 – 9019", "XXXX–XXXX – 9019"},
		"no-break spaces":     {"1234\u00a05678\u00a09019", "XXXX\u00a0XXXX\u00a09019"},
		"zero-width":          {"12\u200b3456789019", "XX\u200bXXXXXX9019"},
		"escaped":             {`{"account":"\u0031\u0032\u0033\u0034\u0035\u0036\u0037\u0038\u0039\u0030\u0031\u0039"}`, `{"account":"XXXXXXXX\u0039\u0030\u0031\u0039"}`},
		"escaped twice":       {`\\u0031\\u003234 5678 9019`, `XXXX XXXX 9019`},
		"letters in pieces":   {"AB12-CD34-56", "XXXX-XX34-56"},
		"far apart":           {"1234 and 5678 and 9019; 12345678    9019", "1234 and 5678 and 9019; 12345678    9019"},
		"a short one, split":  {"at 5:55:01, 555 01", "at 5:55:01, 555 01"},
		"short, with letters": {"a/c zq7771, azQ7771b, zq 7771", "a/c XX7771, aXX7771b, zq 7771"},
		"amid a longer word":  {"no12345678901900x", "noXXXXXXXX901900x"},
		"not UTF-8":           {"\xff123456789019\xfe", "\xffXXXXXXXX9019\xfe"},
		"nothing":             {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ledger.NewMasker(accounts...).Words(c.text); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	if got := (ledger.Masker{}).Words("123456789019"); got != "123456789019" {
		t.Errorf("the zero Masker made it %q", got)
	}
}

func TestMaskID(t *testing.T) {
	m := ledger.NewMasker("123456789019", "000987654321", "AB12CD3456")
	for id, want := range map[string]string{
		"123456789019": "XXXXXXXX9019", "00123456789019": "XXXXXXXXXX9019", "987654321": "XXXXX4321", "0000987654321": "XXXXXXXXX4321", "ab12cd3456": "XXXXXX3456",
		"UTR123456789019": "UTR123456789019", "1234567890191": "1234567890191", "po_AB12CD3456": "po_AB12CD3456", "": "",
	} {
		if got := m.ID(id); got != want {
			t.Errorf("%q became %q, want %q", id, got, want)
		}
	}
}

// Whatever surrounds it, a full account number is never left, and masking twice
// changes nothing.
func FuzzMaskWords(f *testing.F) {
	f.Add("account 123456789019 is invalid", "123456789019")
	f.Add("AB12CD3456", "ab12cd3456")
	f.Add("00000000000000000", "000000000")
	f.Add("1234 5678-9019", "123456789019")
	f.Add("\\u0031\\u0032345678901\\\\u0039", "123456789019")
	f.Fuzz(func(t *testing.T, text, account string) {
		if len(account) < 9 || strings.ContainsFunc(account, func(r rune) bool { return r > 'z' || r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' }) {
			t.Skip()
		}
		if strings.ContainsAny(account, "xX") {
			t.Skip() // a mask may look like it
		}
		m := ledger.NewMasker(account)
		got := m.Words(text)
		if strings.Contains(strings.ToLower(got), strings.ToLower(account)) {
			t.Errorf("%q is left in %q", account, got)
		}
		if again := m.Words(got); again != got {
			t.Errorf("masked again, %q became %q", got, again)
		}
	})
}

// An account number is masked in whatever pieces it is written.
func FuzzMaskPieces(f *testing.F) {
	f.Add("123456789019", "    - -", uint8(1))
	f.Add("AB12CD3456", "\u00a0", uint8(2))
	f.Fuzz(func(t *testing.T, account, between string, every uint8) {
		if len(account) < 9 || strings.Trim(strings.ToLower(account), "0123456789abcdefghijklmnopqrstuvwyz") != "" || // a mask may look like an x
			strings.Trim(between, " -./\u00a0\u2013") != "" || utf8.RuneCountInString(between) > 3 || every == 0 {
			t.Skip()
		}
		var text strings.Builder
		for i, c := range account {
			if i > 0 && i%int(every) == 0 {
				text.WriteString(between)
			}
			if i%3 == 1 {
				fmt.Fprintf(&text, `\u%04x`, c)
			} else {
				text.WriteRune(c)
			}
		}
		got := ledger.NewMasker(account).Words("account " + text.String() + " is invalid")
		if n := strings.Count(got, "X") - strings.Count(account, "X"); n < len(account)-4 {
			t.Errorf("%q became %q", text.String(), got)
		}
	})
}
