package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// smallDisk mounts a disk of so many bytes, where this system lets a test mount one.
func smallDisk(t *testing.T, size int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("mode=0700,size=%d", size)); err != nil {
		t.Skipf("no disk can be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// fillDisk leaves no room on a disk.
func fillDisk(t *testing.T, dir string) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "fill"))
	must(t, err)
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	_ = f.Close()
}

// loadedFolder has a ledger with a few payouts.
func loadedFolder(t *testing.T, dir string) {
	t.Helper()
	sheet := filepath.Join(dir, "pay.csv")
	must(t, os.WriteFile(sheet, []byte(threePayouts("INV")), 0o600))
	for _, args := range [][]string{{"init"}, {"load", sheet}} {
		if exit, _, stderr := inFolder(t, dir, args...); exit != 0 {
			t.Fatalf("%v: exit %d: %s", args, exit, stderr)
		}
	}
}

func threePayouts(ref string) string {
	text := "Reference,Beneficiary Name,Account Number,IFSC Code,Amount\n"
	for i := range 3 {
		text += fmt.Sprintf("%s-%d,Asha Rao,00012345678%d,HDFC0001234,1000.00\n", ref, i, i)
	}
	return text
}

// says runs a command that has to end with the code, and to say each of the words once.
func says(t *testing.T, dir string, exit int, args []string, words ...string) {
	t.Helper()
	got, _, stderr := inFolder(t, dir, args...)
	if got != exit {
		t.Errorf("%v: exit %d, want %d: %s", args, got, exit, stderr)
	}
	for _, word := range words {
		if !strings.Contains(stderr, word) {
			t.Errorf("%v does not say %q:\n%s", args, word, stderr)
		}
	}
	if first, _, _ := strings.Cut(stderr, "\n"); strings.Contains(first, "(13)") || strings.Contains(first, "(14)") || strings.Contains(stderr, "ledger verify\n") && exit != 0 && len(words) > 0 {
		t.Errorf("%v points at the ledger:\n%s", args, stderr)
	}
}

func TestAFullDiskIsNamedWithItsCure(t *testing.T) {
	dir := t.TempDir()
	loadedFolder(t, dir)
	disk := smallDisk(t, 2<<20)
	cure := "free some space on it (df -h shows the disks)"
	fillDisk(t, disk)
	copied, reports, exported := filepath.Join(disk, "copy.db"), filepath.Join(disk, "reports"), filepath.Join(disk, "all.jsonl")
	says(t, dir, exitFailed, []string{"ledger", "backup", copied}, copied+" could not be written: its disk is full", cure)
	says(t, dir, exitFailed, []string{"report", "-o", reports}, "its disk is full", cure)
	says(t, dir, exitFailed, []string{"ledger", "export", exported}, "its disk is full", cure)
	if left, err := os.ReadDir(disk); err != nil || len(left) != 1 {
		t.Errorf("the disk holds %v, %v", left, err)
	}
}

// SQLite says nothing of a full disk when it closes a new ledger: half of one was left, for good.
func TestInitOnAFullDiskLeavesNothing(t *testing.T) {
	for size := 1 << 20; size < 3<<20; size += 256 << 10 {
		disk := smallDisk(t, size)
		exit, _, stderr := inFolder(t, disk, "init")
		if exit == 0 {
			break
		}
		if exit != exitLedger || !strings.Contains(stderr, "its disk is full") {
			t.Errorf("%d bytes: exit %d: %s", size, exit, stderr)
		}
		for _, name := range []string{"payrun.db", "payrun.toml"} {
			if _, err := os.Lstat(filepath.Join(disk, name)); err == nil {
				t.Errorf("%d bytes: %s is left", size, name)
			}
		}
	}
}

func TestALedgerOnAFullDiskStopsAndGoesOn(t *testing.T) {
	disk := smallDisk(t, 8<<20)
	loadedFolder(t, disk)
	more := filepath.Join(t.TempDir(), "more.csv")
	must(t, os.WriteFile(more, []byte(threePayouts("NEXT")), 0o600))
	fillDisk(t, disk)
	says(t, disk, exitLedger, []string{"load", more}, filepath.Join(disk, "payrun.db")+" could not be written: its disk is full", "nothing more was sent; free some space on it")
	must(t, os.Remove(filepath.Join(disk, "fill")))
	says(t, disk, 0, []string{"ledger", "verify"})
	says(t, disk, 0, []string{"load", more})
}

func TestALedgerOnAReadOnlyDiskCanBeLookedAt(t *testing.T) {
	disk := smallDisk(t, 8<<20)
	loadedFolder(t, disk)
	if err := syscall.Mount("tmpfs", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, "mode=0700"); err != nil {
		t.Skipf("it cannot be made read-only here: %v", err)
	}
	says(t, disk, 0, []string{"status"})
	says(t, disk, 0, []string{"ledger", "verify"})
	says(t, disk, 0, []string{"report", "-o", filepath.Join(t.TempDir(), "reports")})
	says(t, disk, exitFailed, []string{"report"}, "its disk is read-only", "payrun report -o")
	says(t, disk, exitLedger, []string{"load", filepath.Join(disk, "pay.csv")}, filepath.Join(disk, "payrun.db")+" could not be written: its disk is read-only", "mount it for writing")
}
