package app

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"payrun/ledger"
	"payrun/validate"
)

// mistaken is a ledger whose history has a mistake in it.
type mistaken struct{ store }

func (mistaken) UsedReferences(context.Context, []string) (map[string]ledger.ReferenceUse, error) {
	panic("a mistake")
}

// What goes wrong in judging a sheet goes wrong for the person who asked, who can recover from
// it: one sheet does not end a desk.
func TestAPanicOverASheetIsOneOfWhoAsked(t *testing.T) {
	d := newDesk(t)
	path := drop(t, d.dir, "one.csv", sheetOf("ONE"), 0)
	defer func() {
		if said := fmt.Sprint(recover()); !strings.Contains(said, "a mistake") {
			t.Errorf("it said %q", said)
		}
	}()
	err := d.read(t.Context(), Call{Actor: "maker"}, func(o *operation) error {
		_, err := o.readSheet(t.Context(), path, validate.Options{}, newPendingHistory(mistaken{o.store}), func([]validate.Accepted) error { return nil })
		return err
	})
	t.Errorf("it went on: %v", err)
}
