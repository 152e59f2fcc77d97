package ledger

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// StatementWord is what a person says of a reading, or of lines.
type StatementWord string

const (
	WordVoid    StatementWord = "void"    // a file is of another account, or wrong
	WordExplain StatementWord = "explain" // whose lines are: a payout's, or no payout of payrun
)

// StatementRequest is one person's word about statements: that the reading of a file is void, or whose
// lines are. With Ask nothing is recorded: it is only asked whether it could be.
type StatementRequest struct {
	Ask     bool
	Reading int64      // that is void; 0: lines are explained
	Entries []EntryRef // that are explained
	Ref     string     // the payout's own reference; "" for no payout
	Reason  string
	Actor   string
	At      time.Time
}

// StatementDecision is a word about statements as a ledger keeps it. It holds once
// another person has said the same.
type StatementDecision struct {
	No       int64         `json:"no"` // from 1, in the order of recording
	Word     StatementWord `json:"word"`
	Reading  int64         `json:"statement"` // that is void
	Entries  []EntryRef    `json:"entries"`   // that are explained, in order
	PayoutID int64         `json:"payout_id"` // the payout they belong to; 0 for none
	Ref      string        `json:"ref"`
	Reason   string        `json:"reason"`
	Actor    string        `json:"actor"`
	At       time.Time     `json:"at"`
	First    int64         `json:"first"` // the other person's word that this one carries out; 0 for a first word
}

// Decision is the request as it is recorded, about the payout of that number.
func (r StatementRequest) Decision(payoutID int64) StatementDecision {
	d := StatementDecision{Word: WordExplain, Reading: r.Reading, Entries: slices.Clone(r.Entries), PayoutID: payoutID,
		Ref: r.Ref, Reason: r.Reason, Actor: r.Actor, At: r.At}
	if r.Reading != 0 {
		d.Word = WordVoid
	}
	slices.SortFunc(d.Entries, EntryRef.Compare)
	d.Entries = slices.Compact(d.Entries)
	return d
}

// Until is when another person can no longer say the same.
func (d StatementDecision) Until() time.Time { return d.At.Add(SecondPersonWithin) }

// StatementWordError is why a word about statements is not taken. Nothing is recorded.
type StatementWordError struct {
	Why   string
	Alone bool // another person has to say the same
}

func (e *StatementWordError) Error() string { return e.Why }

// NoStatementWord is a StatementWordError.
func NoStatementWord(format string, args ...any) error {
	return &StatementWordError{Why: fmt.Sprintf(format, args...)}
}

// Second finds another person's decision that this one completes: the same, at most 72 hours old.
// Without one it returns 0, and this is the first; an error if the same person has decided already.
func (d StatementDecision) Second(before []StatementDecision, who Users) (first int64, err error) {
	done := map[int64]bool{}
	for _, b := range before {
		done[b.First] = true
	}
	if err := who.MayRelease(d.Actor); err != nil {
		return 0, &StatementWordError{Alone: true, Why: err.Error()}
	}
	for _, b := range before {
		if b.First != 0 || done[b.No] || d.At.Sub(b.At) >= SecondPersonWithin || !d.same(b) || who.MayRelease(b.Actor) != nil {
			continue
		}
		if apart := who.SecondPerson(b.Actor, d.Actor); apart != nil {
			err = &StatementWordError{Alone: true, Why: fmt.Sprintf("%s has said so on %s; another person has to say the same: %v", b.Actor, momentWords(b.At), apart)}
			continue
		}
		return b.No, nil
	}
	return 0, err
}

func (d StatementDecision) same(b StatementDecision) bool {
	return d.Word == b.Word && d.Reading == b.Reading && d.PayoutID == b.PayoutID && slices.Equal(d.Entries, b.Entries)
}

// decisionNote is what an event keeps of a word.
type decisionNote struct {
	Reading string   `json:"reading,omitempty"`
	Entries []string `json:"entries,omitempty"`
	Ref     string   `json:"ref,omitempty"`
	Reason  string   `json:"reason"`
	Word    int64    `json:"word"`
	First   int64    `json:"first,omitempty"` // the other person's word
}

func (n decisionNote) words() string {
	of := n.Reading
	switch {
	case n.Ref != "":
		of = strings.Join(n.Entries, ", ") + " is of " + n.Ref
	case of == "":
		of = strings.Join(n.Entries, ", ") + " is no payout of payrun"
	}
	return of + ": " + n.Reason
}

// Event is what the audit trail says of a word.
func (d StatementDecision) Event() Event {
	detail := decisionNote{Reading: ReadingName(d.Reading), Ref: d.Ref, Reason: d.Reason, Word: d.No, First: d.First}
	for _, e := range d.Entries {
		detail.Entries = append(detail.Entries, e.String())
	}
	kind := map[StatementWord][2]string{WordVoid: {EventVoidAsked, EventVoided}, WordExplain: {EventExplainAsked, EventExplained}}[d.Word][min(d.First, 1)]
	return Event{At: d.At, Actor: d.Actor, Kind: kind, Detail: jsonText(detail), Digest: d.digest().String()}
}

// digest is that of the word as it is kept.
func (d StatementDecision) digest() Digest {
	e := encode(nil, "statement_word").number(d.No).text(string(d.Word)).number(d.Reading).number(d.PayoutID).text(d.Ref).
		text(d.Reason).text(d.Actor).moment(d.At).number(d.First)
	for _, entry := range d.Entries {
		e = e.text(entry.String())
	}
	return sumOf(e)
}

// LineKey tells the same line in another reading: by the bank's id, its day and words. An
// id on another day may be another payment's.
func (p Piece) LineKey() string {
	return fmt.Sprintf("%s %s %s #%d", p.Key(), p.Day, bareWords(strings.Join(p.Words, " ")), p.Ref.Part)
}
