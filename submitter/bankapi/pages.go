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

// pageSize is the limit of each request: the largest that list operations allow (interface.md, "Limits"). A
// page may hold fewer.
const pageSize = 100

// mostListPages bounds a list whose length is not known beforehand.
const mostListPages = 1000

var (
	errNoPagination = errors.New("the answer has no meta.pagination")
	errLast         = errors.New("no page follows") // take returns it for a page that no other can follow
)

// list describes a list operation at {base_url} and its request.
type list struct {
	op, path string
	query    url.Values
	patience ledger.Patience // 0 for ledger.Patient
	most     int             // pages; 0 for mostListPages
}

// eachPage reads every page of a list and passes it to take. It refuses pages that do not close properly
// (interface.md, "Limits": next_cursor is null when there are no more).
func eachPage[T any](ctx context.Context, c *Client, l list, take func(T, Meta) error) error {
	l.query.Set("limit", strconv.Itoa(pageSize))
	most, seen := cmp.Or(l.most, mostListPages), map[string]bool{}
	for range most {
		data, meta, callErr := get[T](ctx, c, cmp.Or(l.patience, ledger.Patient), l.op, c.set.BaseURL+l.path, l.query)
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

// next returns the cursor of the next page, or "" after the last one.
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

// listed returns the elements of all pages of a list. Every error is a *ledger.CallError; then nothing is
// returned.
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

// listError is the error of a list whose answer does not have the interface's form. A *ledger.CallError is
// returned unchanged.
func listError(op string, err error) error {
	if call, ok := errors.AsType[*ledger.CallError](err); ok {
		return call
	}
	return &ledger.CallError{Op: op, Outcome: ledger.Unknown, HTTPStatus: 200, Err: err}
}
