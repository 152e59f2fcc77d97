package bankapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"payrun/ledger"
)

// pageSize is what is asked for: the most a list operation gives
// (interface.md, "Limits"). A page may hold fewer.
const pageSize = 100

// mostListPages bounds a list whose length is not known beforehand.
const mostListPages = 1000

var (
	errNoPagination = errors.New("the answer has no meta.pagination")
	errLast         = errors.New("no page follows") // what take returns of a page behind which none can follow
)

// list is what an operation at {base_url} lists, and how it is asked for.
type list struct {
	op, path string
	query    url.Values
	patience ledger.Patience // 0 for ledger.Patient
	most     int             // pages; 0 for mostListPages
}

// eachPage reads every page of a list and gives it to take. It refuses pages that do not
// close properly (interface.md, "Limits": next_cursor is null when there are no more).
func eachPage[T any](ctx context.Context, c *Client, l list, take func(T, Meta) error) error {
	l.query.Set("limit", strconv.Itoa(pageSize))
	most, seen := cmp.Or(l.most, mostListPages), map[string]bool{}
	for range most {
		data, meta, callErr := get[T](ctx, c, cmp.Or(l.patience, ledger.Patient), l.op, c.base+l.path, l.query)
		if callErr != nil {
			return callErr
		}
		if err := take(data, meta); err != nil {
			return err
		}
		cursor, err := meta.Pagination.next()
		switch {
		case err != nil || cursor == "":
			return err
		case seen[cursor]:
			return errors.New("the same next_cursor came twice")
		}
		seen[cursor] = true
		l.query.Set("cursor", cursor)
	}
	return fmt.Errorf("there are more than %d pages", most)
}

// next returns the cursor of the next page, or "" when this was the last one.
func (p *Pagination) next() (string, error) {
	if p == nil {
		return "", errNoPagination
	}
	cursor := ""
	if p.NextCursor != nil {
		cursor = *p.NextCursor
	}
	switch {
	case !p.HasMore && cursor != "":
		return "", errors.New("has_more is false, yet there is a next_cursor")
	case p.HasMore && cursor == "":
		return "", errors.New("has_more is true, but there is no next_cursor")
	}
	return cursor, nil
}

// listed collects what every page of a list has. Every error is a *ledger.CallError;
// with one, nothing is returned.
func listed[P, T any](ctx context.Context, c *Client, l list, of func(P) ([]T, error)) (all []T, err error) {
	err = eachPage(ctx, c, l, func(page P, _ Meta) error {
		some, err := of(page)
		all = append(all, some...)
		return err
	})
	if err != nil {
		return nil, listError(l.op, err)
	}
	return all, nil
}

// listError is for a list whose answer is not as the interface shows it. A
// *ledger.CallError stays what it is.
func listError(op string, err error) error {
	if call, ok := errors.AsType[*ledger.CallError](err); ok {
		return call
	}
	return &ledger.CallError{Op: op, Outcome: ledger.Unknown, HTTPStatus: 200, Err: err}
}
