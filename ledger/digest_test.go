package ledger_test

import (
	"strings"
	"testing"
	"time"

	"payrun/ledger"
)

func somePayout() ledger.Payout {
	return ledger.Payout{ID: 4711, SheetID: "shnov", Row: 17, Ref: "INV-7", Amount: 1_234_56, VendorName: "Müller & Söhne", BankAccountNumber: "123456789012",
		IFSC: "HDFC0001234", Remarks: "Rent; November", OpenBeneficiaryID: "ben-1", BeneLEI: deskLEI, BankAccountID: "acct", SubMerchantID: "sm", TransactionTypeID: "NEFT"}
}

func someKnown() ledger.BatchRecord {
	at := func(minutes int) time.Time { return t0.Add(time.Duration(minutes)*time.Minute + 5*time.Microsecond) }
	p := somePayout()
	a := ledger.KnownAttempt{Attempt: ledger.Attempt{Payout: p, Number: 2, WireRef: "INV-7-R2", BatchID: "prbatch", State: ledger.PayoutFailed, Status: "failed",
		BankStatusCode: "REJECTED", OpenTxnID: "tx", BankTxnRefID: "UTR1", FailedReads: 2, Reason: "the bank says failed", UpdatedAt: at(9), Resolved: ledger.ResolutionGone}}
	a.See(ledger.NewObservation{AttemptKey: a.Key(), Seq: 1, At: at(5), Observation: ledger.Observation{Status: "pending", Amount: p.Amount, HasAmount: true, OpenTxnID: "tx"}})
	a.See(ledger.NewObservation{AttemptKey: a.Key(), Seq: 2, At: at(9), Observation: ledger.Observation{Status: "failed", BankStatusCode: "REJECTED", BankTxnRefID: "UTR1", Error: "no such account"}})
	untouched := ledger.KnownAttempt{Attempt: ledger.Attempt{Payout: ledger.Payout{ID: 4712, Ref: "INV-8"}, Number: 1, WireRef: "INV-8", State: ledger.PayoutPlanned}}
	return ledger.BatchRecord{
		Batch: ledger.Batch{ID: "prbatch", SheetID: "shnov", Sequence: 3, Attempt: 2, State: ledger.BatchSubmitted, BankAccountID: "acct", PartnerBankID: 12, Kind: ledger.KindCIB,
			SubMerchantID: "sm", TransactionTypeID: "NEFT", Count: 2, Total: 2_000_00, Reason: "full", PlannedWith: "prfirst", NeedsApproval: true, OpenBatchID: "ob", OTPTries: 1, Note: "n",
			Attention: ledger.Overdue, CreatedAt: at(0), UpdatedAt: at(9), StateSince: at(4), HeldAt: at(2), SubmittedAt: at(4), Shown: true, Listed: ledger.ListingYes, Refusal: "r", OtherNumber: "XX10"},
		Attempts: []ledger.KnownAttempt{a, untouched},
		Intents: []ledger.Intent{{Kind: ledger.CallInitiate, PayloadSHA256: "ab", At: at(1), Outcome: ledger.Accepted, HTTPStatus: 200, EndedAt: at(2)},
			{Kind: ledger.CallSubmit, PayloadSHA256: "cd", At: at(3), Outcome: ledger.Unknown, HTTPStatus: 502, Code: "C", Message: "m", EndedAt: at(4), BankTime: at(2)}},
		Looks: []ledger.RecordedLook{{BatchID: "prbatch", Call: 2, Asked: "prbatch", Answer: ledger.LookShown, NotFoundReply: ledger.NotFoundReply{HTTPStatus: 404, Code: "W"}, Complete: true,
			Payouts: map[string]int{"request_initiated": 1, "odd": 1}, At: at(3)}},
	}
}

