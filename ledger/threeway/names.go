package threeway

import (
	"hash/maphash"
	"strings"
	"unicode/utf8"

	"payrun/ledger"
)

// name notes how an attempt may be called in the statement of an account. A name
// that two attempts have is nobody's.
func (m *Matcher) name(acc int32, text string, no int32, utr bool) {
	if strings.TrimSpace(text) == "" {
		return
	}
	h := m.hash(acc, text)
	if m.follow != 0 && m.sent[no].payout == m.follow {
		m.own[h] = true
	}
	if other, there := m.names[h]; there && other.no != no {
		no = m.either(other.no, no)
	}
	m.names[h] = named{no, utr}
}

// either is whose a name is that two attempts have: of the same payout, which goes
// by the same reference where the bank refused it before, the one that was
// submitted; of two payouts nobody's.
func (m *Matcher) either(one, other int32) int32 {
	switch {
	case one == several || m.sent[one].payout != m.sent[other].payout:
		return several
	case m.batches[m.sent[other].batch].day == noDay:
		return one
	case m.batches[m.sent[one].batch].day == noDay:
		return other
	}
	return several
}

// hash of a name in the statement of one account, whatever its case. The key is
// made anew each time: two names have the same once in 2^64, and nobody can aim.
func (m *Matcher) hash(acc int32, text string) uint64 {
	var h maphash.Hash
	h.SetSeed(m.seed)
	_ = h.WriteByte(byte(acc)) // a hash does not fail
	_ = h.WriteByte(byte(acc >> 8))
	ascii := true
	for i := 0; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if !ascii {
		_, _ = h.WriteString(strings.ToLower(text))
		return h.Sum64()
	}
	var room [64]byte
	for len(text) > 0 {
		n := copy(room[:], text)
		for i, c := range room[:n] {
			if 'A' <= c && c <= 'Z' {
				room[i] = c | 0x20
			}
		}
		_, _ = h.Write(room[:n])
		text = text[n:]
	}
	return h.Sum64()
}

// found is what the words of a piece name.
type found struct {
	one       int32 // the attempt, or several
	reason    Reason
	ambiguous bool  // names of ours, of more than one attempt
	near      int32 // see piece
	short     bool  // it is a short word
	own       bool  // see piece
}

// search looks for UTRs, and where there are none for references, in the words of
// a piece.
func (m *Matcher) search(acc int32, reference, remarks string) found {
	var hits hits
	m.words(acc, reference, &hits)
	m.words(acc, remarks, &hits)
	f := found{one: several, near: several, own: hits.own}
	for _, level := range []struct {
		hits   *hit
		reason Reason
	}{{&hits.utr, ByUTR}, {&hits.reference, ByReference}} {
		switch {
		case level.hits.shared, level.hits.count > 1:
			f.ambiguous = true
			return f
		case level.hits.count == 1:
			f.one, f.reason = level.hits.no, level.reason
			return f
		}
	}
	if hits.weak.count == 1 && !hits.weak.shared {
		f.near, f.short = hits.weak.no, hits.short
	}
	return f
}

// hits of one kind: how many attempts are named, and the last.
type hit struct {
	count  int
	no     int32
	shared bool // a name that more than one attempt has
}

type hits struct {
	utr, reference, weak hit
	short                bool // the weak one is a short word
	own                  bool // one is the payout's that is followed
}

func (h *hit) add(no int32) {
	switch {
	case no == several:
		h.shared = true
	case h.count == 0 || h.no != no:
		h.count++
		h.no = no
	}
}

// words looks up the names in a text.
func (m *Matcher) words(acc int32, text string, into *hits) {
	if text == "" || len(m.names) == 0 {
		return
	}
	ledger.EachName(text, func(start, end int) bool {
		hash := m.hash(acc, text[start:end])
		name, there := m.names[hash]
		into.own = into.own || m.own[hash]
		switch {
		case !there:
			return false
		case name.utr:
			into.utr.add(name.no)
		case ledger.WeakName(text, start, end):
			into.weak.add(name.no)
			into.short = end-start < ledger.ShortName
		default:
			into.reference.add(name.no)
		}
		return true
	})
}

// Named gives the attempt whose UTR or reference an entry without details carries,
// and its amount, after every attempt was taken in. ok is false where there is
// none, or more than one.
func (m *Matcher) Named(bankAccountID string, e *ledger.StatementEntry) (of ledger.AttemptKey, amount ledger.Paise, ok bool) {
	acc, there := m.byID[bankAccountID]
	if !there || len(e.Details) > 0 {
		return of, 0, false
	}
	f := m.search(acc, e.Reference, e.Remarks)
	no := f.one
	if no < 0 && f.near >= 0 && m.sent[f.near].amount == e.Amount {
		no = f.near
	}
	if no < 0 {
		return of, 0, false
	}
	s := &m.sent[no]
	return s.key(), s.amount, true
}
