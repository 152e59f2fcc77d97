package doc

// Checkup is one of the "checks" of payrun.doctor/v1.
type Checkup struct {
	Name   string   `json:"name"`
	Health string   `json:"health"` // ok, warning, failed, skipped
	What   string   `json:"what"`
	Code   string   `json:"code"` // of one that failed, as in payrun.error/v1; "" otherwise
	Next   []string `json:"next"` // what to do, in words and commands
}
