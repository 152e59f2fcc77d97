package sqlite

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"

	"payrun/ledger"
)

// What Commit asks of a payout is what Add noted, also where so many were added
// that most lie in a file.
func TestMembersAreReadBackAsTheyWereAdded(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	of := func(i int) member {
		var b [8]byte
		binary.BigEndian.PutUint64(b[:], uint64(i))
		return member{amount: ledger.Paise(i)<<32 + 7, route: int32(i % 3), lei: int32(i % 5), digest: sha256.Sum256(b[:])}
	}
	for _, count := range []int{0, 1, membersAtOnce - 1, membersAtOnce, membersAtOnce + 1, 120_000} { // the last of 5.8 MB, most of it in a file
		var m members
		for i := range count {
			m.add(of(i))
		}
		for range 2 { // for CheckPlan, and for the digests of the batches
			for i := range count {
				if got := m.at(int32(i)); got != of(i) {
					t.Fatalf("member %d of %d is %v", i, count, got)
				}
			}
		}
		if err := errors.Join(m.failed, m.close()); err != nil {
			t.Fatal(err)
		}
	}
}

// A load of which something was put aside and cannot be read any more is not
// committed.
func TestAMemberThatCannotBeReadIsAnError(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var m members
	for i := range 120_000 {
		m.add(member{amount: ledger.Paise(i + 1)})
	}
	closeOpenFiles(t)
	for i := range 120_000 {
		m.at(int32(i))
	}
	if m.failed == nil {
		t.Fatal("members were read that nobody has")
	}
	_ = m.close()
}

// closeOpenFiles takes the text away from files without a name.
func closeOpenFiles(t *testing.T) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("there is no list of open files:", err)
	}
	for _, e := range entries {
		to, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil && strings.HasPrefix(to, os.Getenv("TMPDIR")) {
			if err := os.Truncate("/proc/self/fd/"+e.Name(), 0); err != nil {
				t.Fatal(err)
			}
		}
	}
}
