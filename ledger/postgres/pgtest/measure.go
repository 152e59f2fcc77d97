package pgtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Measured is a server for measurements. Its folder is where temporary files are, so that it waits for a disk
// as SQLite does.
type Measured struct{ node }

// Measure starts a server of its own.
func Measure() (*Measured, error) {
	m := &Measured{}
	if err := m.begun(os.TempDir()); err != nil {
		m.Stop()
		return nil, err
	}
	return m, nil
}

// Stop stops the server and removes its folder.
func (m *Measured) Stop() { m.stop() }

// URL returns the URL of a database.
func (m *Measured) URL(database string) string { return address(m.port, database) }

// PID identifies the server's process.
func (m *Measured) PID() int { return m.cmds[0].Process.Pid }

// CPU returns how long a process and its children have worked, ended ones included. It returns 0 for pid 0, and
// if the kernel does not tell. A server has a child for each connection.
func CPU(pid int) (busy time.Duration) {
	if pid == 0 {
		return 0
	}
	all, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is a constant, so there is no error
	for _, path := range all {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		_, after, _ := strings.Cut(string(b), ") ")
		const parent, first, own, ended = 1, 11, 2, 4 // counted from the state: two own times, four with those of ended children
		f := strings.Fields(after)
		times := own
		switch {
		case len(f) < first+ended:
			continue
		case path == fmt.Sprintf("/proc/%d/stat", pid):
			times = ended
		case f[parent] != strconv.Itoa(pid):
			continue
		}
		for _, ticks := range f[first : first+times] {
			n, _ := strconv.ParseInt(ticks, 10, 64)
			busy += time.Duration(n) * tick
		}
	}
	return busy
}

// tick is the unit of the times in /proc.
const tick = 10 * time.Millisecond
