package bankapi

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"payrun/ledger"
)

// IsSandbox asks which environment answers (interface.md, "List sub-merchants").
func (c *Client) IsSandbox(ctx context.Context) (bool, error) {
	list, _, err := get[SubMerchantList](ctx, c, ledger.Patient, opSubMerchants, c.set.IDURL+PathSubMerchants, url.Values{"limit": {"1"}})
	return list.IsSandbox, err
}

// SubMerchants lists the sub-merchants, from all pages, masked by the service (interface.md, "List
// sub-merchants"). Every error is a *ledger.CallError; then nothing is returned.
//
// It uses offset and the service's own page size: for this list the interface shows no cursor parameter and no
// largest limit.
func (c *Client) SubMerchants(ctx context.Context) (SubMerchantList, error) {
	var all SubMerchantList
	seen := map[string]bool{}
	for range mostListPages {
		list, meta, err := get[SubMerchantList](ctx, c, ledger.Patient, opSubMerchants, c.set.IDURL+PathSubMerchants, url.Values{"offset": {strconv.Itoa(len(all.SubMerchants))}})
		if err != nil {
			return SubMerchantList{}, err
		}
		for _, m := range list.SubMerchants {
			if seen[m.SubMerchantID] {
				return SubMerchantList{}, listError(opSubMerchants, fmt.Errorf("sub-merchant %q came twice", clip(m.SubMerchantID)))
			}
			seen[m.SubMerchantID] = true
		}
		all.SubMerchants, all.IsSandbox = append(all.SubMerchants, list.SubMerchants...), list.IsSandbox
		switch {
		case meta.Pagination == nil:
			return SubMerchantList{}, listError(opSubMerchants, errNoPagination)
		case !meta.Pagination.HasMore:
			return all, nil
		case len(list.SubMerchants) == 0:
			return SubMerchantList{}, listError(opSubMerchants, errors.New("a page is empty, yet has_more is true"))
		}
	}
	return SubMerchantList{}, listError(opSubMerchants, fmt.Errorf("there are more than %d pages", mostListPages))
}

// Register registers a sub-merchant, once (interface.md, "Register sub-merchant"). Every error is a
// *ledger.CallError; its Code is SVC_CB_SM_004 if the username is taken.
func (c *Client) Register(ctx context.Context, r RegisterRequest) (Registered, error) {
	return postFields[Registered](ctx, c, opRegister, c.set.IDURL+PathRegister,
		field{"first_name", r.FirstName}, field{"last_name", r.LastName},
		field{"email", r.Email}, field{"username", r.Username})
}
