package postgres

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"payrun/ledger"
	"payrun/ledger/postgres/pgtest"
	"payrun/ledger/sqlite"
)

// Every question to a ledger whose server is gone fails with ErrUnreachable or ErrCommitUnknown.
// A bare error of the engine would end as a fault of payrun, exit code 1.
func TestEveryQuestionSaysThatTheServerIsGone(t *testing.T) {
	url, _ := planned(t, 1)
	proxy := pgtest.NewProxy(t, url)
	s := machine(t, proxy.URL)
	s.engine.run.until.Store(nil) // otherwise it waits for the server until its lease is over
	proxy.Lose(1, false, true)
	says(t, s.RecordLogin(t.Context(), ledger.Login{Name: "ravi", At: t0, Kind: ledger.LoginKinds[0]}), ledger.ErrUnreachable)
	store, asked := reflect.ValueOf(s), 0
	for i := range store.NumMethod() {
		err, called := zeroCall(t.Context(), store.Method(i))
		if called {
			asked++
		}
		if _, bare := errors.AsType[*sqlite.EngineError](err); bare && !errors.Is(err, ledger.ErrUnreachable) && !errors.Is(err, ledger.ErrCommitUnknown) {
			t.Errorf("%s: %v", store.Type().Method(i).Name, err)
		}
	}
	if asked < 75 {
		t.Errorf("only %d methods were called", asked)
	}
}

// zeroCall calls a method that takes a context and returns an error, with zero values for its
// other arguments. A method that panics at them was not called.
func zeroCall(ctx context.Context, method reflect.Value) (err error, called bool) {
	kind := method.Type()
	if kind.NumIn() == 0 || kind.In(0) != reflect.TypeFor[context.Context]() || kind.NumOut() == 0 || kind.Out(kind.NumOut()-1) != reflect.TypeFor[error]() {
		return nil, false
	}
	defer func() {
		if recover() != nil {
			err, called = nil, false
		}
	}()
	in := []reflect.Value{reflect.ValueOf(ctx)}
	for i := 1; i < kind.NumIn() && !(kind.IsVariadic() && i == kind.NumIn()-1); i++ {
		in = append(in, reflect.Zero(kind.In(i)))
	}
	out := method.Call(in)
	err, _ = out[len(out)-1].Interface().(error)
	return err, true
}
