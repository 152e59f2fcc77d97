package desk

import (
	"net/http"

	"payrun/cmd/payrun/app"
)

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
	return d.show(w, r, s, http.StatusOK, "underway", view{Title: "In progress", Live: true, Data: struct {
		app.UnderWay
		Asked string // when the bank was asked last
	}{now, d.poller.last()}})
}
