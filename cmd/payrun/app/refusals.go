package app

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"payrun/ledger"
)

// refusals are those of the sheets of one command.
type refusals struct {
	of  []string // their names
	all []*Error
}

func (r *refusals) add(s *Sheet, skipBad bool) {
	r.of, r.all = append(r.of, ledger.Plain(cmp.Or(s.Sheet.Name, s.Path))), append(r.all, s.refusal(skipBad))
}

// with joins them and whatever broke the command off; nil where there is nothing. One
// of them is shown, and names the other sheets.
func (r *refusals) with(broke error) error {
	const few = 5
	var errs []error
	for i, e := range r.all {
		if others := len(r.all) - 1; others > 0 {
			names := slices.Delete(slices.Clone(r.of), i, i+1)
			if len(names) > few {
				names = append(names[:few], "…")
			}
			also := Say("%s a look: %s", ledger.Counted(others, "more sheet needs", "more sheets need"), strings.Join(names, ", "))
			e.Next = append([]Hint{also}, e.Next...)
		}
		errs = append(errs, e)
	}
	return errors.Join(append(errs, broke)...)
}
