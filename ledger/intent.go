package ledger

import "time"

// CallKind names a call to the bank that changes something.
type CallKind string

const (
	CallInitiate CallKind = "initiate"
	CallSubmit   CallKind = "submit"
)

// Intent is the record of one such call. It is committed before the call; its
// outcome is recorded after it. The hashed payload has neither OTP nor token.
type Intent struct {
	Kind          CallKind  `json:"kind"`
	PayloadSHA256 string    `json:"payload_sha256"` // lower-case hex
	At            time.Time `json:"at"`
	Outcome       Outcome   `json:"outcome"`     // "" while it is open
	HTTPStatus    int       `json:"http_status"` // of the answer; 0 for none
	Code          string    `json:"code"`        // the bank's, raw
	Message       string    `json:"message"`     // the bank's, raw, at most MessageLimit runes
	EndedAt       time.Time `json:"-"`
	BankTime      time.Time `json:"-"` // the bank's clock at the check before the call; zero if it was not kept
}

// MessageLimit bounds the part of the bank's message that is kept, in runes.
const MessageLimit = 500

// Clip cuts the bank's message to MessageLimit.
func Clip(s string) string {
	if runes := []rune(s); len(runes) > MessageLimit {
		return string(runes[:MessageLimit])
	}
	return s
}

// Open reports whether the call may be in progress.
func (i Intent) Open() bool { return i.Outcome == "" }

// InDoubt reports whether the call may have had an effect: the next of its
// kind needs the last one to have been REJECTED or NOT_SENT (safety.md,
// invariant 4).
func (i Intent) InDoubt() bool { return i.Outcome != Rejected && i.Outcome != NotSent }

// outcomes lists the outcomes of a call that an event may record. The first is the default of a
// step without an outcome.
var outcomes = map[BatchEvent][]Outcome{
	InitiateAccepted: {Accepted},
	InitiateRefused:  {Rejected},
	InitiateUndone:   {NotSent, Rejected},
	InitiateLost:     {Unknown},
	EchoDiffers:      {Accepted, Rejected, Unknown},
	SubmitAccepted:   {Accepted},
	SubmitRejected:   {Rejected},
	SubmitUndone:     {NotSent, Rejected},
	SubmitLost:       {Unknown},
}

// Call returns the kind of call that the event announces, or "".
func (e BatchEvent) Call() CallKind { return announced[e] }

var announced = map[BatchEvent]CallKind{InitiateIntended: CallInitiate, SubmitIntended: CallSubmit}
