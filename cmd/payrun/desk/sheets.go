package desk

import (
	"net/http"
	"strconv"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

func idsOf(batches []ledger.Batch) []string {
	ids := make([]string, len(batches))
	for i, b := range batches {
		ids[i] = b.ID
	}
	return ids
}

// sheetsData is what the page of all sheets shows.
type sheetsData struct {
	Lines     []sheetLine  // newest first, as many as one page shows
	Before    int          // how many are shown before these
	Next      int          // before how many the next are; 0 where none are
	Waiting   []app.Upload // of this person
	Discarded bool         // one was just now
}

// sheetRows is how many sheets one page shows.
const sheetRows = 100

func listSheets(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	all, err := d.app.SheetStandings(r.Context(), d.call(s, "sheets"))
	if err != nil {
		return err
	}
	before, _ := strconv.Atoi(r.URL.Query().Get("after"))
	before = max(0, min(before, len(all)))
	upTo := min(before+sheetRows, len(all))
	data := sheetsData{Before: before, Discarded: r.URL.Query().Has("discarded")}
	for _, st := range all[before:upTo] {
		data.Lines = append(data.Lines, lineOf(st, s.person))
	}
	if upTo < len(all) {
		data.Next = upTo
	}
	if s.person.Can(ledger.RoleLoad) {
		data.Waiting = d.uploads.Of(s.person.Name)
	}
	return d.show(w, r, s, http.StatusOK, "sheets", view{Title: "Sheets", Live: true, Data: data})
}

// batchRows is how many batches of a sheet one page shows.
const batchRows = 200

// sheetData is what the page of a loaded sheet shows.
type sheetData struct {
	app.SheetStory
	Plan   []ledger.Batch // its batches, as many as one page shows
	First  bool           // they are the first
	Next   int            // behind how many of them the next are; 0 where none are
	Job    *jobView
	Review *review
	Can    *steps
	Words  *sheetWords

	SentBack *ledger.Event // the newest that sent it back; nil for none
}

func showSheet(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	if isUpload(r.PathValue("id")) {
		return d.waitingSheet(w, r, s)
	}
	return d.sheetPage(w, r, s, http.StatusOK, "")
}

// sheetPage is the page of a sheet; wrong is what was wrong in its form.
func (d *desk) sheetPage(w http.ResponseWriter, r *http.Request, s *session, status int, wrong string) error {
	story, err := d.app.Sheet(r.Context(), d.call(s, "sheet"), r.PathValue("id"))
	if err != nil {
		return err
	}
	page := "/sheets/" + story.ID
	after, _ := strconv.Atoi(r.URL.Query().Get("after")) // else from the first on
	after = max(0, min(after, len(story.Batches)))
	shown := story.Batches[after:min(after+batchRows, len(story.Batches))]
	data := sheetData{SheetStory: story, Plan: shown, First: after == 0}
	if data.Job, err = d.follow(w, r, s, page, story.Batches); err != nil {
		return err
	}
	if after += len(shown); after < len(story.Batches) {
		data.Next = after
	}
	if data.Review, err = d.reviewOf(r, s, page, ledger.Filter{SheetID: story.ID}, data.Job.busy(), wrong); err != nil {
		return err
	}
	if data.Words, err = d.wordsOf(r, s, &data.SheetStory, data.Review, data.Job.busy()); err != nil {
		return err
	}
	for i := range story.Said {
		if story.Said[i].Kind == ledger.EventSentBack {
			data.SentBack = &story.Said[i]
		}
	}
	if !data.Job.busy() {
		data.Can = &steps{Page: page}
		if may(s.person, "retry") {
			list, err := d.app.Retryable(r.Context(), d.call(s, "retry"), story.ID)
			if err != nil {
				return err
			}
			if data.Can.Retry, err = retryOf(s.person, list); err != nil {
				return err
			}
		}
	}
	return d.show(w, r, s, status, "sheet", view{Title: ledger.Plain(story.Name), Live: true, Data: data})
}

// batchData is what the page of a batch shows.
type batchData struct {
	app.BatchStory
	Job      *jobView
	Review   *review
	Can      *steps
	Steps    []app.Hint
	Attempts []attempt
	More     int // payouts that are not shown
}

// attempt is one with what it asks for.
type attempt struct {
	ledger.Attempt
	Asks ledger.Attention
}

// mostRows is how many payouts one page shows.
const mostRows = 500

func showBatch(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	return d.batchPage(w, r, s, http.StatusOK, "")
}

// batchPage is the page of a batch; wrong is what was wrong in its form.
func (d *desk) batchPage(w http.ResponseWriter, r *http.Request, s *session, status int, wrong string) error {
	story, err := d.app.Batch(r.Context(), d.call(s, "batch"), r.PathValue("id"))
	if err != nil {
		return err
	}
	data, page := batchData{BatchStory: story}, "/batches/"+story.Batch.ID
	if data.Job, err = d.follow(w, r, s, page, []ledger.Batch{story.Batch}); err != nil {
		return err
	}
	if data.Review, err = d.reviewOf(r, s, page, ledger.Filter{BatchID: story.Batch.ID}, data.Job.busy(), wrong); err != nil {
		return err
	}
	if !data.Job.busy() {
		if data.Can, err = d.stepsOf(r, s, story.Batch); err != nil {
			return err
		}
	}
	for _, n := range story.Asks.Next {
		if n.Names == ledger.NamesBatch {
			data.Steps = append(data.Steps, app.Do(n.Args(story.Batch.ID)...))
		}
	}
	shown := story.Attempts[:min(mostRows, len(story.Attempts))]
	data.More = len(story.Attempts) - len(shown)
	for _, at := range shown {
		data.Attempts = append(data.Attempts, attempt{at, at.Asks(story.Batch)})
	}
	return d.show(w, r, s, status, "batch", view{Title: "Batch " + ledger.ShortID(story.Batch.ID), Live: true, Data: data})
}
