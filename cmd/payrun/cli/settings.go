package cli

import (
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"payrun/ledger"
)

// settings is what holds for this run: flag before environment before
// payrun.toml before default.
type settings struct {
	config
	path     string // of payrun.toml; "" when there is none
	ledger   string
	actor    string
	accounts []ledger.DebitAccount
}

// settings reads the configuration and lays environment and flags over it.
func (a *app) settings() (settings, error) {
	path, err := a.findConfig()
	if err != nil {
		return settings{}, err
	}
	s := settings{config: defaults(), path: path}
	if path != "" {
		if s.config, err = readConfig(path); err != nil {
			return settings{}, err
		}
	}
	s.ledger = first(a.flags.ledger, a.world.Getenv("PAYRUN_LEDGER"), s.beside(s.Ledger))
	s.actor = first(a.flags.actor, a.world.Getenv("PAYRUN_ACTOR"), userName(), "unknown")
	s.BaseURL = first(a.world.Getenv("PAYRUN_BASE_URL"), s.BaseURL)
	s.IDURL = first(a.world.Getenv("PAYRUN_ID_URL"), s.IDURL, s.BaseURL)
	s.LinkingURL = first(a.world.Getenv("PAYRUN_LINKING_URL"), s.LinkingURL, s.BaseURL)
	for _, acc := range s.Accounts {
		s.accounts = append(s.accounts, ledger.DebitAccount{
			Name: acc.Name, BankAccountID: acc.BankAccountID, PartnerBankID: acc.PartnerBankID, Kind: acc.Kind,
			SubMerchantID: s.SubMerchantID, AccountNumber: acc.AccountNumber, Default: acc.Default,
		})
	}
	return s, nil
}

// beside takes a path of payrun.toml relative to its own folder.
func (s settings) beside(path string) string {
	if path == "" || filepath.IsAbs(path) || s.path == "" {
		return path
	}
	return filepath.Join(filepath.Dir(s.path), path)
}

// at shows a time in the configured zone.
func (s settings) at(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(s.Timezone.at).Format("2006-01-02 15:04:05")
}

// wire turns a configured length of time into the standard one.
func (d duration) wire() time.Duration { return time.Duration(d) }

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// userName is who runs the program, for the audit trail.
func userName() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(u.Username)
}
