package sandbox

import (
	"crypto/subtle"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"payrun/submitter/bankapi"
)

// operation is one operation of the interface. A further one is one file with
// its handler and one line in operations.
type operation struct {
	name    string // as POST /faults names it (contract.md, "The sandbox")
	method  string
	path    string
	code    string // for what is wrong with a request as such
	changes bool   // the book must be kept after it
	answer  func(*bank, request) *answer
}

var operations = []operation{
	{"sub_merchant_list", http.MethodGet, bankapi.PathSubMerchants, codeSubMerchants, false, (*bank).listSubMerchants},
	{"register", http.MethodPost, bankapi.PathRegister, codeSubMerchants, true, (*bank).registerSubMerchant},
	{"linking", http.MethodPost, bankapi.PathLinking, codeLinking, true, (*bank).initiateLinking},
	{"accounts", http.MethodGet, bankapi.PathBankAccounts, accountCodes[0], false, (*bank).listBankAccounts},
	{"beneficiaries", http.MethodGet, bankapi.PathBeneficiaries, beneficiaryCodes[0], false, (*bank).listBeneficiaries},
	{"beneficiary_initiate", http.MethodPost, bankapi.PathBeneficiaryInitiate, newBeneficiaryCodes[0], true, (*bank).initiateBeneficiary},
	{"balance", http.MethodGet, bankapi.PathBalance, balanceCodes[0], false, (*bank).fetchBalance},
	{"initiate", http.MethodPost, bankapi.PathTransferInitiate, initiateCodes[0], true, (*bank).initiateTransfer},
	{"submit", http.MethodPost, bankapi.PathTransferSubmit, submitCode, true, (*bank).submitTransfer},
	{"status", http.MethodGet, bankapi.PathTransfer, statusCodes[0], false, (*bank).transferStatus},
	{"statements", http.MethodGet, bankapi.PathStatements, statementCodes[0], true, (*bank).fetchStatements},
}

// operationNames are what faults may name.
func operationNames() (names []string) {
	for _, op := range operations {
		names = append(names, op.name)
	}
	return names
}

// request is what a handler needs of an HTTP request.
type request struct {
	query url.Values
	body  []byte
}

// maxBody bounds a request's body: about 60,000 payouts.
const maxBody = 16 << 20

// bankHandler serves the interface, and the page on which a person links an account.
func (s *Server) bankHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/", s.serveBank)
	mux.HandleFunc("GET "+linkingPath+"{id}", s.showLinking)
	mux.HandleFunc("POST "+linkingPath+"{id}", s.completeLinking)
	return mux
}

// serveBank answers one request, or spoils it as a fault says.
func (s *Server) serveBank(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		s.write(w, refuse(http.StatusBadRequest, "FT_001", "the body could not be read, or is larger than %d bytes", maxBody))
		return
	}
	op, wrong := find(r.Method, r.URL.Path)
	if wrong != nil {
		s.write(w, wrong)
		return
	}
	fault := s.faults.next(op)
	s.pause(r.Context(), s.options.Latency)
	if s.spoilBefore(w, fault, op, body) {
		return
	}
	a := s.answer(op, r, body)
	s.spoilAfter(w, r, fault, op, a)
}

func find(method, path string) (operation, *answer) {
	found := false
	for _, op := range operations {
		switch {
		case op.path != path:
		case op.method == method:
			return op, nil
		default:
			found = true
		}
	}
	if found {
		return operation{}, refuse(http.StatusMethodNotAllowed, "FT_001", "%s is not a method of this operation", method)
	}
	return operation{}, refuse(http.StatusNotFound, "FT_001", "no operation is served at this path")
}

// answer does what the request asks, and keeps it before it answers.
func (s *Server) answer(op operation, r *http.Request, body []byte) *answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.bank.authorized(r.Header) {
		return refuse(http.StatusUnauthorized, op.code, "missing or invalid credentials")
	}
	if op.method == http.MethodPost && !isJSON(r.Header.Get("Content-Type")) {
		return refuse(http.StatusBadRequest, op.code, "Content-Type must be application/json")
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return refuse(http.StatusBadRequest, op.code, "the query cannot be read")
	}
	a := op.answer(s.bank, request{query, body})
	if op.changes {
		if err := s.keep(); err != nil {
			return refuse(http.StatusInternalServerError, op.code, "the state could not be kept")
		}
	}
	s.deliverSMS()
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
