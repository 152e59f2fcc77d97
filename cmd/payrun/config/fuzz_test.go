package config

import (
	"errors"
	"strings"
	"testing"

	"payrun/ledger"
)

// Whatever is in payrun.toml is taken, or refused in words that name the
// file, and never half.
func FuzzConfig(f *testing.F) {
	f.Add(Template)
	f.Add("environment = \"production\"\nbase_url = \"http://x\"\n")
	f.Add("[[accounts]]\nname = 'main'\nname = 'again'\n")
	f.Add("[limits]\npayouts_per_batch = 0\n")
	f.Add("[policy]\nconfirm_above = \"1,50\"\n[columns.\"a b\"]\namount = 'Net'\n")
	f.Add("\ufefftimezone = \"\\u0000\"")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Sources{Amount: ledger.ParsePaise, Column: someColumns}.parse("payrun.toml", text)
		if err == nil {
			if _, wrong := c.complaint(seesOwners); wrong != "" {
				t.Errorf("taken, and wrong: %s", wrong)
			}
			return
		}
		if _, ok := errors.AsType[*Error](err); !ok || !strings.Contains(err.Error(), "payrun.toml") {
			t.Errorf("%T: %v", err, err)
		}
	})
}
