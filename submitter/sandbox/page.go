package sandbox

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"payrun/submitter/bankapi"
)

// Page sizes (interface.md, "Limits"). The maximum of the sub-merchant list is
// not shown; it gets that of the others.
const (
	pageDefault            = 25
	pageMost               = 100
	subMerchantPageDefault = 10
)

// page cuts one page out of all. The cursor is bound to the operation and its
// filters: with others it is refused.
func page[T any](b *bank, all []T, q url.Values, op, code string, perPage int) ([]T, *bankapi.Pagination, *refusal) {
	limit, refused := b.limit(q, code, perPage)
	if refused != nil {
		return nil, nil, refused
	}
	listing := op + "?" + filters(q)
	start := 0
	if c := q.Get("cursor"); c != "" {
		if start = b.position(listing, c); start < 0 {
			return nil, nil, refuse(http.StatusBadRequest, code, "cursor is not one of this listing")
		}
	}
	start = min(start, len(all))
	end := min(start+b.pageSize(listing, start, limit), len(all))
	p := &bankapi.Pagination{Cursor: b.cursor(listing, start), Limit: limit, HasMore: end < len(all)}
	if p.HasMore {
		next := b.cursor(listing, end)
		p.NextCursor = &next
	}
	return append([]T{}, all[start:end]...), p, nil
}

func (b *bank) limit(q url.Values, code string, perPage int) (int, *refusal) {
	raw := q.Get("limit")
	if raw == "" {
		return perPage, nil
	}
	limit, err := strconv.Atoi(raw)
	switch {
	case err != nil || limit < 1:
		return 0, refuse(http.StatusBadRequest, code, "limit must be a whole number from 1 to %d", pageMost)
	case limit > pageMost && !b.reading.ClampsLimit:
		return 0, refuse(http.StatusBadRequest, code, "limit must be at most %d", pageMost)
	}
	return min(limit, pageMost), nil
}

// pageSize is the limit, or by seed down to half of it.
func (b *bank) pageSize(listing string, start, limit int) int {
	if !b.reading.ShortPages {
		return limit
	}
	return limit - b.dice.roll(limit/2+1, "page", listing, strconv.Itoa(start))
}

// filters is the query without what moves through the pages.
func filters(q url.Values) string {
	rest := url.Values{}
	for name, values := range q {
		if name != "cursor" && name != "limit" && name != "offset" {
			rest[name] = values
		}
	}
	return rest.Encode()
}

// cursor is opaque base64 (interface.md, "Limits"): a position, and a seal
// over it and the listing.
func (b *bank) cursor(listing string, position int) string {
	at := strconv.Itoa(position)
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%s>>%s??", at, b.dice.text(10, "cursor", listing, at)))
}

// position returns where a cursor points, or -1.
func (b *bank) position(listing, cursor string) int {
	raw, err := base64.StdEncoding.DecodeString(cursor)
	if err != nil {
		return -1
	}
	at, _, _ := strings.Cut(string(raw), ">>")
	n, err := strconv.Atoi(at)
	if err != nil || n < 0 || b.cursor(listing, n) != cursor {
		return -1
	}
	return n
}
