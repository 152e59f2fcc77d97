// Payrun takes payout sheets to settled, reconciled payouts.
package main

import (
	"os"
	"runtime/debug"
	_ "time/tzdata" // so that a time zone is found where the system has none, as in a container

	"payrun/cmd/payrun/cli"
	"payrun/cmd/payrun/desk"
)

// memoryLimit is where the collector begins to work harder: a load of 1,000,000 rows
// stays under 400 MB with what SQLite takes beside it.
const memoryLimit = 256 << 20

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	os.Exit(cli.Main(os.Args, world()))
}

// world is the real one, with the desk: neither face of payrun knows the other.
func world() cli.World {
	w := cli.System()
	w.Desk = desk.Serve
	return w
}
