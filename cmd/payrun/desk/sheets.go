package desk

import (
	"net/http"
	"slices"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// asked is a batch with what it asks for.
type asked struct {
	ledger.Batch
	Asks ledger.AttentionRow
}

func rowsOf(batches []ledger.Batch) []asked {
	list := make([]asked, len(batches))
	for i, b := range batches {
		row, _ := b.Asks().Row()
		list[i] = asked{b, row}
	}
	return list
}

func idsOf(batches []ledger.Batch) []string {
	ids := make([]string, len(batches))
	for i, b := range batches {
		ids[i] = b.ID
	}
	return ids
}

// sheetsData is what the page of all sheets shows.
type sheetsData struct {
	Sheets    []ledger.Sheet
	Waiting   []app.Upload // of this person
	MayLoad   bool
	Discarded bool // one was just now
}

func listSheets(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	all, err := d.app.Sheets(r.Context(), d.call(s, "sheets"))
	if err != nil {
		return err
	}
	slices.Reverse(all) // newest first
	data := sheetsData{Sheets: all, MayLoad: s.person.Can(ledger.RoleLoad), Discarded: r.URL.Query().Has("discarded")}
	if data.MayLoad {
		data.Waiting = d.uploads.Of(s.person.Name)
	}
	return d.show(w, r, s, http.StatusOK, "sheets", view{Title: "Sheets", Live: true, Data: data})
}

func showSheet(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	if isUpload(r.PathValue("id")) {
		return d.waitingSheet(w, r, s)
	}
	story, err := d.app.Sheet(r.Context(), d.call(s, "sheet"), r.PathValue("id"))
	if err != nil {
		return err
	}
	return d.show(w, r, s, http.StatusOK, "sheet", view{Title: "Sheet " + ledger.Plain(story.Name), Live: true, Data: struct {
		ledger.Sheet
		Batches []asked
		MayLoad bool
		Job     *jobView
	}{story.Sheet, rowsOf(story.Batches), s.person.Can(ledger.RoleLoad), d.follow(w, "/sheets/"+story.ID, idsOf(story.Batches)...)}})
}

// batchData is what the page of a batch shows.
type batchData struct {
	app.BatchStory
	Job      *jobView
	Steps    []app.Hint
	Attempts []attempt
	More     int // payouts that are not shown
}

// attempt is one with what it asks for.
type attempt struct {
	ledger.Attempt
	Asks ledger.AttentionRow
}

// mostRows is how many payouts one page shows.
const mostRows = 500

func showBatch(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	story, err := d.app.Batch(r.Context(), d.call(s, "batch"), r.PathValue("id"))
	if err != nil {
		return err
	}
	data := batchData{BatchStory: story, Job: d.follow(w, "/batches/"+story.Batch.ID, story.Batch.ID)}
	for _, n := range story.Asks.Next {
		if n.Names == ledger.NamesBatch {
			data.Steps = append(data.Steps, app.Do(n.Args(story.Batch.ID)...))
		}
	}
	for i, at := range story.Attempts {
		if i == mostRows {
			data.More = len(story.Attempts) - i
			break
		}
		row, _ := at.Asks(story.Batch).Row()
		data.Attempts = append(data.Attempts, attempt{at, row})
	}
	return d.show(w, r, s, http.StatusOK, "batch", view{Title: "Batch " + ledger.ShortID(story.Batch.ID), Live: true, Data: data})
}
