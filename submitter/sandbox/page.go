package sandbox

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"payrun/submitter/bankapi"
)

// pageMost is the largest limit (interface.md, "Limits"). The interface shows none for the sub-merchant list;
// it gets the same.
const pageMost = 100

// listing returns what a cursor belongs to: the operation and its filters.
func (r request) listing() string {
	rest := maps.Clone(r.query)
	maps.DeleteFunc(rest, func(name string, _ []string) bool { return name == "cursor" || name == "limit" || name == "offset" })
	return r.name + "?" + rest.Encode()
}

// page answers with one page of all. It refuses a cursor of another listing. An empty page is an empty list, not
// null, if all is not nil.
func page[T any](b *bank, r request, all []T, data func(shown []T) any) *answer {
	limit, refused := b.limit(r)
	if refused != nil {
		return refused
	}
	start := r.offset
	if c := r.query.Get("cursor"); c != "" {
		if start = b.position(r, c); start < 0 {
			return r.refuse(http.StatusBadRequest, "cursor is not one of this listing")
		}
	}
	start = min(start, len(all))
	size := limit
	if b.reading.ShortPages { // as little as half of it
		size -= b.dice.roll(limit/2+1, "page", r.listing(), strconv.Itoa(start))
	}
	end := min(start+size, len(all))
	full := b.reading.EmptyLastPage && end-start == limit
	p := &bankapi.Pagination{Cursor: b.cursor(r, start), Limit: limit, HasMore: end < len(all) || full}
	if p.HasMore {
		p.NextCursor = new(b.cursor(r, end))
	}
	return answered(data(all[start:end]), p)
}

func (b *bank) limit(r request) (int, *answer) {
	raw := r.query.Get("limit")
	if raw == "" {
		return r.perPage, nil
	}
	limit, err := strconv.Atoi(raw)
	switch {
	case err != nil || limit < 1:
		return 0, r.refuse(http.StatusBadRequest, "limit must be a whole number from 1 to %d", pageMost)
	case limit > pageMost && !b.reading.ClampsLimit:
		return 0, r.refuse(http.StatusBadRequest, "limit must be at most %d", pageMost)
	}
	return min(limit, pageMost), nil
}

// cursor returns opaque base64 (interface.md, "Limits"): a position, and a seal over it and the listing.
func (b *bank) cursor(r request, position int) string {
	at := strconv.Itoa(position)
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%s>>%s??", at, b.dice.text(10, "cursor", r.listing(), at)))
}

// position returns the position of a cursor, or -1.
func (b *bank) position(r request, cursor string) int {
	raw, err := base64.StdEncoding.DecodeString(cursor)
	if err != nil {
		return -1
	}
	at, _, _ := strings.Cut(string(raw), ">>")
	n, err := strconv.Atoi(at)
	if err != nil || n < 0 || b.cursor(r, n) != cursor {
		return -1
	}
	return n
}
