package config

import "time"

// How long a password at the desk is valid at most: for a decision, for an unused login, and for a
// used one.
const (
	longestProof = 5 * time.Minute
	longestIdle  = 30 * time.Minute
	longestWhole = 8 * time.Hour
)

// Desk is where the desk listens and by what name it is reached.
type Desk struct {
	Addr       string // HOST:PORT; port 0 takes a free one
	Cert, Key  string // files; both or none
	PublicHost string // the name in the address bar; "" on loopback
	OwnHost    bool   // on loopback: a name that no other service of this machine has, another at each start
	NoPoll     bool   // it never asks the bank by itself
}

// DeskAddr is where the desk listens where nothing else is said.
const DeskAddr = "127.0.0.1:0"
