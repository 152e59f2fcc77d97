package sqlite

import "payrun/ledger"

// member is what Commit needs to know about a payout, to compare its planned batch with it and
// to bind the batch to it.
type member struct {
	amount ledger.Paise
	route  int32
	lei    int32 // 0 for none
	digest ledger.Digest
}
