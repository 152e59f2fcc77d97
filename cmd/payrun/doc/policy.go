package doc

// Policy is payrun.policy/v1.
type Policy struct {
	Schema    string           `json:"schema"`
	Keys      []PolicyKey      `json:"keys"`
	Proposals []PolicyProposal `json:"proposals"`
}

// PolicyKey is a key of the policy. Values are as the audit trail has them:
// "true", "false", an amount with two decimals, "" for none.
type PolicyKey struct {
	Key    string `json:"key"`
	Value  string `json:"value"`  // what holds: the stricter of ledger and config
	From   string `json:"from"`   // ledger, payrun.toml or default
	Ledger string `json:"ledger"` // what the ledger says
	Config string `json:"config"` // what payrun.toml says
}

// PolicyProposal is what one person proposed and another has to carry out.
type PolicyProposal struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	By     string `json:"by"`
	At     string `json:"at"`
	Reason string `json:"reason"`
}
