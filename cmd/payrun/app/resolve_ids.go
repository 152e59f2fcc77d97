package app

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"payrun/ledger"
)

// theOne finds the only id that a person's word names: the whole of it, or enough
// of its beginning. what is the kind of thing, and list the view that shows them.
func theOne(word, what, list string, ids []string) (string, error) {
	var found []string
	for _, id := range ids {
		if id == word {
			return id, nil
		}
		if ledger.BeginsID(word, id) {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", Fail(Usage, "there is no %s %q; nothing was sent", what, ledger.Plain(word)).Because(ledger.ErrNotFound).
			Then(Do(list).Which("lists them; the beginning of an id is enough, from %d characters after its two letters on", ledger.ShortestID))
	}
	const few = 5
	return "", Fail(Usage, "%d of the kind %s begin with %q; nothing was sent", len(found), what, ledger.Plain(word)).
		Then(Say("say more of it: %s", strings.Join(found[:min(few, len(found))], ", ")))
}

// batchIDs gives the whole ids of batches that a person named.
func (o *operation) batchIDs(ctx context.Context, words []string) ([]string, error) {
	if len(words) == 0 {
		return nil, nil
	}
	out := make([]string, len(words))
	for i, word := range words {
		named, err := o.store.BatchIDs(ctx, word)
		if err != nil {
			return nil, err
		}
		if out[i], err = theOne(word, "batch", "status", named); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sheetID gives the whole id of a sheet that a person named: by its id, or its file name. Of several with
// one name it is the newest, and says so.
func (o *operation) sheetID(ctx context.Context, word string) (string, error) {
	all, err := o.store.Sheets(ctx)
	if err != nil {
		return "", err
	}
	known := make([]string, len(all))
	for i, s := range all {
		known[i] = s.ID
	}
	id, err := theOne(word, "sheet", "sheets", known)
	if !errors.Is(err, ledger.ErrNotFound) {
		return id, err
	}
	named := slices.DeleteFunc(all, func(s ledger.Sheet) bool { return s.Name != filepath.Base(word) })
	if len(named) == 0 {
		return "", err
	}
	newest := named[len(named)-1] // in the order of loading
	if len(named) > 1 {
		o.warn("%d sheets have the name %s; this is about the newest, %s, loaded %s", len(named), ledger.Plain(newest.Name), newest.ID, o.set.Clock(newest.LoadedAt))
	}
	return newest.ID, nil
}

// sheetOrBatchID gives the whole id of what a person named. What is neither comes
// back as it is.
func (o *operation) sheetOrBatchID(ctx context.Context, word string) string {
	if id, err := o.sheetID(ctx, word); err == nil {
		return id
	}
	if ids, err := o.batchIDs(ctx, []string{word}); err == nil {
		return ids[0]
	}
	return word
}
