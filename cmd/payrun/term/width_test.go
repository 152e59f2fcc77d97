//go:build linux

package term_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"payrun/cmd/payrun/term"
	"payrun/cmd/payrun/term/termtest"
)

// What goes to a file is not folded for the screen that the other output has, nor the
// other way round; COLUMNS speaks for what is no screen.
func TestEachStreamHasItsOwnWidth(t *testing.T) {
	const words = "the bank could not be reached for 12 batches; nothing was sent, and the same command may be run again"
	write := func(columns string, out, err io.Writer) {
		terminal := term.New(strings.NewReader(""), out, err, func(name string) string { return map[string]string{"COLUMNS": columns}[name] })
		terminal.Resultf("%s", words)
		terminal.Errorf("%s", words)
		table := terminal.Table(term.Columns{"Reference", "Note"}).Notes()
		table.Row("INV-1", words)
		table.Render()
	}
	for _, c := range []struct {
		columns string
		folded  bool
	}{{"", false}, {"50", true}} {
		screen, keyboard := termtest.Open(t)
		if err := unix.IoctlSetWinsize(int(screen.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 40}); err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		write(c.columns, &file, screen)
		if folded := strings.Count(file.String(), words) == 0; folded != c.folded {
			t.Errorf("with COLUMNS=%s and errors on a screen of 40 columns the file has:\n%s", c.columns, &file)
		}
		file.Reset()
		write(c.columns, screen, &file)
		if folded := !strings.Contains(file.String(), words); folded != c.folded {
			t.Errorf("with COLUMNS=%s and results on a screen of 40 columns the file of errors has:\n%s", c.columns, &file)
		}
		_, _ = io.WriteString(screen, "\x04") // what ends the reading below
		var shown []byte
		for b := make([]byte, 4096); !bytes.Contains(shown, []byte{4}); {
			n, err := keyboard.Read(b)
			if err != nil {
				t.Fatal(err)
			}
			shown = append(shown, b[:n]...)
		}
		for line := range strings.Lines(string(shown)) {
			if n := len([]rune(strings.TrimRight(line, "\r\n"))); n > 40 {
				t.Errorf("on a screen of 40 columns a line has %d: %q", n, line)
			}
		}
	}
}
