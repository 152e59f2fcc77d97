package sandbox

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
)

// maxControlBody bounds a request to the control listener: outcomes for a million payouts.
const maxControlBody = 64 << 20

// controlHandler serves the operations that replace the mobile, clearing and faults (contract.md, "The
// sandbox").
func (s *Server) controlHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /otp", s.controlOTP)
	mux.HandleFunc("POST /settle", s.controlSettle)
	mux.HandleFunc("POST /outcomes", posted(s.SetOutcomes))
	mux.HandleFunc("POST /faults", posted(s.SetFaults))
	mux.HandleFunc("GET /state", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, s.State()) })
	mux.HandleFunc("GET /webhooks", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, s.State().Webhooks) })
	// A page in a browser could send a POST here without asking.
	sameOrigin := http.NewCrossOriginProtection().Handler(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if host, _, _ := strings.Cut(r.Host, ":"); host != "localhost" && host != "127.0.0.1" { // a page whose own name resolves to loopback
			controlError(w, http.StatusForbidden, "the control listener answers to loopback names only")
			return
		}
		sameOrigin.ServeHTTP(w, r)
	})
}

func (s *Server) controlOTP(w http.ResponseWriter, r *http.Request) {
	otp, token, ok := s.OTP(r.URL.Query().Get("batch"))
	if !ok {
		controlError(w, http.StatusNotFound, "no such batch")
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"otp": otp, "transaction_token": token})
}

func (s *Server) controlSettle(w http.ResponseWriter, _ *http.Request) {
	open, err := s.settle()
	if err != nil {
		controlError(w, http.StatusInternalServerError, err.Error())
		return
	}
	writeJSON(w, http.StatusOK, map[string]int{"open": open})
}

// posted reads one JSON value from the body and nothing after it. A misspelt name is an error; otherwise the
// fault would silently never come.
func posted[T any](set func(T) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var value T
		dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxControlBody))
		dec.DisallowUnknownFields()
		err := dec.Decode(&value)
		if err == nil {
			if _, more := dec.Token(); more != io.EOF {
				err = errors.New("want one JSON value")
			}
		}
		if err == nil {
			err = set(value)
		}
		if err != nil {
			controlError(w, http.StatusBadRequest, err.Error())
			return
		}
		writeJSON(w, http.StatusOK, map[string]bool{"ok": true})
	}
}

func controlError(w http.ResponseWriter, status int, message string) {
	writeJSON(w, status, map[string]string{"error": message})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}
