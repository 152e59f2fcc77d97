package doc

// PolicyProposal is one of the "proposals" of payrun.policy/v1: what one person proposed and another has to carry out.
type PolicyProposal struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	By     string `json:"by"`
	At     string `json:"at"`
	Reason string `json:"reason"`
}
