package ledger

import "testing"

func TestWhenTwoAccountsAreOne(t *testing.T) {
	at := func(number, ifsc string) Account { return Account{BankAccountNumber: number, IFSC: ifsc} }
	by := func(id string) Account { return Account{OpenBeneficiaryID: id} }
	for name, c := range map[string]struct {
		a, b Account
		same bool
	}{
		"as written":              {at("00123456", "HDFC0001234"), at("00123456", "HDFC0001234"), true},
		"without leading zeros":   {at("00123456", "HDFC0001234"), at("123456", "HDFC0001234"), true},
		"letters in another case": {at("0ab12345", "HDFC0001234"), at("AB12345", "hdfc0001234"), true},
		"a zero inside":           {at("1023456", "HDFC0001234"), at("123456", "HDFC0001234"), false},
		"a zero at the end":       {at("1234560", "HDFC0001234"), at("123456", "HDFC0001234"), false},
		"another branch":          {at("123456", "HDFC0001234"), at("123456", "HDFC0001235"), false},
		"an id in another case":   {by("0a2b"), by("0A2B"), true},
		"an id without its zero":  {by("0a2b"), by("a2b"), false},
		"a number and an id":      {at("123456", ""), by("123456"), false},
	} {
		if c.a.Same(c.b) != c.same || c.b.Same(c.a) != c.same || (c.a.Folded() == c.b.Folded()) != c.same {
			t.Errorf("%s: same is not %t", name, c.same)
		}
	}
}
