package doc

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

// The lines are read by programs: neither a name nor the order of them moves.
func TestLinesOfAnExport(t *testing.T) {
	at := time.Date(2025, 11, 3, 9, 30, 0, 0, time.UTC)
	key := ledger.AttemptKey{PayoutID: 7, Number: 2}
	seen := ledger.Observation{Status: "success", BankStatusCode: "COMPLETED", Amount: 100_01, HasAmount: true, OpenTxnID: "tx", BankTxnRefID: "UTR", Error: "e",
		BankAccountNumber: "not kept", VendorName: "not kept"}
	open := ledger.Intent{Kind: ledger.CallSubmit, PayloadSHA256: "ab", At: at}
	ended := open
	ended.Outcome, ended.HTTPStatus, ended.Code, ended.Message, ended.EndedAt = ledger.Rejected, 400, "C", "m", at.Add(time.Second)

	sheet := ledger.Sheet{ID: "sh1", Name: "nov.csv", SHA256: "cd", RowsHash: "ef", Format: "csv", Header: 1, Rows: 2, Blank: 3, HasTotal: true, Total: 300_00,
		Accepted: ledger.Tally{Count: 1, Total: 100_00}, Rejected: ledger.Tally{Count: 1, Total: 200_00}, LoadedAt: at, LoadedBy: "asha"}
	reading := ledger.ReadOptions{Encoding: "windows-1252", HiddenRows: "error", Columns: map[string]string{"amount": "Net Pay"}}
	attempt := ledger.Attempt{Payout: ledger.Payout{ID: 7, SheetID: "sh1", Row: 2, Ref: "INV-1", Amount: 100_00, VendorName: "Asha", BankAccountNumber: "123456789012",
		IFSC: "HDFC0001234", Remarks: "r", OpenBeneficiaryID: "ob", BeneLEI: "l", SubMerchantID: "sm", TransactionTypeID: "NEFT", BankAccountID: "a1"},
		Number: 1, WireRef: "INV-1", BatchID: "pr1", State: ledger.PayoutPlanned, UpdatedAt: at}

	var out bytes.Buffer
	hide := ledger.MaskerOf([]ledger.Attempt{attempt})
	x := NewExport(&out, &hide)
	err := errors.Join(
		x.Ledger("l1", at),
		x.Sheet(sheet, &reading),
		x.Sheet(ledger.Sheet{}, nil),
		x.Attempt(attempt),
		x.Origin(7, ledger.RowOrigin{SheetID: "sh0", Row: 13}),
		x.Correction(ledger.RecordedCorrection{Number: 2, Payout: ledger.Payout{ID: 7, SheetID: "sh2", Row: 4, Ref: "INV-1", Amount: 120_00, BankAccountNumber: "123456789099"}}),
		x.Observation(ledger.NewObservation{AttemptKey: key, Seq: 3, At: at, Observation: seen}),
		x.Observation(ledger.NewObservation{AttemptKey: key, Seq: 4, At: at}),
		x.Intent(ledger.RecordedIntent{No: 1, BatchID: "pr1", Intent: open}),
		x.Intent(ledger.RecordedIntent{No: 2, BatchID: "pr1", Intent: ended, Looked: true}),
		x.StatusCheck(ledger.RecordedLook{BatchID: "pr1", Call: 2, Asked: "pr0", Answer: ledger.LookShown, NotFoundReply: ledger.NotFoundReply{HTTPStatus: 404, Code: "C 123456789012"}, Complete: true,
			Payouts: map[string]int{"failed": 2, "about 123456789012": 1}, At: at}),
		x.Line(ledger.KeptLine{Ref: ledger.EntryRef{Reading: 3, Line: 17}, BankAccountID: "a1", Source: ledger.FromInterface, Day: "2025-11-03",
			StatementEntry: ledger.StatementEntry{TransactionID: "T1", Debit: true, Amount: 100_00, Closing: -1_00, Transacted: "2025-11-03 10:00:00", Posted: "p", Value: "v",
				Reference: "R", Remarks: "to 123456789012"}}),
		x.Event(ledger.Event{Seq: 1, At: at, Actor: "asha", Kind: "batch_planned", BatchID: "pr1", Detail: "d", Digest: "d1", StateDigest: "d2", Hash: "h"}),
		x.End(ledger.AuditHead{Length: 1, Hash: "h", At: at}),
	)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"type":"ledger","schema":"payrun.export/v1","id":"l1","created_at":"2025-11-03T09:30:00Z","masked":true}
{"type":"sheet","id":"sh1","name":"nov.csv","sha256":"cd","rows_hash":"ef","content":"","format":"csv","tab":"","header":1,"rows":2,"blank":3,"has_total":true,"total":"300.00","accepted":{"count":1,"total":"100.00"},"rejected":{"count":1,"total":"200.00"},"loaded_at":"2025-11-03T09:30:00Z","loaded_by":"asha","reading":{"encoding":"windows-1252","hidden_rows":"error","columns":{"amount":"Net Pay"}}}
{"type":"sheet","id":"","name":"","sha256":"","rows_hash":"","content":"","format":"","tab":"","header":0,"rows":0,"blank":0,"has_total":false,"total":"0.00","accepted":{"count":0,"total":"0.00"},"rejected":{"count":0,"total":"0.00"},"loaded_at":"0001-01-01T00:00:00Z","loaded_by":"","reading":null}
{"type":"payout","id":7,"sheet_id":"sh1","row":2,"ref":"INV-1","amount":"100.00","vendor_name":"Asha","bank_account_number":"XXXXXXXX9012","ifsc":"HDFC0001234","remarks":"r","open_beneficiary_id":"ob","bene_lei":"l","sub_merchant_id":"sm","transaction_type_id":"NEFT","bank_account_id":"a1"}
{"type":"attempt","payout_id":7,"number":1,"wire_ref":"INV-1","batch_id":"pr1","state":"planned","status":"","bank_status_code":"","open_txn_id":"","bank_txn_ref_id":"","failed_reads":0,"reason":"","updated_at":"2025-11-03T09:30:00Z"}
{"type":"origin","payout_id":7,"sheet_id":"sh0","row":13}
{"type":"correction","number":2,"id":7,"sheet_id":"sh2","row":4,"ref":"INV-1","amount":"120.00","vendor_name":"","bank_account_number":"XXXXXXXX9099","ifsc":"","remarks":"","open_beneficiary_id":"","bene_lei":"","sub_merchant_id":"","transaction_type_id":"","bank_account_id":""}
{"type":"observation","payout_id":7,"attempt":2,"seq":3,"at":"2025-11-03T09:30:00Z","status":"success","bank_status_code":"COMPLETED","amount":"100.01","open_txn_id":"tx","bank_txn_ref_id":"UTR","error":"e"}
{"type":"observation","payout_id":7,"attempt":2,"seq":4,"at":"2025-11-03T09:30:00Z","status":"","bank_status_code":"","amount":null,"open_txn_id":"","bank_txn_ref_id":"","error":""}
{"type":"intent","no":1,"batch_id":"pr1","kind":"submit","payload_sha256":"ab","at":"2025-11-03T09:30:00Z","outcome":"","http_status":0,"code":"","message":"","ended_at":null,"looked":false}
{"type":"intent","no":2,"batch_id":"pr1","kind":"submit","payload_sha256":"ab","at":"2025-11-03T09:30:00Z","outcome":"rejected","http_status":400,"code":"C","message":"m","ended_at":"2025-11-03T09:30:01Z","looked":true}
{"type":"look","batch_id":"pr1","call":2,"asked":"pr0","answer":"shown","word":{"http_status":404,"code":"C XXXXXXXX9012"},"complete":true,"payouts":{"about XXXXXXXX9012":1,"failed":2},"at":"2025-11-03T09:30:00Z"}
{"type":"statement_line","statement":3,"line":17,"bank_account_id":"a1","source":"bank","day":"2025-11-03","transaction_id":"T1","debit":true,"amount":"100.00","closing":"-1.00","transacted":"2025-11-03 10:00:00","posted":"p","value":"v","reference":"R","remarks":"to XXXXXXXX9012","details":[]}
{"type":"event","seq":1,"at":"2025-11-03T09:30:00Z","actor":"asha","kind":"batch_planned","batch_id":"pr1","detail":"d","digest":"d1","stands":"d2","hash":"h"}
{"type":"end","lines":14,"audit":{"length":1,"hash":"h","at":"2025-11-03T09:30:00Z"},"sha256":"eadd9011913726cccfb3815f0e85f313ef1580b1c48894c4a2090aab77527398","left_out":["branch_list","passwords"]}
`
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// No matter who wrote an account number, and where: a masked export does not have
// it in full, and an export has it as it was written.
func TestAMaskedExportHasNoAccountNumberAnywhere(t *testing.T) {
	const account = "123456789012"
	const said = "account " + account + " is closed"
	a := ledger.Attempt{Payout: ledger.Payout{ID: 7, Ref: "R-" + account, VendorName: said, Remarks: said, BankAccountNumber: account, OpenBeneficiaryID: account},
		Number: 1, WireRef: "R-" + account, Status: said, BankStatusCode: said, Reason: said, OpenTxnID: account, BankTxnRefID: account}
	utr := a
	utr.BankTxnRefID = "UTR99887766" + account // another number that ends like it
	b := ledger.Batch{ID: "pr1", Note: said, Refusal: said, Reason: said, OpenBatchID: "000" + account, OtherNumber: account}
	seen := ledger.Observation{Status: said, BankStatusCode: said, Error: said, OpenTxnID: account, BankTxnRefID: account, BankAccountNumber: account}
	write := func(hide *ledger.Masker, a ledger.Attempt) string {
		var out bytes.Buffer
		x := NewExport(&out, hide)
		columns := map[string]string{"amount": said}
		if err := errors.Join(
			x.Sheet(ledger.Sheet{Name: said, Tab: said, LoadedBy: said}, &ledger.ReadOptions{Columns: columns}), x.Batch(b), x.Attempt(a),
			x.Observation(ledger.NewObservation{Observation: seen}),
			x.Intent(ledger.RecordedIntent{Intent: ledger.Intent{Code: said, Message: said}}),
			x.Approval(ledger.Approval{Actor: said}), x.Release(ledger.ReleaseApproval{Actor: said, Reason: said}),
			x.Event(ledger.Event{Actor: said, Detail: said}), x.End(ledger.AuditHead{}),
		); err != nil {
			t.Fatal(err)
		}
		if columns["amount"] != said {
			t.Error("masking changed what was given")
		}
		return out.String()
	}
	hide := ledger.MaskerOf([]ledger.Attempt{a})
	if got := write(&hide, a); strings.Contains(got, account) {
		t.Errorf("in full:\n%s", got)
	}
	if got := write(&hide, utr); !strings.Contains(got, utr.BankTxnRefID) {
		t.Errorf("the UTR is gone:\n%s", got)
	}
	if got := write(nil, a); strings.Contains(got, "XXXX") || strings.Count(got, account) < 25 {
		t.Errorf("not whole, %d times:\n%s", strings.Count(got, account), got)
	}
}
