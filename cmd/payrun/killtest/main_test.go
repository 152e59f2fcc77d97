//go:build unix

package killtest

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"payrun/ledger/postgres/pgtest"

	_ "payrun/cmd/payrun/cli" // a change of the program is a change of this test: nothing is taken from the cache
)

var (
	kills = flag.Int("kills", 5, "SIGKILLs at random moments that must hit")
	seed  = flag.Int64("seed", 1, "of every sheet, fault, reading, signal and delay")
	cuts  = flag.Int("cuts", 40, "places at which the power is cut in the write-ahead log")
)

// wholeProof is from how many kills on every test of this folder runs. Below it only a few
// do, so that `go test ./...` takes two minutes.
const wholeProof = 10

// night is the number of kills from which on every case of a proof has three draws, and not one.
const night = 300

func draws() int {
	if *kills < night {
		return 1
	}
	return 3
}

// ofTheProof skips a test that is only part of the whole proof, or runs it together with
// others.
func ofTheProof(t *testing.T) {
	t.Helper()
	if *kills < wholeProof {
		t.Skipf("runs with -kills %d", wholeProof)
	}
	t.Parallel()
}

// payrun is the program under test, built once by TestMain.
var payrun string

func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	// The tests wait for processes, answers and disks far more than they compute.
	if err := flag.Set("test.parallel", "8"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	flag.Parse()
	dir, err := os.MkdirTemp("", "payrun-killtest-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	// Another user runs it in the test of a ledger that may only be read.
	if err := os.Chmod(dir, 0o755); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	payrun = filepath.Join(dir, "payrun")
	build := exec.Command("go", "build", "-o", payrun, "payrun/cmd/payrun")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "building the program:", err)
		return 1
	}
	defer pgtest.Stop()
	return m.Run()
}
