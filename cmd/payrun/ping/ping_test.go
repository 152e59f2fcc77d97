package ping

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// heard is a watcher that answers with the codes in turn, 200 when there are no more.
func heard(t *testing.T, codes ...int) (address string, paths func() []string) {
	var mu sync.Mutex
	var seen []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, r.URL.RequestURI())
		if len(codes) > 0 {
			w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
			w.WriteHeader(codes[0])
			codes = codes[1:]
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(seen)
	}
}

func at(t *testing.T, address string) *Watcher {
	t.Helper()
	w, err := New(address, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestTheBeginningAndTheExitCodeAreTold(t *testing.T) {
	address, paths := heard(t)
	w := at(t, address+"/uuid?create=1")
	over, stop := context.WithCancel(t.Context())
	if err := w.Began(over); err != nil {
		t.Fatal(err)
	}
	stop()
	if err := w.Ended(over, 12); err != nil { // a run that was interrupted tells it too
		t.Fatal(err)
	}
	if want := []string{"/uuid/start?create=1", "/uuid/12?create=1"}; !slices.Equal(paths(), want) {
		t.Errorf("asked %v, want %v", paths(), want)
	}
}

func TestTheEndIsToldTwiceWhereTheFirstWasNotHeard(t *testing.T) {
	address, paths := heard(t, 503)
	if err := at(t, address).Ended(t.Context(), 0); err != nil || len(paths()) != 2 {
		t.Errorf("%v after %v", err, paths())
	}
}

// The answer may send us elsewhere; nothing follows.
func TestARedirectIsNotFollowed(t *testing.T) {
	address, paths := heard(t, 302)
	if err := at(t, address).Began(t.Context()); err == nil || len(paths()) != 1 {
		t.Errorf("%v after %v", err, paths())
	}
}

func TestTheAddressIsInNoError(t *testing.T) {
	const secret = "0f2c8a55"
	for _, address := range []string{"http://127.0.0.1:1/" + secret, "http://127.0.0.1:99999/" + secret, "http://h\x7f/" + secret, secret} {
		w, err := New(address, nil)
		if err == nil {
			err = w.Began(t.Context())
		}
		if err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestNobodyIsToldWhereNobodyIsConfigured(t *testing.T) {
	w := at(t, "")
	if err := w.Began(t.Context()); err != nil || w.Ended(t.Context(), 1) != nil {
		t.Error("an error without a watcher")
	}
}
