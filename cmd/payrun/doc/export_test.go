package doc

import (
	"bytes"
	"errors"
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

	var out bytes.Buffer
	x := NewExport(&out, true, func() bool { return false })
	err := errors.Join(
		x.Ledger("l1", at),
		x.Observation(ledger.NewObservation{AttemptKey: key, Seq: 3, At: at, Observation: seen}),
		x.Observation(ledger.NewObservation{AttemptKey: key, Seq: 4, At: at}),
		x.Intent(ledger.RecordedIntent{No: 1, BatchID: "pr1", Intent: open}),
		x.Intent(ledger.RecordedIntent{No: 2, BatchID: "pr1", Intent: ended}),
		x.End(ledger.AuditHead{Length: 1, Hash: "h", At: at}),
	)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"type":"ledger","schema":"payrun.export/v1","id":"l1","created_at":"2025-11-03T09:30:00Z"}
{"type":"observation","payout_id":7,"attempt":2,"seq":3,"at":"2025-11-03T09:30:00Z","status":"success","bank_status_code":"COMPLETED","amount":"100.01","open_txn_id":"tx","bank_txn_ref_id":"UTR","error":"e"}
{"type":"observation","payout_id":7,"attempt":2,"seq":4,"at":"2025-11-03T09:30:00Z","status":"","bank_status_code":"","amount":null,"open_txn_id":"","bank_txn_ref_id":"","error":""}
{"type":"intent","no":1,"batch_id":"pr1","kind":"submit","payload_sha256":"ab","at":"2025-11-03T09:30:00Z","outcome":"","http_status":0,"code":"","message":"","ended_at":null}
{"type":"intent","no":2,"batch_id":"pr1","kind":"submit","payload_sha256":"ab","at":"2025-11-03T09:30:00Z","outcome":"rejected","http_status":400,"code":"C","message":"m","ended_at":"2025-11-03T09:30:01Z"}
{"type":"end","lines":5,"audit":{"length":1,"hash":"h","at":"2025-11-03T09:30:00Z"}}
`
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
