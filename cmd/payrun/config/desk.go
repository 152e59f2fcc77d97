package config

// Desk is where the desk listens and by what name it is reached.
type Desk struct {
	Addr       string // HOST:PORT; port 0 takes a free one
	Cert, Key  string // files; both or none
	PublicHost string // the name in the address bar; "" on loopback
}

// DeskAddr is where the desk listens where nothing else is said.
const DeskAddr = "127.0.0.1:0"
