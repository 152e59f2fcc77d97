package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"maps"
	"math"
	"slices"
	"time"
)

// Digest binds rows of the ledger to the audit trail. Each event carries digests of its rows,
// and the chain binds the events. A row that was changed by other means no longer matches its
// digest (safety.md, "Local faults", and invariant 23). It is SHA-256 over a word for the kind of
// data and every field, in the order of the code here. A text is its length in bytes (a varint)
// and its bytes. A number is a zigzag varint; true is 1 and false is 0. A time is its
// microseconds since 1970, a missing time the lowest number. A digest is its 32 bytes. So bytes
// cannot move between fields, and any program can compute it.
type Digest [sha256.Size]byte

// String returns the digest as events have it: lower-case hex.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// encoding is the input of a digest.
type encoding []byte

// encode begins an encoding. Most fit into room and need no allocation.
func encode(room []byte, what string) encoding { return encoding(room[:0]).text(what) }

func (e encoding) number(n int64) encoding { return binary.AppendVarint(e, n) }

func (e encoding) text(s string) encoding {
	return append(binary.AppendUvarint(e, uint64(len(s))), s...)
}

func (e encoding) yes(is bool) encoding {
	if is {
		return e.number(1)
	}
	return e.number(0)
}

func (e encoding) moment(t time.Time) encoding {
	if t.IsZero() {
		return e.number(math.MinInt64)
	}
	return e.number(t.UnixMicro())
}

// MemberDigest returns the digest of attempt number of a payout, sent under wireRef. It covers
// all that Initiate transfer says about it, and its row in the sheet. wireRef is left out if it
// is the payout's own reference.
func MemberDigest(p *Payout, number int, wireRef string) Digest {
	if wireRef == p.Ref {
		wireRef = "" // saves a hash block for each of a million loaded payouts
	}
	var room [512]byte
	e := encode(room[:], "member").number(p.ID).number(int64(number)).text(wireRef).number(int64(p.Row)).text(p.Ref).sent(p)
	return sha256.Sum256(e)
}

// sent encodes what Initiate transfer says about a payout, except its reference.
func (e encoding) sent(p *Payout) encoding {
	return e.number(int64(p.Amount)).text(p.VendorName).text(p.BankAccountNumber).text(p.IFSC).text(p.Remarks).text(p.OpenBeneficiaryID).
		text(p.BeneLEI).text(p.BankAccountID).text(p.SubMerchantID).text(p.TransactionTypeID)
}

// CorrectionDigest returns the digest of a correction that attempt number of a payout sends, from
// row is.Row of the sheet.
func CorrectionDigest(payoutID int64, number int, sheetID string, is *Payout) Digest {
	var room [512]byte
	e := encode(room[:], "correction").number(payoutID).number(int64(number)).text(sheetID).number(int64(is.Row)).sent(is)
	return sha256.Sum256(e)
}

// fixed returns the digest of the fields of a batch that never change.
func (b *Batch) fixed() Digest {
	var room [512]byte
	e := encode(room[:], "batch").text(b.ID).text(b.SheetID).number(int64(b.Sequence)).number(int64(b.Attempt)).
		text(b.BankAccountID).number(int64(b.PartnerBankID)).text(string(b.Kind)).text(b.SubMerchantID).text(b.TransactionTypeID).
		text(b.BeneLEI).number(int64(b.Count)).number(int64(b.Total)).text(b.Reason).moment(b.CreatedAt).text(b.PlannedWith).yes(b.NeedsApproval)
	return sha256.Sum256(e)
}

// running computes a digest in parts.
type running struct {
	h    hash.Hash
	room Digest // a buffer for the input of h, which would escape
}

// begin returns a running digest of the word for the kind of data and the first digest.
func begin(what string, first Digest) running {
	r := running{h: sha256.New()}
	var room [16]byte
	r.h.Write(encode(room[:], what)) // a hash does not fail
	r.h.Write(first[:])
	return r
}

func (r *running) add(d Digest) {
	r.room = d
	r.h.Write(r.room[:])
}

func (r *running) sum() (d Digest) {
	r.h.Sum(d[:0])
	return d
}

// MembersDigest returns the digest of a batch and its n payouts in their order, as in its
// batch_planned event. It covers only the fields of the batch that never change. member returns
// the MemberDigest of the payout at a place.
func MembersDigest(b *Batch, n int, member func(at int) Digest) Digest {
	r := begin("members", b.fixed())
	for at := range n {
		r.add(member(at))
	}
	return r.sum()
}

// RecordedLook is a check at the bank as a ledger keeps it, with the call that it allowed.
type RecordedLook struct {
	BatchID       string         `json:"batch_id"` // of the call
	Call          int            `json:"call"`     // which of the batch's calls, from 1
	Asked         string         `json:"asked"`    // the batch id in the request; not always one of ours
	Answer        LookAnswer     `json:"answer"`
	NotFoundReply NotFoundReply  `json:"word"`
	Complete      bool           `json:"complete"`
	Payouts       map[string]int `json:"payouts"` // payouts shown, by status
	At            time.Time      `json:"at"`
}

// recorded returns the checks as they are kept with call number call of a batch.
func recorded(looks []StatusCheck, batchID string, call int) []RecordedLook {
	return ListOf(looks, func(l StatusCheck) RecordedLook {
		r := RecordedLook{BatchID: batchID, Call: call, Asked: l.BatchID, Answer: l.Answer, NotFoundReply: l.NotFoundReply, Complete: l.Complete,
			Payouts: map[string]int{}, At: l.At}
		for _, p := range l.Payouts {
			r.Payouts[p.Status]++
		}
		return r
	})
}

