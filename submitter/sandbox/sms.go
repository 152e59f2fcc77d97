package sandbox

import (
	"fmt"
	"strings"

	"payrun/ledger"
)

// SMS is what the bank sends to the registered mobile (interface.md, "Initiate transfer" and "Initiate
// beneficiary": an OTP is sent to it).
type SMS struct {
	To          string // the number, masked
	OTP         string
	Token       string       // "" if the partner bank sends none
	Payouts     ledger.Tally // of a batch
	Beneficiary string       // the payee's name, for a beneficiary's OTP
}

// String is the message as a phone would show it.
func (m SMS) String() string {
	token := ""
	if m.Token != "" {
		token = " token " + m.Token
	}
	if m.Beneficiary != "" {
		return fmt.Sprintf("SMS to %s: OTP %s%s to add the beneficiary %s", m.To, m.OTP, token, ledger.Plain(m.Beneficiary))
	}
	return fmt.Sprintf("SMS to %s: OTP %s%s for %s %s", m.To, m.OTP, token, ledger.CountedPayouts(m.Payouts.Count), m.Payouts.Total.Rupees())
}

// send sends a message to the mobile of a sub-merchant, whose username is its number.
func (b *bank) send(subMerchantID string, m SMS) {
	if b.options.SMS == nil {
		return
	}
	const shown = 2
	if to := b.subMerchant(subMerchantID); to != nil && len(to.Username) > shown {
		m.To = to.Username[:shown] + strings.Repeat("X", len(to.Username)-shown)
	}
	b.options.SMS(m)
}
