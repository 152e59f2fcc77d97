package desk

import (
	"net/http"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// slowRow is one with how late it is at this moment: that needs no event.
type slowRow struct {
	app.Slow
	Late ledger.Late
}

// showUnderWay shows what is on its way, and follows it.
func showUnderWay(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	call := d.call(s, "status")
	st, err := d.app.Overview(r.Context(), call)
	if err != nil {
		return err
	}
	now, err := d.app.UnderWay(r.Context(), call, st.Status, st.InFlight)
	if err != nil {
		return err
	}
	var slowest []slowRow
	for _, b := range now.Slowest {
		slowest = append(slowest, slowRow{b, d.app.Late(b.Batch)})
	}
	return d.show(w, r, s, http.StatusOK, "underway", view{Title: "Under way", Live: true, Data: struct {
		app.UnderWay
		Slowest []slowRow
		Asked   string // when the bank was asked last
	}{now, slowest, d.poller.last()}})
}
