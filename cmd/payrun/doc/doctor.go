package doc

// Doctor is payrun.doctor/v1.
type Doctor struct {
	Schema string    `json:"schema"`
	Checks []Checkup `json:"checks"`
	Exit   int       `json:"exit"`
}

// Checkup is one thing that doctor looked at.
type Checkup struct {
	Name   string   `json:"name"`
	Health string   `json:"health"` // ok, warning, failed, skipped
	What   string   `json:"what"`
	Code   string   `json:"code"` // of one that failed, as in payrun.error/v1; "" otherwise
	Next   []string `json:"next"` // what to do, in words and commands
}

// Config is payrun.config/v1.
type Config struct {
	Schema string    `json:"schema"`
	Values []Setting `json:"values"`
}

// Setting is one setting, a secret masked, and where it came from.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	From  string `json:"from"`
}
