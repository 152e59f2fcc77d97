package bankapi

import (
	"errors"
	"fmt"
)

// pageSize is what is asked for: the most a list operation gives
// (interface.md, "Limits"). A page may hold fewer.
const pageSize = 100

var errNoPagination = errors.New("the answer has no meta.pagination")

// pager follows the pages of a list and refuses ones that do not close
// properly (interface.md, "Limits": next_cursor is null when there are no more).
type pager struct {
	most  int // pages
	count int
	seen  map[string]bool
}

// next takes the pagination of the page just read. It returns the cursor of
// the next page, or "" when this was the last one.
func (p *pager) next(page *Pagination) (string, error) {
	p.count++
	if page == nil {
		return "", errNoPagination
	}
	cursor := ""
	if page.NextCursor != nil {
		cursor = *page.NextCursor
	}
	switch {
	case !page.HasMore && cursor != "":
		return "", errors.New("has_more is false, yet there is a next_cursor")
	case !page.HasMore:
		return "", nil
	case cursor == "":
		return "", errors.New("has_more is true, but there is no next_cursor")
	case p.seen[cursor]:
		return "", errors.New("the same next_cursor came twice")
	case p.count >= p.most:
		return "", fmt.Errorf("there are more than %d pages", p.most)
	}
	if p.seen == nil {
		p.seen = map[string]bool{}
	}
	p.seen[cursor] = true
	return cursor, nil
}
