package doc

import "payrun/ledger"

// People is payrun.people/v1 of one person who was added, changed or removed.
type People struct {
	Name  string        `json:"name"`
	May   []ledger.Role `json:"may"`   // empty for one who was removed
	Link  string        `json:"link"`  // the path at the desk where they choose their password, once; "" for none
	Until string        `json:"until"` // when the link ends; "" for none

	Waits string `json:"waits,omitempty"` // what another admin has to confirm before it holds, in words
}

// Person is one of the "people" of payrun.people/v1 of everybody.
type Person struct {
	Name  string        `json:"name"`
	May   []ledger.Role `json:"may"`
	Added string        `json:"added"`
	State string        `json:"state"` // "joined", "invited", or "link_over" where they have no password and no open link

	Display    string `json:"display,omitempty"`        // how pages name them
	Factors    int    `json:"second_factors,omitempty"` // how many they have
	SystemUser string `json:"system_user,omitempty"`    // who they are at a terminal, as events have it
	Waits      string `json:"waits,omitempty"`          // what waits for another admin, in words
}

// Desk is payrun.desk/v1: where the desk listens.
type Desk struct {
	Schema string `json:"schema"`
	Addr   string `json:"addr"`
	URL    string `json:"url"`
	First  string `json:"first,omitempty"` // the one-time link for the first person, while there are no people
}
