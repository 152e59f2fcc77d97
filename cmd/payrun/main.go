// Payrun takes payout sheets to settled, reconciled payouts.
package main

import (
	"os"

	"payrun/cmd/payrun/cli"
	"payrun/cmd/payrun/desk"
)

func main() {
	os.Exit(cli.Main(os.Args, world()))
}

// world is the real one, with the desk: neither face of payrun knows the other.
func world() cli.World {
	w := cli.System()
	w.Desk = desk.Serve
	return w
}
