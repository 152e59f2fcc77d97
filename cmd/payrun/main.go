// Payrun turns payout sheets into settled, reconciled payouts.
package main

import (
	"os"
	"runtime/debug"

	"payrun/cmd/payrun/cli"
	"payrun/cmd/payrun/desk"
)

// gcPercent is how much is allocated, in percent of what is in use, before garbage is collected. A status ends before the
// first collection. SQLite's memory does not count.
const gcPercent = 180

// memoryLimit is where the garbage collector starts to work harder. A load of 1,000,000 rows stays under
// 400 MB with SQLite's memory.
const memoryLimit = 256 << 20

func main() {
	prepare()
	os.Exit(cli.Main(os.Args, world()))
}

// prepare changes settings of the whole process.
func prepare() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	debug.SetTraceback("crash") // a fatal error ends by a signal, never with exit code 2, which means wrong usage
}

// world is the real world with the desk. cli and desk do not import each other.
func world() cli.World {
	w := cli.System()
	w.Desk = desk.Serve
	return w
}
