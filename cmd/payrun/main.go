// Payrun turns payout sheets into settled, reconciled payouts.
package main

import (
	"os"
	"runtime"
	"runtime/debug"

	"payrun/cmd/payrun/cli"
	"payrun/cmd/payrun/desk"
)

// firstGCPercent lets the first garbage collection wait for 8 MB, of which the tables of libraries take 3. Most
// commands end before it; later ones come as usual.
const firstGCPercent, usualGCPercent = 200, 100

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
		debug.SetGCPercent(firstGCPercent)
		runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, usualGCPercent)
	}
	debug.SetTraceback("crash") // a fatal error ends by a signal, never with exit code 2, which means wrong usage
}

// world is the real world with the desk. cli and desk do not import each other.
func world() cli.World {
	w := cli.System()
	w.Desk = desk.Serve
	return w
}
