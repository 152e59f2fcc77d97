package submitter_test

import (
	"context"
	"testing"

	"payrun/ledger"
	"payrun/submitter"
)

// tokenWatch keeps the token of the last submit.
type tokenWatch struct {
	submitter.Bank
	token *ledger.Secret
}

func (b tokenWatch) Submit(ctx context.Context, p ledger.Payload, otp, token ledger.Secret) (ledger.Answer, error) {
	*b.token = token
	return b.Bank.Submit(ctx, p, otp, token)
}

// Found by the simulation, seed 21445: a token entered for another partner
// bank than 1 went out on the wire.
func TestATokenIsSentOnlyWhereThePartnerBankHasOne(t *testing.T) {
	for _, c := range []struct {
		account string
		bank    int
		sent    bool
	}{{pb1, 1, true}, {pb3, 3, false}} {
		d := newDesk(t)
		b := d.load(payouts{account: c.account, bank: c.bank, n: 1})[0]
		d.initiate()
		entry := d.otp(b.ID)
		if !c.sent {
			entry.Token = ledger.NewSecret("entered all the same")
		}
		var token ledger.Secret
		r := d.verb(submitter.New(d.store, tokenWatch{d.client, &token}, d.set).Submit(t.Context(), []submitter.OTP{entry}))
		if r[0].Outcome != submitter.OutcomeSubmitted || token.Empty() == c.sent {
			t.Errorf("partner bank %d: %s, token sent %t", c.bank, r[0].Outcome, !token.Empty())
		}
		d.sound()
	}
}
