package sandbox

import (
	"crypto/subtle"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// operation is one operation of the interface. To add one, add a file with its handler and a line in
// operations.
type operation struct {
	name    string // its name in POST /faults (contract.md, "The sandbox")
	method  string
	path    string
	perPage int    // elements of a page without a limit; 0 if it is no list
	codes   string // the first is for requests that are wrong as such
	changes bool   // the book must be saved after it
	answer  func(*bank, request) *answer
}

// operations lists the interface's operations with their page sizes ("Limits"). The interface lists most codes
// without their meaning ("Errors"); the seed chooses it. SM_001 and LK_001 are ours.
var operations = []operation{
	{"sub_merchant_list", http.MethodGet, bankapi.PathSubMerchants, 10, "SM_001", false, (*bank).listSubMerchants},
	{"register", http.MethodPost, bankapi.PathRegister, 0, "SM_001", true, (*bank).registerSubMerchant},
	{"linking", http.MethodPost, bankapi.PathLinking, 0, "LK_001", true, (*bank).initiateLinking},
	{"accounts", http.MethodGet, bankapi.PathBankAccounts, 25, "AL_002 AL_004 AL_006", false, (*bank).listBankAccounts},
	{"beneficiaries", http.MethodGet, bankapi.PathBeneficiaries, 25, "BN_002", false, (*bank).listBeneficiaries},
	{"beneficiary_initiate", http.MethodPost, bankapi.PathBeneficiaryInitiate, 0, "BN_001 BN_002 BN_003 BN_005 BN_006 BN_007", true, (*bank).initiateBeneficiary},
	{"balance", http.MethodGet, bankapi.PathBalance, 25, "BL_001 BL_002 BL_003", false, (*bank).fetchBalance},
	{"initiate", http.MethodPost, bankapi.PathTransferInitiate, 0, initiateCodes, true, (*bank).initiateTransfer},
	{"submit", http.MethodPost, bankapi.PathTransferSubmit, 0, "FT_001", true, (*bank).submitTransfer},
	{"status", http.MethodGet, bankapi.PathTransfer, 25, "FT_001 FT_014 FT_015", false, (*bank).transferStatus},
	{"statements", http.MethodGet, bankapi.PathStatements, 25, "ST_001 ST_002 ST_003 ST_004 ST_007", true, (*bank).fetchStatements},
}

const initiateCodes = "FT_001 FT_002 FT_004 FT_005 FT_006 FT_007 FT_008 FT_009 FT_010 FT_013"

// operationNames returns the names that faults may use.
func operationNames() []string {
	return ledger.ListOf(operations, func(op operation) string { return op.name })
}

// request is an HTTP request as a handler needs it.
type request struct {
	operation
	query  url.Values
	body   []byte
	offset int // where the first page of a list begins
}

// refuse answers a request that is wrong as such.
func (op operation) refuse(status int, format string, args ...any) *answer {
	return refuse(status, strings.Fields(op.codes)[0], format, args...)
}

// refuse names the rule that the request breaks, with the seed's code for it.
func (b *bank) refuse(r request, rule, format string, args ...any) *answer {
	return refuse(http.StatusBadRequest, b.dice.pick(strings.Fields(r.codes), r.name, rule), format, args...)
}

// maxBody bounds a request's body: about 60,000 payouts.
const maxBody = 16 << 20

// bankHandler serves the interface, and the page on which a person links an account.
func (s *Server) bankHandler() http.Handler {
	mux := http.NewServeMux()
	for _, op := range operations {
		mux.HandleFunc(op.path, func(w http.ResponseWriter, r *http.Request) { s.serveBank(op, w, r) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		s.write(w, refuse(http.StatusNotFound, "FT_001", "no operation is served at this path"))
	})
	mux.HandleFunc("GET "+linkingPath+"{id}", s.showLinking)
	mux.HandleFunc("POST "+linkingPath+"{id}", s.completeLinking)
	return mux
}

// serveBank answers one request, or spoils it if a fault says so.
func (s *Server) serveBank(op operation, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		s.write(w, refuse(http.StatusBadRequest, "FT_001", "the body could not be read, or is larger than %d bytes", maxBody))
		return
	}
	if r.Method != op.method {
		s.write(w, refuse(http.StatusMethodNotAllowed, "FT_001", "%s is not a method of this operation", r.Method))
		return
	}
	fault := s.faults.next(op)
	s.pause(r.Context(), s.bank.options.Latency)
	if s.spoilBefore(w, fault, op, body) {
		return
	}
	a := s.answer(op, r, body)
	s.spoilAfter(w, r, fault, op, a)
}

// answer runs the operation and saves its effect before the answer is sent.
func (s *Server) answer(op operation, r *http.Request, body []byte) *answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.bank.authorized(r.Header) {
		return op.refuse(http.StatusUnauthorized, "missing or invalid credentials")
	}
	if op.method == http.MethodPost && !isJSON(r.Header.Get("Content-Type")) {
		return op.refuse(http.StatusBadRequest, "Content-Type must be application/json")
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return op.refuse(http.StatusBadRequest, "the query cannot be read")
	}
	a := op.answer(s.bank, request{operation: op, query: query, body: body})
	if op.changes {
		if err := s.keep(); err != nil {
			return op.refuse(http.StatusInternalServerError, "the state could not be kept")
		}
	}
	return a
}

// authorized checks "Bearer <access_key:secret_key>" (interface.md,
// "Authentication", rules 1 and 2).
func (b *bank) authorized(h http.Header) bool {
	want := "Bearer " + b.AccessKey + ":" + b.SecretKey
	got := h.Get("Authorization")
	return subtle.ConstantTimeCompare([]byte(got), []byte(want)) == 1
}

// isJSON: "All requests that carry a body use Content-Type: application/json"
// (interface.md, "Endpoints").
func isJSON(contentType string) bool {
	t, params, err := mime.ParseMediaType(contentType)
	charset, given := params["charset"]
	return err == nil && t == "application/json" && (!given || strings.EqualFold(charset, "utf-8"))
}

// read reads a body as strictly as the client reads an answer. The required strings must not be empty.
func read(body []byte, into any, required map[string]*string) error {
	if err := bankapi.Decode(body, into); err != nil {
		return err
	}
	return filled(required)
}

// filled returns an error if a value is absent, null or empty.
func filled(required map[string]*string) error {
	for _, name := range slices.Sorted(maps.Keys(required)) {
		if *required[name] == "" {
			return fmt.Errorf("%s is required", name)
		}
	}
	return nil
}
