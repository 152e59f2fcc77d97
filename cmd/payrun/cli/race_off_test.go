//go:build !race

package cli

import "flag"

// waitTogether lets more scripts run at once than there are cores: they wait for
// processes and answers far more than they compute. Under the race detector they
// compute.
func waitTogether() {
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err) // the flag is the test runner's own
	}
}
