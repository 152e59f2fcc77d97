package desk

import (
	"net/http"
	"slices"
	"strconv"

	"payrun/ledger"
)

// logRows is how many events one page of the audit trail shows.
const logRows = 100

func showLog(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	head, err := d.app.Head(r.Context(), d.call(s, "log"))
	if err != nil {
		return err
	}
	upTo := head.Length
	if before, err := strconv.ParseInt(r.URL.Query().Get("before"), 10, 64); err == nil && before > 0 {
		upTo = min(upTo, before-1)
	}
	after := max(upTo-logRows, 0)
	events, err := d.app.Trail(r.Context(), d.call(s, "log"), after, upTo)
	if err != nil {
		return err
	}
	slices.Reverse(events) // newest first
	return d.show(w, r, s, http.StatusOK, "log", view{Title: "Log", Live: upTo == head.Length, Data: struct {
		Head   ledger.AuditHead
		Events []ledger.Event
		Older  int64 // the event before which older ones are; 0 where there are none
		Newest bool
	}{head, events, map[bool]int64{true: after + 1}[after > 0], upTo == head.Length}})
}
