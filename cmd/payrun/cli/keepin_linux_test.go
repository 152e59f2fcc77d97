package cli

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// A program that payrun starts looks for the keys where its parent has them.
func TestAChildDoesNotSeeTheKeys(t *testing.T) {
	for _, kept := range []string{"yes", "no"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestHelperThatHasKeys$", "-test.v")
		cmd.Env = append(os.Environ(), "PAYRUN_SECRET_KEY=the-secret", "PAYRUN_HELPER_KEPT="+kept, "TMPDIR="+t.TempDir())
		out, err := cmd.CombinedOutput() // as another user it cannot clean up behind itself: the error says nothing
		if !strings.Contains(string(out), "--- PASS: TestHelperThatHasKeys") {
			t.Fatalf("%v\n%s", err, out)
		}
		if sees := strings.Contains(string(out), "PAYRUN_SECRET_KEY=the-secret"); sees != (kept == "no") {
			t.Errorf("kept in: %s; the child sees the key: %v\n%s", kept, sees, out)
		}
	}
}

// TestHelperThatHasKeys is the process with the keys; by itself it tests nothing.
func TestHelperThatHasKeys(t *testing.T) {
	kept := os.Getenv("PAYRUN_HELPER_KEPT")
	if kept == "" {
		t.Skip("only for the other test")
	}
	if os.Getuid() == 0 { // root may look everywhere
		must(t, syscall.Setuid(65534))
		// A change of user shuts others out by itself; a program that was just started does not.
		if _, _, failed := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_DUMPABLE, 1, 0); failed != 0 {
			t.Fatal(failed)
		}
	}
	if kept == "yes" {
		must(t, keepIn())
	}
	thief := exec.Command("/bin/sh", "-c", `tr '\0' '\n' < /proc/$PPID/environ | grep _KEY=; ulimit -c`)
	thief.Env = []string{"PATH=" + os.Getenv("PATH")}
	thief.Stdout, thief.Stderr = os.Stdout, os.Stderr
	must(t, thief.Run())
}
