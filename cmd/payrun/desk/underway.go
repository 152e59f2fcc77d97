package desk

import (
	"net/http"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

func (d *desk) underWay(r *http.Request, call app.Call) (*app.UnderWay, error) {
	st, err := d.stands(r, call)
	if err != nil {
		return nil, err
	}
	return d.underWays.at(st.Stands, func(*app.UnderWay) (*app.UnderWay, error) {
		now, err := d.app.UnderWay(r.Context(), call, st.Status, st.InFlight)
		return &now, err
	})
}

// slowRow is one with how late it is at this moment: that needs no event.
type slowRow struct {
	app.Slow
	Late ledger.Late
}

// showUnderWay shows what is on its way, and follows it.
func showUnderWay(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	now, err := d.underWay(r, d.call(s, "status"))
	if err != nil {
		return err
	}
	var slowest []slowRow
	for _, b := range now.Slowest {
		slowest = append(slowest, slowRow{b, d.app.Late(b.Batch)})
	}
	return d.show(w, r, s, http.StatusOK, "underway", view{Title: "Under way", Live: true, Data: struct {
		*app.UnderWay
		Slowest []slowRow
		Asked   string // when the bank was asked last
	}{now, slowest, d.poller.last()}})
}
