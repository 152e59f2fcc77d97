// Payrun turns payout sheets into settled, reconciled payouts.
package main

import (
	"os"
	"runtime/debug"

	"payrun/cmd/payrun/cli"
	"payrun/cmd/payrun/desk"
)

// memoryLimit is where the collector begins to work harder: a load of 1,000,000 rows stays under 400 MB
// together with SQLite's memory.
const memoryLimit = 256 << 20

func main() {
	prepare()
	os.Exit(cli.Main(os.Args, world()))
}

// prepare sets what holds for the whole process.
func prepare() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	debug.SetTraceback("crash") // a fatal error of the program ends by a signal, never with 2, which is wrong usage
}

// world is the real one, with the desk: neither face of payrun knows the other.
func world() cli.World {
	w := cli.System()
	w.Desk = desk.Serve
	return w
}
