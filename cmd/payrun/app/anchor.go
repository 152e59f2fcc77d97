package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

// anchor is the head of the audit trail as a report or an export recorded it, on
// another machine perhaps: the ledger must still contain it.
type anchor struct {
	file string
	head ledger.AuditHead
}

// mostLine bounds a line of an anchor's file, in bytes: the lines of an export have pieces of sheets,
// and a report has several lines.
const mostLine = 1 << 20

// readAnchor takes the head from reconciliation.json, or from the last line of
// an export.
func readAnchor(path string) (anchor, error) {
	a := anchor{file: path}
	f, err := os.Open(path)
	if err != nil {
		return a, Fail(Usage, "%s cannot be read: %v", path, config.Reason(err)).Because(err)
	}
	defer f.Close()
	var doc struct {
		Schema string            `json:"schema"`
		Audit  *ledger.AuditHead `json:"audit"`
	}
	in := bufio.NewReaderSize(f, mostLine)
	first, _ := in.Peek(64)
	if bytes.Contains(first, []byte(`"type":"ledger"`)) { // an export
		var last []byte
		lines := bufio.NewScanner(in)
		lines.Buffer(make([]byte, 0, 64<<10), mostLine)
		for lines.Scan() {
			last = append(last[:0], lines.Bytes()...)
		}
		err = errors.Join(lines.Err(), json.Unmarshal(last, &doc))
	} else {
		err = json.NewDecoder(io.LimitReader(in, 1<<30)).Decode(&doc)
	}
	if err != nil || doc.Audit == nil || doc.Audit.Length < 1 || doc.Audit.Hash == "" {
		return a, Fail(Usage, "%s has no head of an audit trail: it is no whole reconciliation.json of a report, and no whole export", path).Because(err).
			Then(Say("name the reconciliation.json of a report, or a file that payrun ledger export wrote"))
	}
	a.head = *doc.Audit
	return a, nil
}

// missing tells what of the anchor the ledger does not contain, or nothing.
func (o *operation) missing(ctx context.Context, a anchor) ([]Problem, error) {
	var at ledger.Event
	err := o.store.EventsBetween(ctx, a.head.Length-1, a.head.Length, func(e ledger.Event) error {
		at = e
		return nil
	})
	if err != nil || at.Hash == a.head.Hash {
		return nil, err
	}
	why := fmt.Sprintf("its event %d is not the one in %s: the audit trail was rewritten, or this is another ledger", a.head.Length, a.file)
	if at.Seq == 0 {
		why = fmt.Sprintf("it has no event %d, which %s tells of: it is older than that", a.head.Length, a.file)
	}
	return []Problem{{Kind: ledger.ProblemBehind, Invariant: 18, What: "the ledger contains what a report or an export recorded of its audit trail", Detail: why}}, nil
}
