package bankapi

import (
	"context"
	"strconv"
)

// Link begins to link a bank account, once. The user completes it at the RedirectURL of the answer
// (interface.md, "Initiate bank-account linking"; required in the sandbox only). Every error is a
// *ledger.CallError.
func (c *Client) Link(ctx context.Context, r LinkingRequest) (LinkingSession, error) {
	return postFields[LinkingSession](ctx, c, opLinking, c.set.LinkingURL+PathLinking,
		field{"sub_merchant_id", r.SubMerchantID}, field{"partner_bank_id", strconv.Itoa(r.PartnerBankID)},
		field{"merchant_redirect_url", r.MerchantRedirectURL})
}
