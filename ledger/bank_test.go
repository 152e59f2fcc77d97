package ledger_test

import (
	"fmt"
	"strings"
	"testing"

	"payrun/ledger"
)

func TestPartnerBankRules(t *testing.T) {
	bulk, single := ledger.Rules{Bulk: true}, ledger.Rules{}
	for _, c := range []struct {
		bank int
		kind ledger.AccountKind
		want ledger.Rules
	}{
		{1, "", ledger.Rules{Bulk: true, NeedsToken: true, LEILine: 500_000_000_00}},
		{3, "", bulk},
		{4, "", single},
		{8, "", ledger.Rules{AsyncStatements: true}},
		{12, ledger.KindCIB, bulk},
		{12, ledger.KindRIB, ledger.Rules{Bulk: true, NeedsBeneficiaryID: true}},
		{31, "", single},
		{79, "", single},
		{105, "", single},
		{2, "", single}, // "every other partner bank"
	} {
		if got := ledger.RulesFor(c.bank, c.kind); got != c.want {
			t.Errorf("partner bank %d %s: %+v, want %+v", c.bank, c.kind, got, c.want)
		}
	}
}

func TestLEIIsNeededFromTheLineOn(t *testing.T) {
	for total, want := range map[ledger.Paise]bool{ledger.LEILine - 1: false, ledger.LEILine: true, ledger.LEILine + 1: true} {
		if got := ledger.RulesFor(1, "").NeedsLEI(total); got != want {
			t.Errorf("partner bank 1 at %s: %t, want %t", total, got, want)
		}
		if ledger.RulesFor(3, "").NeedsLEI(total) {
			t.Errorf("partner bank 3 at %s wants an LEI", total)
		}
	}
}

func TestCheckAccount(t *testing.T) {
	for _, c := range []struct {
		bank int
		kind ledger.AccountKind
		ok   bool
	}{
		{12, "rib", true}, {12, "cib", true}, {12, "", false}, {12, "nfc", false},
		{1, "", true}, {1, "rib", false}, {2, "", false}, {0, "", false}, {105, "", true},
	} {
		if err := ledger.CheckAccount(c.bank, c.kind); (err == nil) != c.ok {
			t.Errorf("partner bank %d %q: %v", c.bank, c.kind, err)
		}
	}
}

func TestLEICheckDigits(t *testing.T) {
	const good = "5493001KJTIIGC8Y1R12"
	if !ledger.ValidLEI(good) {
		t.Fatalf("%s is refused", good)
	}
	for i := range good {
		for _, c := range "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ" {
			mutant := good[:i] + string(c) + good[i+1:]
			// A digit for a letter shifts the number, which mod 97-10 does not promise to catch.
			sameKind := (c <= '9') == (good[i] <= '9')
			if mutant != good && sameKind && ledger.ValidLEI(mutant) {
				t.Errorf("one wrong character is not caught: %s", mutant)
			}
		}
	}
	for _, bad := range []string{"", good[:19], good + "0", "5493001kjtiigc8y1r12", "5493001KJTIIGC8Y1R1A", " 493001KJTIIGC8Y1R12"} {
		if ledger.ValidLEI(bad) {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestIDsAreDerived(t *testing.T) {
	id := func(l, s, a string, seq, n int) string { return ledger.BatchID(l, s, a, seq, n, nil) }
	base := id("l", "s", "a", 1, 1)
	if base != id("l", "s", "a", 1, 1) {
		t.Fatal("the same plan gives another id")
	}
	if len(base) != 28 || base[:2] != "pr" {
		t.Errorf("id %q", base)
	}
	for _, other := range []string{id("m", "s", "a", 1, 1), id("l", "t", "a", 1, 1), id("l", "s", "b", 1, 1), id("l", "s", "a", 2, 1), id("l", "s", "a", 1, 2), id("ls", "", "a", 1, 1), id("l", "s", "a", 11, 1)} {
		if other == base {
			t.Errorf("two plans share %s", base)
		}
	}
	if ledger.WireRef("INV-1", 1) != "INV-1" || ledger.WireRef("INV-1", 3) != "INV-1-R3" {
		t.Error("wire references")
	}
}

func TestMaskShowsTheLastFour(t *testing.T) {
	for in, want := range map[string]string{"": "", "12": "12", "1234": "1234", "12345": "X2345", "50100200300400": "XXXXXXXXXX0400"} {
		if got := ledger.Mask(in); got != want {
			t.Errorf("Mask(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSecretShowsNothing(t *testing.T) {
	s := ledger.NewSecret("hunter-2")
	text, _ := s.MarshalText()
	for _, shown := range []string{s.String(), fmt.Sprintf("%v %+v %#v %s %q %x %d", s, s, s, s, s, s, s), string(text), s.LogValue().String(), fmt.Sprint(struct{ S ledger.Secret }{s})} {
		if len(shown) == 0 || containsAny(shown, "hunter", "68756e746572") {
			t.Errorf("shown: %q", shown)
		}
	}
	if s.Reveal() != "hunter-2" || s.Empty() || !(ledger.Secret{}).Empty() {
		t.Error("Reveal or Empty")
	}
}

// Two sheets never derive one id, and what was loaded before keeps its own.
func TestTheContentOfASheetIsItsTabAndItsPrefixToo(t *testing.T) {
	sha := strings.Repeat("a", 64)
	if got := ledger.ContentOf(sha, "", ""); got != sha {
		t.Errorf("a CSV: %s", got)
	}
	seen := map[string][2]string{}
	for _, c := range [][2]string{{"", ""}, {"A", ""}, {"B", ""}, {"", "A"}, {"A", "B"}, {"AB", ""}, {"", "AB"}, {"B", "A"}} {
		got := ledger.ContentOf(sha, c[0], c[1])
		if other, twice := seen[got]; twice || len(got) != len(sha) {
			t.Errorf("%q gives %s, as %q does", c, got, other)
		}
		seen[got] = c
	}
}

func TestRailsHaveTheirLimits(t *testing.T) {
	for name, want := range map[string][2]ledger.Paise{"neft": {0, 0}, "rtgs": {2_00_000_00, 0}, "imps": {0, 5_00_000_00}} {
		if least, most := ledger.RailNamed(name).Limits(); least != want[0] || most != want[1] {
			t.Errorf("%s: from %s to %s", name, least, most)
		}
	}
	for _, name := range []string{"", "NEFT", "upi"} {
		if rail := ledger.RailNamed(name); rail != "" {
			t.Errorf("%q is %s", name, rail)
		}
	}
}
