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

// listing is what is paged: by which operation, and how it was asked for.
type listing struct {
	op, code string
	perPage  int // without a limit
	offset   int // where the first page begins
	query    url.Values
}

// name is what a cursor belongs to: the operation and its filters.
func (l listing) name() string {
	rest := url.Values{}
	for name, values := range l.query {
		if name != "cursor" && name != "limit" && name != "offset" {
			rest[name] = values
		}
	}
	return l.op + "?" + rest.Encode()
}

// list gives one page of all as the wire has it: an empty one is no null.
func list[T, W any](b *bank, all []T, l listing, wire func(T) W) ([]W, *bankapi.Pagination, *answer) {
	got, p, refused := page(b, all, l)
	shown := []W{}
	for _, v := range got {
		shown = append(shown, wire(v))
	}
	return shown, p, refused
}

// page cuts one page out of all. A cursor of another listing is refused.
func page[T any](b *bank, all []T, l listing) ([]T, *bankapi.Pagination, *answer) {
	limit, refused := b.limit(l)
	if refused != nil {
		return nil, nil, refused
	}
	start := l.offset
	if c := l.query.Get("cursor"); c != "" {
		if start = b.position(l, c); start < 0 {
			return nil, nil, refuse(http.StatusBadRequest, l.code, "cursor is not one of this listing")
		}
	}
	start = min(start, len(all))
	end := min(start+b.pageSize(l, start, limit), len(all))
	full := b.reading.EmptyLastPage && end-start == limit
	p := &bankapi.Pagination{Cursor: b.cursor(l, start), Limit: limit, HasMore: end < len(all) || full}
	if p.HasMore {
		next := b.cursor(l, end)
		p.NextCursor = &next
	}
	return all[start:end], p, nil
}

func (b *bank) limit(l listing) (int, *answer) {
	raw := l.query.Get("limit")
	if raw == "" {
		return l.perPage, nil
	}
	limit, err := strconv.Atoi(raw)
	switch {
	case err != nil || limit < 1:
		return 0, refuse(http.StatusBadRequest, l.code, "limit must be a whole number from 1 to %d", pageMost)
	case limit > pageMost && !b.reading.ClampsLimit:
		return 0, refuse(http.StatusBadRequest, l.code, "limit must be at most %d", pageMost)
	}
	return min(limit, pageMost), nil
}

// pageSize is the limit, or by seed down to half of it.
func (b *bank) pageSize(l listing, start, limit int) int {
	if !b.reading.ShortPages {
		return limit
	}
	return limit - b.dice.roll(limit/2+1, "page", l.name(), strconv.Itoa(start))
}

// cursor is opaque base64 (interface.md, "Limits"): a position, and a seal
// over it and the listing.
func (b *bank) cursor(l listing, position int) string {
	at := strconv.Itoa(position)
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%s>>%s??", at, b.dice.text(10, "cursor", l.name(), at)))
}

// position returns where a cursor points, or -1.
func (b *bank) position(l listing, cursor string) int {
	raw, err := base64.StdEncoding.DecodeString(cursor)
	if err != nil {
		return -1
	}
	at, _, _ := strings.Cut(string(raw), ">>")
	n, err := strconv.Atoi(at)
	if err != nil || n < 0 || b.cursor(l, n) != cursor {
		return -1
	}
	return n
}
