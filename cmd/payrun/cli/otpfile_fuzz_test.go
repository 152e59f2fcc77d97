package cli

import (
	"strings"
	"testing"
)

// Whatever an OTP file holds: it is read whole, each batch once, or refused in
// words that show none of its values.
func FuzzOTPFile(f *testing.F) {
	const header = "merchant_transfer_batch_id,otp,transaction_token,bene_lei\n"
	for _, text := range []string{
		"", header, header + "prabc,123456,tok,\n", header + "prabc,123456\n", "\ufeff" + header + "prabc,123456,,5493001KJTIIGC8Y1R12\n",
		header + "prabc,1\nprabc,2\n", "merchant_transfer_batch_id;otp\n", header + "\"prabc,123456", header + "123456,prabc\n", header + "prabc123456,,,x\n", "otp,merchant_transfer_batch_id\r\n123456, prabc \r\n",
	} {
		f.Add(text, "987654")
	}
	f.Fuzz(func(t *testing.T, text, otp string) {
		if len(otp) < 6 || strings.Trim(otp, "0123456789") != "" || strings.Contains(header+text, otp) {
			t.Skip()
		}
		for _, in := range []string{text, strings.ReplaceAll(text, "123456", otp), text + "\nprother," + otp} {
			entries, err := parseOTPs(strings.NewReader(in))
			if err != nil {
				if strings.Contains(err.Error(), otp) {
					t.Errorf("the error shows an OTP: %v", err)
				}
				continue
			}
			seen := map[string]bool{}
			for _, e := range entries {
				if e.BatchID == "" || seen[e.BatchID] {
					t.Errorf("batch %q is named twice, or not", e.BatchID)
				}
				seen[e.BatchID] = true
			}
		}
	})
}
