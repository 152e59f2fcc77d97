package desk

import (
	"runtime/debug"
	"testing"

	"payrun/ledger/postgres/pgtest"
)

// TestMain spends memory for time: each password that is hashed leaves 19 MiB behind.
func TestMain(m *testing.M) {
	debug.SetGCPercent(2000)
	pgtest.Main(m)
}
