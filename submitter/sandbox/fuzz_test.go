package sandbox

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// Whatever is sent to it, the bank answers with an envelope, and never with its
// own failure.
func FuzzBody(f *testing.F) {
	server, err := Start(f.Context(), Options{Seed: 1, Now: time.Now})
	must(f, err)
	f.Cleanup(func() { _ = server.Close() })
	ready := server.Ready()
	initiate := `{"merchant_transfer_batch_id":"b1","bank_account_id":"` + ready.Accounts[0].BankAccountID + `","transaction_type_id":"NEFT","sub_merchant_id":"` +
		ready.SubMerchantID + `","payouts":[{"merchant_txn_ref_id":"R1","amount":"1.00","vendor_name":"A","bank_account_number":"123456789012","ifsc":"HDFC0001234"}]}`
	for i := range operations {
		for _, body := range []string{initiate, `{"merchant_transfer_batch_id":"b1","otp":"123456"}`, `{}`, `[]`, `null`, `{"amount":1e400}`, "\xff", ""} {
			f.Add(i, body, "limit=1&cursor=eA==")
		}
	}
	handler := server.bankHandler()
	f.Fuzz(func(t *testing.T, which int, body, query string) {
		op := operations[uint(which)%uint(len(operations))]
		r := httptest.NewRequest(op.method, op.path, strings.NewReader(body))
		r.URL.RawQuery = query
		r.Header.Set("Authorization", "Bearer "+ready.AccessKey+":"+ready.SecretKey)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		var envelope struct {
			Status string `json:"status"`
		}
		err := json.Unmarshal(w.Body.Bytes(), &envelope)
		if w.Code >= http.StatusInternalServerError || err != nil || (envelope.Status == "success") != (w.Code == http.StatusOK) {
			t.Errorf("%s %s?%q %q: %d %s", op.method, op.path, query, body, w.Code, w.Body)
		}
	})
}
