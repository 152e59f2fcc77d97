package desk

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// logRows is how many events one page of the audit trail shows.
const logRows = 100

// logData is what the log page shows: the audit trail, or the part that the filters select.
type logData struct {
	Person, Kind, About, Since, Until string // the filters, as typed

	Head   ledger.AuditHead
	Events []ledger.Event
	Older  string // address of the older events; "" if there are none
	Newest string // address of the newest events; "" if these are shown
}

// Some reports whether a filter is set.
func (l logData) Some() bool { return l.Person+l.Kind+l.About+l.Since+l.Until != "" }

// page returns the address of the events before one of them; 0 for the newest.
func (l logData) page(before int64) string {
	q := url.Values{"person": {l.Person}, "kind": {l.Kind}, "about": {l.About}, "since": {l.Since}, "until": {l.Until}}
	return pageAt("/log", q, "before", before)
}

func showLog(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	asked := func(name string) string { return strings.TrimSpace(r.URL.Query().Get(name)) }
	data := logData{Person: asked("person"), Kind: asked("kind"), About: asked("about"), Since: asked("since"), Until: asked("until")}
	f := ledger.EventFilter{Actor: data.Person, About: data.About, Kind: strings.ToLower(strings.ReplaceAll(data.Kind, " ", "_")), Most: logRows + 1}
	f.Before, _ = strconv.ParseInt(asked("before"), 10, 64) // else 0: the newest
	var err error
	if f.Since, f.Until, err = app.Days(data.Since, data.Until, d.set.Timezone.At); err != nil {
		visitorOf(r).wrong = sentence(app.Worst(err).What)
		return d.show(w, r, s, "log", view{Status: http.StatusUnprocessableEntity, Title: "Log", Data: data})
	}
	data.Head = visitorOf(r).look.Head
	if data.Events, err = d.app.Events(r.Context(), d.call(s, "log"), f); err != nil {
		return err
	}
	if len(data.Events) > logRows {
		data.Events = data.Events[:logRows]
		data.Older = data.page(data.Events[logRows-1].Seq)
	}
	if f.Before > 0 {
		data.Newest = data.page(0)
	}
	return d.show(w, r, s, "log", view{Title: "Log", Live: f.Before <= 0, Data: data})
}
