package sandbox

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/submitter/bankapi"
)

func TestARestartForgetsNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.json")
	first := newClient(t, Options{StateFile: file})
	first.must("POST", "/outcomes", `{"r-002":"stuck"}`)
	first.initiate(oneBatch("b", 1, manyPayouts("r", 30)...))
	first.initiate(oneBatch("held", 1, onePayout("h1", "5.00")))
	right := first.submission("held")
	first.submit("b")
	first.settle(2)
	before, keys := first.state(), first.ready
	must(t, first.s.Close())

	second := newClient(t, Options{StateFile: file})
	if diff := cmp.Diff(before, second.state()); diff != "" {
		t.Errorf("state (-before +after the restart):\n%s", diff)
	}
	if second.ready.AccessKey != keys.AccessKey || second.ready.SecretKey != keys.SecretKey || second.ready.Seed != keys.Seed {
		t.Error("keys or seed changed")
	}
	refused(t, second.post(bankapi.PathTransferInitiate, oneBatch("b", 1, onePayout("x", "1.00"))), second.s.bank.reading.UsedStatus)
	refused(t, second.post(bankapi.PathTransferInitiate, oneBatch("c", 1, onePayout("h1", "1.00"))), second.s.bank.reading.UsedStatus)
	accepted(t, second.post(bankapi.PathTransferSubmit, right))
	second.settle(6)
	if s := second.state(); s.Executed.Count != 30 || s.Open.Count != 1 || len(s.PaidTwice) != 0 {
		t.Errorf("executed %+v, open %+v, twice %v", s.Executed, s.Open, s.PaidTwice)
	}
}

// What the bank did is on disk before anyone is informed, so a kill at any point
// loses nothing that was answered.
func TestTheStateFileIsAheadOfTheAnswer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.json")
	c := newClient(t, Options{Seed: 4, StateFile: file})
	kept := func() (k book) {
		raw, err := os.ReadFile(file)
		must(t, err)
		must(t, json.Unmarshal(raw, &k))
		return k
	}
	if k := kept(); k.SecretKey != c.ready.SecretKey {
		t.Error("a fresh sandbox is not kept")
	}
	c.initiate(oneBatch("b", 3, onePayout("r1", "1.00")))
	if k := kept(); len(k.Batches) != 1 || k.Batches[0].Submits != 0 {
		t.Errorf("after initiate: %+v", k.Batches)
	}
	refused(t, c.post(bankapi.PathTransferSubmit, c.submission("b").with("otp", "no")), 400)
	if k := kept(); k.Batches[0].WrongOTPs != 1 {
		t.Error("a wrong OTP is not kept")
	}
	c.submit("b")
	if k := kept(); k.Batches[0].Submits != 1 {
		t.Error("a submit is not kept")
	}
	c.settle(6)
	if k := kept(); k.Batches[0].Payouts[0].Executed != 1 {
		t.Error("an execution is not kept")
	}
	c.must("POST", "/outcomes", `{"r1":"returned"}`)
	if k := kept(); k.Outcomes["r1"] != "returned" {
		t.Error("an outcome is not kept")
	}
	files, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(files) != 1 {
		t.Errorf("files left next to the state: %v, %v", files, err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v: it holds OTPs and keys", info.Mode(), err)
	}
}

func TestAStateThatCannotBeKeptIsSaid(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	must(t, os.Mkdir(dir, 0o700))
	s, err := Start(t.Context(), Options{Now: time.Now, Seed: 4, StateFile: filepath.Join(dir, "state.json")})
	must(t, err)
	must(t, os.RemoveAll(dir))
	c := &client{t: t, ready: s.Ready(), s: s, http: newHTTPClient(t)}
	refused(t, c.post(bankapi.PathTransferInitiate, oneBatch("b", 3, onePayout("r1", "1.00"))), 500)
	if status, _ := c.control("POST", "/settle", ""); status != 500 {
		t.Errorf("settle: HTTP %d", status)
	}
	if err := s.SetOutcomes(map[string]string{"r1": "failed"}); err == nil {
		t.Error("outcomes that are not kept are not said")
	}
	if err := s.Close(); err == nil {
		t.Error("close says nothing")
	}
}

func TestAnotherSeedReadsTheSameStateDifferently(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.json")
	first := newClient(t, Options{Seed: 4, StateFile: file})
	first.initiate(oneBatch("b", 3, onePayout("r1", "1.00")))
	right := first.submission("b")
	must(t, first.s.Close())
	second := newClient(t, Options{Seed: 5, StateFile: file})
	if second.ready.Seed != 5 || second.state().Reading != ReadingFor(5, false) {
		t.Error("the seed that was asked for does not decide")
	}
	if second.ready.SecretKey != first.ready.SecretKey {
		t.Error("the keys changed")
	}
	accepted(t, second.post(bankapi.PathTransferSubmit, right))
}
