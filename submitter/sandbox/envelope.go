package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"payrun/submitter/bankapi"
)

// answer is an HTTP status with its envelope (interface.md, "What the service does").
type answer struct {
	status     int
	envelope   bankapi.Envelope[any]
	retryAfter int // seconds; 0 for no header
}

// answered is the answer to a request that was carried out. Only list answers have a page.
func answered(data any, page *bankapi.Pagination) *answer {
	return &answer{status: http.StatusOK, envelope: bankapi.Envelope[any]{Status: bankapi.EnvelopeSuccess, Data: &data, Meta: bankapi.Meta{Pagination: page}}}
}

// refuse is the answer to a request that changed nothing.
func refuse(status int, code, format string, args ...any) *answer {
	return &answer{status: status, envelope: bankapi.Envelope[any]{
		Status: bankapi.EnvelopeFailed,
		Error:  &bankapi.Error{Code: "SVC_CB_" + code, Message: fmt.Sprintf(format, args...), Details: []any{}},
	}}
}

// write sends the whole answer.
func (s *Server) write(w http.ResponseWriter, a *answer) {
	body := s.encode(a)
	s.head(w, a, len(body))
	_, _ = w.Write(body) // the client may be gone; the effect remains
}

func (s *Server) head(w http.ResponseWriter, a *answer, length int) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(length))
	if a.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(a.retryAfter))
	}
	w.WriteHeader(a.status)
}

func (s *Server) encode(a *answer) []byte {
	a.envelope.Meta.Timestamp = s.bank.options.Now().UTC().Format(time.RFC3339)
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(a.envelope); err != nil {
		panic(fmt.Sprintf("sandbox: an answer that cannot be encoded: %v", err)) // it holds only our own structs
	}
	return buf.Bytes()
}
