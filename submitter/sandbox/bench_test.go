package sandbox

import (
	"fmt"
	"path/filepath"
	"testing"

	"payrun/submitter/bankapi"
)

// BenchmarkInitiateAndSubmit is a batch of 500 payouts through both calls,
// with and without a state file that grows by it.
func BenchmarkInitiateAndSubmit(b *testing.B) {
	for _, kept := range []bool{false, true} {
		b.Run(fmt.Sprintf("kept=%t", kept), func(b *testing.B) {
			o := Options{Seed: 4}
			if kept {
				o.StateFile = filepath.Join(b.TempDir(), "state.json")
			}
			c := newClient(b, o)
			n := 0
			for b.Loop() {
				n++
				id := fmt.Sprint("b", n)
				accepted(b, c.post(bankapi.PathTransferInitiate, oneBatch(id, 3, manyPayouts(id, 500)...)))
				otp, _, _ := c.s.OTP(id)
				accepted(b, c.post(bankapi.PathTransferSubmit, body{"merchant_transfer_batch_id": id, "otp": otp}))
			}
		})
	}
}