func someSheet() (ledger.Sheet, *ledger.ReadOptions) {
	return ledger.Sheet{ID: "shnov", Name: "nov.csv", SHA256: "ab", RowsHash: "cd", Content: "ef", RefPrefix: "p-", Unprefixed: "gh", Format: "csv", Tab: "t", Header: 1, Rows: 3, Blank: 1, HasTotal: true, Total: 3_000_00,
			Accepted: ledger.Tally{Count: 2, Total: 2_000_00}, Rejected: ledger.Tally{Count: 1, Total: 1_000_00}, Corrected: ledger.Tally{Count: 1, Total: 500_00}, LoadedAt: t0, LoadedBy: "asha"},
		&ledger.ReadOptions{Encoding: "windows-1252", HiddenRows: "skip", Columns: map[string]string{"ifsc": "Code", "amount": "Net Pay"}}
}

// Digests are pinned by what another program, written from the words of Digest,
// computed: another store, and a later program, must come to the same.
func TestDigestsArePinned(t *testing.T) {
	p, k := somePayout(), someKnown()
	sheet, reading := someSheet()
	untouched := ledger.MemberDigest(&k.Attempts[1].Payout, 1, "INV-8")
	for name, c := range map[string]struct {
		got  ledger.Digest
		want string
	}{
		"a payout under its own reference": {ledger.MemberDigest(&p, 1, "INV-7"), "9dc686453b2c8836d1ae64c0b81d33e59d16e91a8bf6a71caec6826442c3034f"},
		"a payout under another":           {ledger.MemberDigest(&p, 2, "INV-7-R2"), "47d93aeda92141aa0ecf687d48c71095110bd08686e66218b3af60ad371d0f27"},
		"a batch's payouts":                {k.MembersDigest(), "99595d63bed7a7317f6aa9c189df6a30bae91c2c41b947622b59ac0c24ad3a6f"},
		"the same, one by one": {ledger.MembersDigest(&k.Batch, 2, func(at int) ledger.Digest {
			return []ledger.Digest{ledger.MemberDigest(&p, 2, "INV-7-R2"), untouched}[at]
		}), "99595d63bed7a7317f6aa9c189df6a30bae91c2c41b947622b59ac0c24ad3a6f"},
		"the state of a batch":             {k.StateDigest(), "f2b561a9484bd9eb441f0406bd447af517ac0803824fd5ea8baafafe43c241d4"},
		"a sheet":                          {sheet.Digest(reading), "daf108f029dbde49efb1c556a10446e8816a895bcfbdea927c346c3052a53ccd"},
		"a sheet whose bytes are not kept": {sheet.Digest(nil), "85baa8eff43f94cc851fa17c1a1ab6402f0aaee840f7250fdfe6fc83ee7be787"},
	} {
		if c.got.String() != c.want {
			t.Errorf("%s: %s, want %s", name, c.got, c.want)
		}
	}
}

// The chain is pinned with digests too: they come last.
func TestTheChainBindsDigests(t *testing.T) {
	c := ledger.Chain{LedgerID: "LEDGERLEDGERLEDGERLEDGER"}
	e := c.Append(ledger.Event{At: t0, Actor: "ravi", Kind: ledger.EventPlanned, SheetID: "sh1", BatchID: "pr1", Detail: "d", Digest: "aa", StateDigest: "bb"})
	if e.Hash != "71fd0750602d8926765c1f699a9d48d61fb5ca09c48f2987b8eec0317e001144" {
		t.Errorf("%s", e.Hash)
	}
	for name, spoil := range map[string]func(*ledger.Event){
		"another digest": func(e *ledger.Event) { e.Digest = "ac" }, "another stand": func(e *ledger.Event) { e.StateDigest = "" },
		"moved": func(e *ledger.Event) { e.Digest, e.StateDigest = "aab", "b" }, "none": func(e *ledger.Event) { e.Digest, e.StateDigest = "", "" },
	} {
		spoiled := e
		spoil(&spoiled)
		if wrong := (&ledger.Chain{LedgerID: "LEDGERLEDGERLEDGERLEDGER"}).Replay(spoiled); len(wrong) != 1 {
			t.Errorf("%s: %v", name, wrong)
		}
	}
}

