package ledger

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"
)

// StatementWord is the kind of a person's decision about a reading, or about lines.
type StatementWord string

const (
	WordVoid    StatementWord = "void"    // a file is wrong, or belongs to another account
	WordExplain StatementWord = "explain" // lines belong to a payout, or to no payout of payrun
)

// StatementDecision is one person's decision about statements: the reading of a file is void, or lines
// belong to a payout or to none. It takes effect when another person decides the same. Until it is
// recorded, No, Kind, PayoutID and First are not set.
type StatementDecision struct {
	Ask      bool          `json:"-"`  // nothing is recorded: it is only checked
	No       int64         `json:"no"` // from 1, in the order of recording
	Kind     StatementWord `json:"word"`
	Reading  int64         `json:"statement"` // the reading that is void
	Entries  []EntryRef    `json:"entries"`   // the lines that are explained, in order
	PayoutID int64         `json:"payout_id"` // the payout they belong to; 0 for none
	Ref      string        `json:"ref"`
	Reason   string        `json:"reason"`
	Actor    string        `json:"actor"`
	At       time.Time     `json:"at"`
	First    int64         `json:"first"` // the other person's decision that this one completes; 0 for a first decision
}

// Of returns the decision as it is recorded. payoutID is the number of the payout with its Ref.
func (d StatementDecision) Of(payoutID int64) StatementDecision {
	d.Kind, d.PayoutID, d.Entries = WordExplain, payoutID, slices.Clone(d.Entries)
	if d.Reading != 0 {
		d.Kind = WordVoid
	}
	slices.SortFunc(d.Entries, EntryRef.Compare)
	d.Entries = slices.Compact(d.Entries)
	return d
}

// Until returns when the time for another person's decision ends.
func (d StatementDecision) Until() time.Time { return d.At.Add(SecondPersonWithin) }

// NoStatementWord returns a *PeopleError: the decision is not possible, and nothing is recorded.
func NoStatementWord(format string, args ...any) error { return noPerson(format, args...) }

// Second returns the other person's decision that this one completes: the same, at most 72 hours
// old; 0 for none. It returns an error if d.Actor may not decide, or the two do not count as two people.
func (d StatementDecision) Second(before []StatementDecision, who Users) (first int64, err error) {
	done := map[int64]bool{}
	for _, b := range before {
		done[b.First] = true
	}
	if err := who.MayRelease(d.Actor); err != nil {
		return 0, notThey("%v", err)
	}
	for _, b := range before {
		if b.First != 0 || done[b.No] || !waitsForSecond(b.At, d.At) || !d.same(b) || who.MayRelease(b.Actor) != nil {
			continue
		}
		if apart := who.SecondPerson(b.Actor, d.Actor); apart != nil {
			err = notThey("%s has said so on %s; another person has to say the same: %v", b.Actor, momentWords(b.At), apart)
			continue
		}
		return b.No, nil
	}
	return 0, err
}

func (d StatementDecision) same(b StatementDecision) bool {
	return d.Kind == b.Kind && d.Reading == b.Reading && d.PayoutID == b.PayoutID && slices.Equal(d.Entries, b.Entries)
}

// decisionNote is the detail of the event of a decision.
type decisionNote struct {
	Reading  string   `json:"reading,omitempty"`
	Entries  []string `json:"entries,omitempty"`
	Ref      string   `json:"ref,omitempty"`
	Reason   string   `json:"reason"`
	Decision int64    `json:"word"`
	First    int64    `json:"first,omitempty"` // the other person's decision
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

// Event returns the audit event of the decision.
func (d StatementDecision) Event() Event {
	detail := decisionNote{Reading: ReadingName(d.Reading), Entries: ListOf(d.Entries, EntryRef.String), Ref: d.Ref, Reason: d.Reason, Decision: d.No, First: d.First}
	kind := map[StatementWord][2]string{WordVoid: {EventVoidAsked, EventVoided}, WordExplain: {EventExplainAsked, EventExplained}}[d.Kind][min(d.First, 1)]
	return Event{At: d.At, Actor: d.Actor, Kind: kind, Detail: jsonText(detail), Digest: d.digest().String()}
}

// digest returns the digest of the decision as it is kept.
func (d StatementDecision) digest() Digest {
	e := encode(nil, "statement_word").number(d.No).text(string(d.Kind)).number(d.Reading).number(d.PayoutID).text(d.Ref).
		text(d.Reason).text(d.Actor).moment(d.At).number(d.First)
	for _, entry := range d.Entries {
		e = e.text(entry.String())
	}
	return sha256.Sum256(e)
}

// LineKey identifies the line in every reading that shows it: by the bank's id, its day and its
// words. The same id on another day may be another payment.
func (p Piece) LineKey() string {
	return fmt.Sprintf("%s %s %s #%d", p.Key(), p.Day, bareWords(strings.Join(p.Words, " ")), p.Ref.Part)
}
