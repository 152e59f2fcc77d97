// Payrun takes payout sheets to settled, reconciled payouts.
package main

import (
	"os"

	"payrun/cmd/payrun/cli"
)

func main() {
	os.Exit(cli.Main(os.Args, cli.System()))
}
