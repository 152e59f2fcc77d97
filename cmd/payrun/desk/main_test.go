package desk

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain spends memory for time: each password that is hashed leaves 19 MiB behind.
func TestMain(m *testing.M) {
	debug.SetGCPercent(2000)
	os.Exit(m.Run())
}
