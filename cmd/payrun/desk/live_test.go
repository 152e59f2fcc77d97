package desk

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// until lets a stream go as soon as it has said something.
type until struct {
	*httptest.ResponseRecorder
	words string
	stop  func()
}

func (u until) Flush() {
	if strings.Contains(u.Body.String(), u.words) {
		u.stop()
	}
}

// A page reads what happened after it was made, and before it began to follow. A number
// that no page has is none.
func TestAPageIsToldWhatHappenedSinceItWasMade(t *testing.T) {
	h := build(t)
	b := h.adminWho("view")
	stream := func(from, words string) string {
		t.Helper()
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, origin+"/live"+from, nil)
		r.AddCookie(b.cookie)
		w := until{httptest.NewRecorder(), words, stop}
		h.handler.ServeHTTP(w, r)
		return w.Body.String()
	}
	made := b.get("/").part(t, `<body data-live data-from="(\d+)">`)
	h.load("INV/1")
	if said := stream("?from="+made, "event: batch"); !strings.HasPrefix(said, "retry: 3000\nid: "+made+"\n") || !strings.Contains(said, "event: sheet") {
		t.Errorf("it gets %q", said)
	}
	head := len(h.events())
	for _, from := range []string{"", "?from=", "?from=-1", "?from=x", fmt.Sprint("?from=", head+5)} {
		if said := stream(from, "event: hello"); !strings.HasPrefix(said, fmt.Sprintf("retry: 3000\nid: %d\n", head)) {
			t.Errorf("from %q it gets %q", from, said)
		}
	}
}