// Whatever is changed of what counts changes the digest.
func TestEveryFieldCounts(t *testing.T) {
	for name, change := range map[string]func(*ledger.Payout){
		"id": func(p *ledger.Payout) { p.ID++ }, "row": func(p *ledger.Payout) { p.Row++ }, "reference": func(p *ledger.Payout) { p.Ref += "x" },
		"amount": func(p *ledger.Payout) { p.Amount++ }, "payee": func(p *ledger.Payout) { p.VendorName += "x" }, "account": func(p *ledger.Payout) { p.BankAccountNumber += "1" },
		"ifsc": func(p *ledger.Payout) { p.IFSC += "1" }, "remarks": func(p *ledger.Payout) { p.Remarks = "" }, "beneficiary": func(p *ledger.Payout) { p.OpenBeneficiaryID = "" },
		"lei": func(p *ledger.Payout) { p.BeneLEI = "" }, "debit account": func(p *ledger.Payout) { p.BankAccountID = "b" },
		"sub-merchant": func(p *ledger.Payout) { p.SubMerchantID = "x" }, "transaction type": func(p *ledger.Payout) { p.TransactionTypeID = "RTGS" },
		"moved": func(p *ledger.Payout) {
			p.VendorName, p.BankAccountNumber = p.VendorName+p.BankAccountNumber[:1], p.BankAccountNumber[1:]
		},
	} {
		p, q := somePayout(), somePayout()
		change(&q)
		if ledger.MemberDigest(&p, 2, "INV-7-R2") == ledger.MemberDigest(&q, 2, "INV-7-R2") {
			t.Errorf("a payout: %s does not count", name)
		}
	}
	members := map[string]func(*ledger.BatchRecord){
		"id": func(k *ledger.BatchRecord) { k.Batch.ID = "x" }, "sheet": func(k *ledger.BatchRecord) { k.Batch.SheetID = "x" }, "sequence": func(k *ledger.BatchRecord) { k.Batch.Sequence++ },
		"attempt": func(k *ledger.BatchRecord) { k.Batch.Attempt++ }, "account": func(k *ledger.BatchRecord) { k.Batch.BankAccountID = "x" }, "bank": func(k *ledger.BatchRecord) { k.Batch.PartnerBankID = 1 },
		"kind": func(k *ledger.BatchRecord) { k.Batch.Kind = "rib" }, "sub-merchant": func(k *ledger.BatchRecord) { k.Batch.SubMerchantID = "x" }, "type": func(k *ledger.BatchRecord) { k.Batch.TransactionTypeID = "x" },
		"lei": func(k *ledger.BatchRecord) { k.Batch.BeneLEI = "x" }, "count": func(k *ledger.BatchRecord) { k.Batch.Count++ }, "total": func(k *ledger.BatchRecord) { k.Batch.Total++ },
		"reason": func(k *ledger.BatchRecord) { k.Batch.Reason = "x" }, "created": func(k *ledger.BatchRecord) { k.Batch.CreatedAt = t0.Add(time.Hour) }, "planner": func(k *ledger.BatchRecord) { k.Batch.PlannedWith = "" },
		"a wire reference": func(k *ledger.BatchRecord) { k.Attempts[0].WireRef = "INV-7-R3" }, "an attempt's number": func(k *ledger.BatchRecord) { k.Attempts[0].Number++ },
		"a payee": func(k *ledger.BatchRecord) { k.Attempts[1].VendorName = "x" }, "a payout less": func(k *ledger.BatchRecord) { k.Attempts = k.Attempts[:1] },
		"their order": func(k *ledger.BatchRecord) { k.Attempts[0], k.Attempts[1] = k.Attempts[1], k.Attempts[0] },
	}
	stands := map[string]func(*ledger.BatchRecord){
		"state": func(k *ledger.BatchRecord) { k.Batch.State = "held" }, "since": func(k *ledger.BatchRecord) { k.Batch.StateSince = t0 }, "open id": func(k *ledger.BatchRecord) { k.Batch.OpenBatchID = "" },
		"tries": func(k *ledger.BatchRecord) { k.Batch.OTPTries = 0 }, "note": func(k *ledger.BatchRecord) { k.Batch.Note = "" }, "attention": func(k *ledger.BatchRecord) { k.Batch.Attention = "" },
		"updated": func(k *ledger.BatchRecord) { k.Batch.UpdatedAt = t0 }, "held": func(k *ledger.BatchRecord) { k.Batch.HeldAt = time.Time{} }, "submitted": func(k *ledger.BatchRecord) { k.Batch.SubmittedAt = time.Time{} },
		"success": func(k *ledger.BatchRecord) { k.Batch.SuccessAt = t0 }, "shown": func(k *ledger.BatchRecord) { k.Batch.Shown = false }, "listed": func(k *ledger.BatchRecord) { k.Batch.Listed = "" },
		"refusal": func(k *ledger.BatchRecord) { k.Batch.Refusal = "" }, "number": func(k *ledger.BatchRecord) { k.Batch.OtherNumber = "" }, "call kind": func(k *ledger.BatchRecord) { k.Intents[0].Kind = "submit" }, "call payload": func(k *ledger.BatchRecord) { k.Intents[0].PayloadSHA256 = "" },
		"call at": func(k *ledger.BatchRecord) { k.Intents[0].At = t0 }, "call outcome": func(k *ledger.BatchRecord) { k.Intents[1].Outcome = "rejected" }, "call status": func(k *ledger.BatchRecord) { k.Intents[1].HTTPStatus = 400 },
		"call code": func(k *ledger.BatchRecord) { k.Intents[1].Code = "" }, "call message": func(k *ledger.BatchRecord) { k.Intents[1].Message = "" }, "call ended": func(k *ledger.BatchRecord) { k.Intents[1].EndedAt = time.Time{} },
		"dispute": func(k *ledger.BatchRecord) { k.Attempts[0].Dispute = "moved" }, "new references": func(k *ledger.BatchRecord) { k.Batch.NewReferences = true }, "call said": func(k *ledger.BatchRecord) { k.Intents[1].BankTime = t0 }, "resolved": func(k *ledger.BatchRecord) { k.Attempts[0].Resolved = "" },
		"a call less": func(k *ledger.BatchRecord) { k.Intents = k.Intents[:1] }, "look call": func(k *ledger.BatchRecord) { k.Looks[0].Call = 1 }, "look asked": func(k *ledger.BatchRecord) { k.Looks[0].Asked = "x" },
		"look answer": func(k *ledger.BatchRecord) { k.Looks[0].Answer = "not_known" }, "look word": func(k *ledger.BatchRecord) { k.Looks[0].NotFoundReply.HTTPStatus = 500 }, "look code": func(k *ledger.BatchRecord) { k.Looks[0].NotFoundReply.Code = "" },
		"look complete": func(k *ledger.BatchRecord) { k.Looks[0].Complete = false }, "look payouts": func(k *ledger.BatchRecord) { k.Looks[0].Payouts = map[string]int{"odd": 2} }, "look at": func(k *ledger.BatchRecord) { k.Looks[0].At = t0 },
		"a look less": func(k *ledger.BatchRecord) { k.Looks = nil }, "an attempt's state": func(k *ledger.BatchRecord) { k.Attempts[0].State = "success" }, "status": func(k *ledger.BatchRecord) { k.Attempts[0].Status = "success" },
		"code": func(k *ledger.BatchRecord) { k.Attempts[0].BankStatusCode = "" }, "txn": func(k *ledger.BatchRecord) { k.Attempts[0].OpenTxnID = "" }, "utr": func(k *ledger.BatchRecord) { k.Attempts[0].BankTxnRefID = "" },
		"reads": func(k *ledger.BatchRecord) { k.Attempts[0].FailedReads = 3 }, "why": func(k *ledger.BatchRecord) { k.Attempts[0].Reason = "" }, "an attempt updated": func(k *ledger.BatchRecord) { k.Attempts[0].UpdatedAt = t0 },
		"seen seq": func(k *ledger.BatchRecord) { k.Attempts[0].Observations[0].Seq = 3 }, "seen at": func(k *ledger.BatchRecord) { k.Attempts[0].Observations[0].At = t0 },
		"seen status": func(k *ledger.BatchRecord) { k.Attempts[0].Observations[0].Status = "success" }, "seen code": func(k *ledger.BatchRecord) { k.Attempts[0].Observations[1].BankStatusCode = "" },
		"seen amount": func(k *ledger.BatchRecord) { k.Attempts[0].Observations[0].Amount++ }, "seen no amount": func(k *ledger.BatchRecord) { k.Attempts[0].Observations[1].HasAmount = true },
		"seen txn": func(k *ledger.BatchRecord) { k.Attempts[0].Observations[0].OpenTxnID = "" }, "seen utr": func(k *ledger.BatchRecord) { k.Attempts[0].Observations[1].BankTxnRefID = "" },
		"seen error": func(k *ledger.BatchRecord) { k.Attempts[0].Observations[1].Error = "" }, "seen unread": func(k *ledger.BatchRecord) { k.Attempts[0].Observations[1].Unread = ledger.FieldAmount },
		"was": func(k *ledger.BatchRecord) { k.Attempts[0].Was = "pending" }, "unread": func(k *ledger.BatchRecord) { k.Attempts[0].Unread = ledger.FieldAmount }, "seen less": func(k *ledger.BatchRecord) { k.Attempts[0].Observations = k.Attempts[0].Observations[1:] },
		"touched": func(k *ledger.BatchRecord) { k.Attempts[1].State = "cancelled" },
	}
	for name, change := range members {
		k, q := someKnown(), someKnown()
		change(&q)
		if k.MembersDigest() == q.MembersDigest() {
			t.Errorf("a batch's payouts: %s does not count", name)
		}
	}
	for name, change := range stands {
		k, q := someKnown(), someKnown()
		change(&q)
		if k.StateDigest() == q.StateDigest() {
			t.Errorf("the state of a batch: %s does not count", name)
		}
	}
}

