package doc

import (
	"encoding/json"
	"fmt"
	"io"

	"payrun/ledger"
)

// Reconcile is payrun.reconcile/v1 as it is said: what reconciliation.json holds of
// it, with the paths of all reports. The rest of that file are the lists of sheets
// and batches.
type Reconcile struct {
	Schema         string                              `json:"schema"`
	Payouts        map[ledger.PayoutState]ledger.Tally `json:"payouts"`
	Matched        ledger.Tally                        `json:"matched"`
	MatchedAgainst []string                            `json:"matched_against"`
	Statements     string                              `json:"statements"`
	Accounts       json.RawMessage                     `json:"accounts,omitempty"`
	Pairs          json.RawMessage                     `json:"pairs"`
	Exceptions     json.RawMessage                     `json:"exceptions"`
	Unexplained    ledger.Paise                        `json:"unexplained"`
	Reports        []string                            `json:"reports"`
}

// ReadReconcile reads it from a reconciliation.json.
func ReadReconcile(r io.Reader, reports []string) (Reconcile, error) {
	var d Reconcile
	if err := json.NewDecoder(r).Decode(&d); err != nil {
		return d, fmt.Errorf("the report cannot be read: %w", err)
	}
	d.Reports = reports
	return d, nil
}
