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
	Asked  url.Values // the filters, as typed
	Head   ledger.AuditHead
	Events []ledger.Event
	Older  string // address of the older events; "" if there are none
	Newest string // address of the newest events; "" if these are shown
}

// All returns the address of the newest events that the filters select.
func (l logData) All() string { return addressWith("/log", l.Asked, "before", "") }

func showLog(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	data := logData{Asked: r.URL.Query()}
	asked := func(name string) string { return strings.TrimSpace(data.Asked.Get(name)) }
	f := ledger.EventFilter{Actor: asked("person"), About: asked("about"), Kind: strings.ToLower(strings.ReplaceAll(asked("kind"), " ", "_")), Most: logRows + 1}
	f.Before, _ = strconv.ParseInt(asked("before"), 10, 64) // else 0: the newest
	var err error
	if f.Since, f.Until, err = app.Days(asked("since"), asked("until"), d.set.Timezone.At); err != nil {
		visitorOf(r).wrong = sentence(app.Worst(err).What)
		return d.show(w, r, s, "log", view{Status: http.StatusUnprocessableEntity, Title: "Log", Data: data})
	}
	data.Head = visitorOf(r).look.Head
	if data.Events, err = d.app.Events(r.Context(), d.call(s, "log"), f); err != nil {
		return err
	}
	if len(data.Events) > logRows {
		data.Events = data.Events[:logRows]
		data.Older = addressWith("/log", data.Asked, "before", strconv.FormatInt(data.Events[logRows-1].Seq, 10))
	}
	if f.Before > 0 {
		data.Newest = data.All()
	}
	return d.show(w, r, s, "log", view{Title: "Log", Live: f.Before <= 0, Data: data})
}
