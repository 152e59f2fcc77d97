package sandbox

import (
	"slices"
	"strconv"
	"testing"

	"payrun/submitter/bankapi"
)

// readAll follows the cursors of a status and returns its references and the
// sizes of its pages.
func readAll(t *testing.T, c *client, batchID, limit string) (refs []string, sizes []int) {
	t.Helper()
	cursor := ""
	for {
		g := c.get(bankapi.PathTransfer, "merchant_transfer_batch_id", batchID, "limit", limit, "cursor", cursor)
		answer := accepted(t, g)
		for _, p := range answer.Payouts {
			refs = append(refs, p.WireRef)
		}
		sizes = append(sizes, len(answer.Payouts))
		p := g.env.Meta.Pagination
		if p == nil || p.HasMore != (p.NextCursor != nil) || len(sizes) > 200 {
			t.Fatalf("pagination %+v after %d pages", p, len(sizes))
		}
		if !p.HasMore {
			return refs, sizes
		}
		cursor = *p.NextCursor
	}
}

func TestThePagesOfAStatusTogetherAreTheBatch(t *testing.T) {
	var want []string
	for _, p := range manyPayouts("r", 60) {
		want = append(want, p["merchant_txn_ref_id"].(string))
	}
	for _, r := range []struct {
		name string
		has  func(Reading) bool
	}{
		{"full pages", func(r Reading) bool { return !r.ShortPages && !r.EmptyLastPage && r.Order == "as_sent" }},
		{"short pages", func(r Reading) bool { return r.ShortPages && r.Order == "mixed" }},
		{"an empty last page", func(r Reading) bool { return !r.ShortPages && r.EmptyLastPage && r.Order == "reversed" }},
	} {
		t.Run(r.name, func(t *testing.T) {
			c := newClient(t, Options{Seed: seedWith(t, false, func(x Reading) bool { return r.has(x) && !x.HidesUnsubmitted })})
			c.initiate(oneBatch("b", 3, manyPayouts("r", 60)...))
			for _, limit := range []int{1, 7, 20, 60, 100} {
				refs, sizes := readAll(t, c, "b", strconv.Itoa(limit))
				slices.Sort(refs)
				if !slices.Equal(refs, want) {
					t.Errorf("limit %d: pages of %v gave %v", limit, sizes, refs)
				}
				if slices.Max(sizes) > limit {
					t.Errorf("limit %d: pages of %v", limit, sizes)
				}
			}
		})
	}
}

func TestPageBoundariesFollowTheReading(t *testing.T) {
	plain := func(r Reading) bool { return !r.ShortPages && !r.EmptyLastPage && !r.HidesUnsubmitted }
	sizes := func(want func(Reading) bool, limit string) []int {
		c := newClient(t, Options{Seed: seedWith(t, false, want)})
		c.initiate(oneBatch("b", 3, manyPayouts("r", 50)...))
		_, got := readAll(t, c, "b", limit)
		return got
	}
	if got := sizes(plain, ""); !slices.Equal(got, []int{25, 25}) {
		t.Errorf("default limit: pages of %v", got)
	}
	if got := sizes(plain, "40"); !slices.Equal(got, []int{40, 10}) {
		t.Errorf("limit 40: pages of %v", got)
	}
	empty := func(r Reading) bool { return !r.ShortPages && r.EmptyLastPage && !r.HidesUnsubmitted }
	if got := sizes(empty, "25"); !slices.Equal(got, []int{25, 25, 0}) {
		t.Errorf("empty last page: pages of %v", got)
	}
	short := func(r Reading) bool { return r.ShortPages && !r.HidesUnsubmitted }
	if got := sizes(short, "25"); len(got) < 3 {
		t.Errorf("short pages: pages of %v", got)
	}
}

func TestLimitsOfAPage(t *testing.T) {
	seed := func(clamps bool) int64 {
		return seedWith(t, false, func(r Reading) bool { return r.ClampsLimit == clamps && !r.HidesUnsubmitted && !r.ShortPages })
	}
	strict, clamping := newClient(t, Options{Seed: seed(false)}), newClient(t, Options{Seed: seed(true)})
	for _, c := range []*client{strict, clamping} {
		c.initiate(oneBatch("b", 3, manyPayouts("r", 120)...))
		for _, limit := range []string{"0", "-1", "ten", "1.5"} {
			refused(t, c.get(bankapi.PathTransfer, "merchant_transfer_batch_id", "b", "limit", limit), 400)
		}
		if n := len(accepted(t, c.get(bankapi.PathTransfer, "merchant_transfer_batch_id", "b", "limit", "100")).Payouts); n != 100 {
			t.Errorf("limit 100 gave %d", n)
		}
	}
	refused(t, strict.get(bankapi.PathTransfer, "merchant_transfer_batch_id", "b", "limit", "101"), 400)
	g := clamping.get(bankapi.PathTransfer, "merchant_transfer_batch_id", "b", "limit", "101")
	if n := len(accepted(t, g).Payouts); n != 100 || g.env.Meta.Pagination.Limit != 100 {
		t.Errorf("limit 101 gave %d, %+v", n, g.env.Meta.Pagination)
	}
}

