package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"payrun/cmd/payrun/config"
)

// knownLedger is a ledger that this user used on this machine: a line of the list that init reads. Two ledgers
// for one merchant do not know what the other has paid.
type knownLedger struct {
	Path        string `json:"path"` // or URL
	Environment string `json:"environment"`
	Merchant    string `json:"sub_merchant_id"`
}

// knownPath returns the path of the list.
func (e Env) knownPath() string { return e.statePath("ledgers.jsonl") }

// statePath returns the path of a file in the user's state folder. "" if there is no such folder;
// then nothing is remembered.
func (e Env) statePath(name string) string {
	state := e.Getenv("XDG_STATE_HOME")
	if state == "" {
		home := e.Getenv("HOME")
		if info, err := os.Stat(home); home == "" || err != nil || !info.IsDir() {
			return ""
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "payrun", name)
}

// knownLedgers reads the list. It skips what it cannot read: the list helps people and guards
// nothing by itself.
func (e Env) knownLedgers() (list []knownLedger) {
	text, _ := os.ReadFile(e.knownPath())
	for line := range bytes.Lines(text) {
		var k knownLedger
		if json.Unmarshal(line, &k) == nil && k.Path != "" {
			list = append(list, k)
		}
	}
	return list
}

func (a *App) asKnown() (k knownLedger, err error) {
	where := a.place.name()
	if path, ok := a.place.file(); ok {
		where, err = filepath.Abs(path)
	}
	return knownLedger{Path: where, Environment: a.set.Environment, Merchant: a.set.SubMerchantID}, err
}

// others returns the ledgers for the same merchant that still exist.
func (a *App) others() (paths []string) {
	self, err := a.asKnown()
	if err != nil || self.Merchant == "" {
		return nil
	}
	for _, k := range a.env.knownLedgers() {
		if k.Path == self.Path || slices.Contains(paths, k.Path) || k.Merchant != self.Merchant || k.Environment != self.Environment {
			continue
		}
		if _, err := os.Lstat(k.Path); err != nil && !config.OnServer(k.Path) { // payrun does not contact a server here
			continue
		}
		paths = append(paths, k.Path)
	}
	return paths
}

// remember adds the ledger to the list, if it can.
func (a *App) remember() {
	self, err := a.asKnown()
	path := a.env.knownPath()
	if err != nil || path == "" || self.Merchant == "" || slices.Contains(a.env.knownLedgers(), self) || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	line, _ := json.Marshal(self) // texts alone: it cannot fail
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	_, err = f.Write(append(line, '\n'))
	_ = errors.Join(err, f.Close()) // then the ledger stays unknown
}