// stateDigest returns the digest of a batch's variable fields, its calls, and the checks at the
// bank before each call.
func (b *Batch) stateDigest(calls []Intent, looks []RecordedLook) Digest {
	var room [2048]byte
	e := encode(room[:], "standing").text(string(b.State)).moment(b.StateSince).text(b.OpenBatchID).number(int64(b.OTPTries)).
		text(b.Note).text(string(b.Attention)).moment(b.UpdatedAt).moment(b.HeldAt).moment(b.SubmittedAt).moment(b.SuccessAt).
		yes(b.Shown).text(string(b.Listed)).text(b.Refusal).text(b.OtherNumber).yes(b.NewReferences).number(int64(len(calls))).number(int64(len(looks)))
	for _, i := range calls {
		e = e.text(string(i.Kind)).text(i.PayloadSHA256).moment(i.At).text(string(i.Outcome)).number(int64(i.HTTPStatus)).
			text(i.Code).text(i.Message).moment(i.EndedAt).moment(i.BankTime)
	}
	for _, l := range looks {
		e = e.number(int64(l.Call)).text(l.Asked).text(string(l.Answer)).number(int64(l.NotFoundReply.HTTPStatus)).text(l.NotFoundReply.Code).
			yes(l.Complete).moment(l.At).number(int64(len(l.Payouts)))
		for _, status := range slices.Sorted(maps.Keys(l.Payouts)) {
			e = e.text(status).number(int64(l.Payouts[status]))
		}
	}
	return sha256.Sum256(e)
}

// attempt encodes the state of an attempt and all its observations; nothing for an untouched one.
func (e encoding) attempt(a *Attempt, seen []NewObservation) encoding {
	if a.AsPlanned() && len(seen) == 0 {
		return e
	}
	e = e.number(a.ID).number(int64(a.Number)).text(string(a.State)).text(a.Status).text(a.BankStatusCode).text(a.OpenTxnID).
		text(a.BankTxnRefID).number(int64(a.FailedReads)).text(a.Reason).text(string(a.Dispute)).text(string(a.Was)).number(int64(a.Unread)).text(string(a.Resolved)).moment(a.UpdatedAt).number(int64(len(seen)))
	for i := range seen {
		o := &seen[i]
		e = e.number(int64(o.Seq)).moment(o.At).text(o.Status).text(o.BankStatusCode).yes(o.HasAmount).number(int64(o.Amount)).
			text(o.OpenTxnID).text(o.BankTxnRefID).text(o.Error).number(int64(o.Unread))
	}
	return e
}

// AsPlanned: nothing has happened to the attempt since its batch was planned.
func (a *Attempt) AsPlanned() bool {
	return a.State == PayoutPlanned && a.Status == "" && a.BankStatusCode == "" && a.OpenTxnID == "" && a.BankTxnRefID == "" &&
		a.FailedReads == 0 && a.Reason == "" && a.Dispute == ""
}

// asPlanned returns the StateDigest of a batch that was just planned.
func asPlanned(at time.Time) Digest {
	at = at.UTC().Truncate(time.Microsecond)
	k := BatchRecord{Batch: Batch{State: BatchPlanned, StateSince: at, UpdatedAt: at}}
	return k.StateDigest()
}

// StateDigest returns the digest of the batch's state and notes, its calls and checks, and the
// state and observations of each payout, in their order. An event that moves a batch, or
// observes something about it, carries the digest of the state after the event.
func (k *BatchRecord) StateDigest() Digest {
	r := begin("stands", k.Batch.stateDigest(k.Intents, k.Looks))
	var room [1024]byte
	for i := range k.Attempts {
		r.h.Write(encoding(room[:0]).attempt(&k.Attempts[i].Attempt, k.Attempts[i].Observations))
	}
	return r.sum()
}

// MembersDigest returns the digest of the batch with its payouts. k must have all of them.
func (k *BatchRecord) MembersDigest() Digest {
	return MembersDigest(&k.Batch, len(k.Attempts), func(at int) Digest {
		a := &k.Attempts[at]
		return MemberDigest(&a.Payout, a.Number, a.WireRef)
	})
}

// Digest returns the digest of a sheet. r says how its bytes were read; nil if they are not kept.
func (s Sheet) Digest(r *ReadOptions) Digest {
	var room [1024]byte
	e := encode(room[:], "sheet").text(s.ID).text(s.Name).text(s.SHA256).text(s.RowsHash).text(s.Content).text(s.RefPrefix).text(s.Unprefixed).text(s.Format).text(s.Tab).number(int64(s.Header)).
		number(int64(s.Rows)).number(int64(s.Blank)).yes(s.HasTotal).number(int64(s.Total)).
		number(int64(s.Accepted.Count)).number(int64(s.Accepted.Total)).number(int64(s.Rejected.Count)).number(int64(s.Rejected.Total)).
		number(int64(s.Corrected.Count)).number(int64(s.Corrected.Total)).moment(s.LoadedAt).text(s.LoadedBy).yes(r != nil)
	if r != nil {
		e = e.text(r.Encoding).text(r.HiddenRows).number(int64(len(r.Columns)))
		for _, column := range slices.Sorted(maps.Keys(r.Columns)) {
			e = e.text(column).text(r.Columns[column])
		}
	}
	return sha256.Sum256(e)
}