// A step that records a call, or plans payouts again, is refused where a row is
// not as the audit trail tells; any other is recorded, and its event does not
// tell of the rows as if they were right.
func TestNothingIsDoneOnRowsThatWereChanged(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(k *ledger.BatchRecord)
		says  string
		same  bool // its state is untouched
	}{
		"nothing":                  {func(*ledger.BatchRecord) {}, "", true},
		"an account":               {func(k *ledger.BatchRecord) { k.Attempts[0].BankAccountNumber = "999999999999" }, "what it pays is not what was planned", true},
		"a state":                  {func(k *ledger.BatchRecord) { k.Attempts[0].Reason = "x" }, "its state is not what was recorded", false},
		"the chain":                {func(k *ledger.BatchRecord) { k.Broken = []string{"event 7 is not what was recorded"} }, "event 7 is not what was recorded", true},
		"no trail":                 {func(k *ledger.BatchRecord) { k.Trail = ledger.TrailDigest{} }, "what it pays is not what was planned", false},
		"an account of an earlier": {func(k *ledger.BatchRecord) { k.Before[0].Attempts[0].IFSC = "x" }, "batch prbefore: what it pays", true},
	} {
		k := standing(ledger.BatchPlanned)
		before := standing(ledger.BatchRefused)
		before.Batch.ID = "prbefore"
		before.Trail = ledger.TrailDigest{Members: before.MembersDigest().String(), StateDigest: before.StateDigest().String()}
		k.Trail, k.Before = ledger.TrailDigest{Members: k.MembersDigest().String(), StateDigest: k.StateDigest().String()}, []ledger.BatchRecord{before}
		c.spoil(&k)
		_, err := step(ledger.BatchPlanned, ledger.InitiateIntended).Change(k)
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v", name, err)
		}
		s := step(ledger.BatchPlanned, ledger.SeenElsewhere)
		got, err := s.Change(k)
		if err != nil || (got.Event.StateDigest != "") != c.same {
			t.Errorf("%s, recorded: stands %q, %v", name, got.Event.StateDigest, err)
		}
	}
}
