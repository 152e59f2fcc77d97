// Payrun takes payout sheets to settled, reconciled payouts.
package main

import (
	"os"

	"payrun/cmd/payrun/cli"
	"payrun/cmd/payrun/desk"
)

func main() {
	world := cli.System()
	world.Desk = desk.Serve
	os.Exit(cli.Main(os.Args, world))
}
