package sandbox

import (
	"net"
	"strconv"

	"payrun/ledger"
)

// Ready is the line that the sandbox prints when it listens (contract.md, "The sandbox"). It is the only place
// that shows the credentials.
type Ready struct {
	Schema        string         `json:"schema"`
	Addr          string         `json:"addr"`    // HOST:PORT of the interface
	Control       string         `json:"control"` // HOST:PORT of the control listener
	AccessKey     string         `json:"access_key"`
	SecretKey     string         `json:"secret_key"`
	SubMerchantID string         `json:"sub_merchant_id"`
	Accounts      []ReadyAccount `json:"accounts"` // the active accounts of SubMerchantID
	Seed          int64          `json:"seed"`

	Listens string `json:"-"` // the address of the interface as other machines may reach it
}

// ReadyAccount is a debit account that can pay.
type ReadyAccount struct {
	BankAccountID string             `json:"bank_account_id"`
	PartnerBankID int                `json:"partner_bank_id"`
	Kind          ledger.AccountKind `json:"kind"` // "" outside partner bank 12
}

// fromHere is the address at which this machine reaches a listener. A listener on every interface has no
// address of its own to dial.
func fromHere(addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port))
	}
	return addr.String()
}

// Ready returns how to reach the sandbox and what it holds.
func (s *Server) Ready() Ready {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := Ready{
		Schema:        "payrun.sandbox/v1",
		Addr:          s.bank.address,
		Listens:       s.bankListener.Addr().String(),
		Control:       s.controlListener.Addr().String(),
		AccessKey:     s.bank.AccessKey,
		SecretKey:     s.bank.SecretKey,
		SubMerchantID: subMerchantID,
		Accounts:      []ReadyAccount{},
		Seed:          s.bank.Seed,
	}
	for _, a := range s.bank.Accounts {
		if a.SubMerchantID == subMerchantID && a.Status == ledger.AccountActive {
			r.Accounts = append(r.Accounts, ReadyAccount{a.BankAccountID, a.PartnerBankID, a.Kind})
		}
	}
	return r
}
