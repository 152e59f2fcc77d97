package ledger

import (
	"slices"
	"strings"
)

// Entries of statements lie in the order in which they were read, and are asked for
// by the names that they carry and the amounts that they move. A sieve tells of some
// of them in a few bytes each what none of them has, so that of a million entries
// few are read for one payout. It is a hint and no more: whatever it lets through is
// looked at itself.

// SievedTogether is how many places of a reading have one sieve together.
const SievedTogether = 512

// Sieve holds the signs of some entries: a Bloom filter. It has every one of theirs,
// and one of every two thousand others by chance.
type Sieve []byte

const (
	sieveBits   = 16 // of each sign
	sieveProbes = 11
)

func newSieve(signs []uint64) Sieve {
	slices.Sort(signs)
	signs = slices.Compact(signs)
	s := make(Sieve, len(signs)*sieveBits/8)
	for _, sign := range signs {
		s.probe(sign, func(at uint64) bool { s[at/8] |= 1 << (at % 8); return true })
	}
	return s
}

// probe calls is for the bits of a sign, until it says no.
func (s Sieve) probe(sign uint64, is func(at uint64) bool) bool {
	bits, step := uint64(len(s))*8, sign>>32|1
	for range sieveProbes {
		if !is(sign % bits) {
			return false
		}
		sign += step
	}
	return true
}

func (s Sieve) has(sign uint64) bool {
	return len(s) > 0 && s.probe(sign, func(at uint64) bool { return s[at/8]&(1<<(at%8)) != 0 })
}

func (s Sieve) hasAll(signs []uint64) bool {
	return !slices.ContainsFunc(signs, func(sign uint64) bool { return !s.has(sign) })
}

// SievePart is the sieve of the entries of a reading at SievedTogether places, and
// the newest of their days.
type SievePart struct {
	ReadNo int64
	Part   int    // from 1
	Newest string // YYYY-MM-DD
	Sieve  Sieve
}

// Sieving makes the sieves of entries, which come in the order of their readings and
// places.
type Sieving struct {
	part  SievePart
	signs []uint64
}

// Add takes in the next entry. It gives the part before it where that has come to
// its end; nil elsewhere.
func (s *Sieving) Add(e *KeptEntry) (done *SievePart) {
	part := (e.Place-1)/SievedTogether + 1
	if e.ReadNo != s.part.ReadNo || part != s.part.Part {
		done = s.Last()
		s.part = SievePart{ReadNo: e.ReadNo, Part: part}
	}
	s.part.Newest = max(s.part.Newest, e.Day())
	if len(e.Details) == 0 {
		s.signs = append(s.signs, (&Move{e.Debit, e.Amount, e.Day()}).sign())
		s.signs = appendSigns(appendSigns(s.signs, e.Reference), e.Remarks)
	}
	for _, d := range e.Details {
		s.signs = append(s.signs, (&Move{e.Debit, d.Amount, e.Day()}).sign())
		s.signs = appendSigns(appendSigns(s.signs, d.Reference), d.Remarks)
	}
	return done
}

// Last gives the part that has begun, with nothing behind it; nil where none has.
func (s *Sieving) Last() *SievePart {
	if s.part.Part == 0 {
		return nil
	}
	done := s.part
	done.Sieve = newSieve(s.signs)
	s.part, s.signs = SievePart{}, s.signs[:0]
	return &done
}

// appendSigns adds those of a text: of each word, and of each two that follow one
// another with what stands between them. A name that is in the text (EachName) has
// no other signs than the text.
func appendSigns(signs []uint64, text string) []uint64 {
	if text == "" {
		return signs
	}
	text = strings.ToLower(text)
	var room [32]span
	words := wordsIn(text, room[:0])
	for i, w := range words {
		signs = append(signs, signOf(text[w.start:w.end]))
		if i > 0 {
			signs = append(signs, signOf(text[words[i-1].start:w.end]))
		}
	}
	return signs
}

// Move is an amount that an entry moves, or a payment of a batch booking, on its day.
type Move struct {
	Debit  bool
	Amount Paise
	Day    string // YYYY-MM-DD
}

func (m *Move) sign() uint64 {
	h := signOf(m.Day) ^ uint64(m.Amount)*0x9e3779b97f4a7c15
	if m.Debit {
		h = ^h
	}
	return mixed(h)
}

// signOf is FNV-1a. Ledgers hold what it gives: it never changes.
func signOf(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return mixed(h)
}

// mixed spreads a hash over all of its bits.
func mixed(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// SoughtEntries selects entries: those that carry one of some names, as EachName has
// it, and those that move one of some amounts.
type SoughtEntries struct {
	names map[string]bool // in lower case
	moves map[Move]bool
	signs [][]uint64 // an entry that is sought has all of one of them
}

// Names adds names; what can be none in a text is left out.
func (s *SoughtEntries) Names(names ...string) {
	for _, name := range names {
		name = strings.ToLower(name)
		words := wordsIn(name, nil)
		if n := len(words); n == 0 || n > mostWords || words[0].start > 0 || words[n-1].end < len(name) || s.names[name] {
			continue
		}
		if s.names == nil {
			s.names = map[string]bool{}
		}
		s.names[name] = true
		s.signs = append(s.signs, appendSigns(nil, name))
	}
}

// Move adds an amount on a day.
func (s *SoughtEntries) Move(m Move) {
	if s.moves == nil {
		s.moves = map[Move]bool{}
	}
	if !s.moves[m] {
		s.moves[m] = true
		s.signs = append(s.signs, []uint64{m.sign()})
	}
}

// None reports whether nothing is sought.
func (s *SoughtEntries) None() bool { return len(s.signs) == 0 }

// MayBeIn reports whether one of the entries of a sieve may be sought.
func (s *SoughtEntries) MayBeIn(sieve Sieve) bool { return slices.ContainsFunc(s.signs, sieve.hasAll) }

// Has reports whether an entry is sought.
func (s *SoughtEntries) Has(e *KeptEntry) bool {
	if len(e.Details) == 0 {
		return s.piece(e, e.Amount, e.Reference, e.Remarks)
	}
	return slices.ContainsFunc(e.Details, func(d EntryDetail) bool { return s.piece(e, d.Amount, d.Reference, d.Remarks) })
}

func (s *SoughtEntries) piece(e *KeptEntry, amount Paise, texts ...string) (has bool) {
	if s.moves[Move{e.Debit, amount, e.Day()}] {
		return true
	}
	if len(s.names) == 0 {
		return false
	}
	for _, text := range texts {
		EachName(text, func(start, end int) bool {
			has = has || s.names[strings.ToLower(text[start:end])]
			return has
		})
	}
	return has
}