func TestACursorBelongsToItsListing(t *testing.T) {
	c := newClient(t, Options{Seed: seedWith(t, false, func(r Reading) bool { return !r.HidesUnsubmitted })})
	c.initiate(oneBatch("b1", 3, manyPayouts("r", 30)...))
	c.initiate(oneBatch("b2", 3, manyPayouts("s", 30)...))
	g := c.get(bankapi.PathTransfer, "merchant_transfer_batch_id", "b1", "limit", "5")
	next := *g.env.Meta.Pagination.NextCursor
	accepted(t, c.get(bankapi.PathTransfer, "merchant_transfer_batch_id", "b1", "limit", "6", "cursor", next))
	refused(t, c.get(bankapi.PathTransfer, "merchant_transfer_batch_id", "b2", "limit", "5", "cursor", next), 400)
	refused(t, c.get(bankapi.PathBalance, "cursor", next), 400)
	for _, bad := range []string{"!", "NQ==", next[:len(next)-4]} {
		refused(t, c.get(bankapi.PathTransfer, "merchant_transfer_batch_id", "b1", "cursor", bad), 400)
	}
}

func TestStatusFilters(t *testing.T) {
	c := newClient(t, Options{Seed: seedWith(t, false, func(r Reading) bool { return !r.HidesUnsubmitted })})
	c.initiate(oneBatch("b1", 3, manyPayouts("r", 3)...))
	c.initiate(oneBatch("b2", 3, manyPayouts("s", 3)...))
	txn := c.payout("r-002").OpenTxnID
	tests := []struct {
		name  string
		query []string
		want  []string
	}{
		{"by reference", []string{"merchant_transfer_batch_id", "b1", "merchant_txn_ref_id", "r-003"}, []string{"r-003"}},
		{"by open_txn_id", []string{"open_txn_id", txn}, []string{"r-002"}},
		{"by batch and open_txn_id", []string{"merchant_transfer_batch_id", "b1", "open_txn_id", txn}, []string{"r-002"}},
		{"of another batch", []string{"merchant_transfer_batch_id", "b2", "open_txn_id", txn}, nil},
		{"a reference of another batch", []string{"merchant_transfer_batch_id", "b2", "merchant_txn_ref_id", "r-003"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var refs []string
			for _, p := range accepted(t, c.get(bankapi.PathTransfer, tt.query...)).Payouts {
				refs = append(refs, p.WireRef)
			}
			if !slices.Equal(refs, tt.want) {
				t.Errorf("got %v, want %v", refs, tt.want)
			}
		})
	}
	refused(t, c.get(bankapi.PathTransfer, "merchant_txn_ref_id", "r-001"), 400)
	refused(t, c.get(bankapi.PathTransfer), 400)
}

func TestUnsubmittedBatchesAreListedOrHidden(t *testing.T) {
	for _, hides := range []bool{true, false} {
		seed := seedWith(t, false, func(r Reading) bool { return r.HidesUnsubmitted == hides })
		c := newClient(t, Options{Seed: seed})
		c.initiate(oneBatch("b", 3, onePayout("r1", "10.00")))
		c.settle(1)
		if n := c.state().NotSubmitted; n != 1 {
			t.Errorf("%d batches wait for their OTP", n)
		}
		g := c.get(bankapi.PathTransfer, "merchant_transfer_batch_id", "b")
		if hides && c.s.bank.reading.UnknownStatus == 200 {
			if p := accepted(t, g).Payouts; len(p) != 0 {
				t.Errorf("payouts %+v", p)
			}
		} else if hides {
			refused(t, g, c.s.bank.reading.UnknownStatus)
		} else if p := accepted(t, g).Payouts[0]; p.Status != "request_initiated" || p.Amount != "10.00" {
			t.Errorf("payout %+v", p)
		}
		c.submit("b")
		accepted(t, c.get(bankapi.PathTransfer, "merchant_transfer_batch_id", "b"))
	}
}
