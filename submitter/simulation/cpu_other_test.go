//go:build !unix

package simulation

import "time"

// cpuTime is not to be had here.
func cpuTime() time.Duration { return 0 }
