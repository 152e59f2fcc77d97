package sandbox

import (
	"strings"
	"testing"

	"payrun/submitter/bankapi"
)

func TestTheMobileGetsAnOTPForWhatIsAskedFor(t *testing.T) {
	var sent []string
	c := newClient(t, Options{Seed: 2, SMS: func(m SMS) { sent = append(sent, m.String()) }})
	for _, r := range []struct{ path, body string }{
		{bankapi.PathTransferInitiate, `{"merchant_transfer_batch_id":"b1","transaction_type_id":"NEFT","bank_account_id":"` + accountID(1) + `","payout_data":[
			{"merchant_txn_ref_id":"r1","vendor_name":"Rao","bank_account_number":"123456789012","ifsc":"HDFC0001234","amount":"2700000.00"},
			{"merchant_txn_ref_id":"r2","vendor_name":"Rao","bank_account_number":"123456789012","ifsc":"HDFC0001234","amount":"4369.97"}]}`},
		{bankapi.PathBeneficiaryInitiate, `{"sub_merchant_id":"` + subMerchantID + `","bank_account_id":"` + accountID(112) + `",
			"vendor_name":"Rao","bank_account_number":"123456789012","ifsc":"HDFC0001234"}`},
		{bankapi.PathTransferInitiate, `{"merchant_transfer_batch_id":"b2"}`}, // refused: nothing is sent
	} {
		_, err := c.try("POST", r.path, []byte(r.body))
		must(t, err)
	}
	otp, token, _ := c.s.OTP("b1")
	want := "SMS to 90XXXXXXXX: OTP " + otp + " token " + token + " for 2 payouts ₹27,04,369.97"
	if len(sent) != 2 || sent[0] != want || !strings.HasPrefix(sent[1], "SMS to 90XXXXXXXX: OTP ") || !strings.HasSuffix(sent[1], " to add the beneficiary Rao") {
		t.Errorf("sent %q, want %q and one for the beneficiary", sent, want)
	}
}
