package term

import (
	"os"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	xterm "golang.org/x/term"
)

// width is that of the screen that a stream goes to, in columns: the terminal's, or
// COLUMNS where it is none, such as a file. 0 where nothing limits a line.
func (t *Terminal) width(of *Stream) int {
	if f, ok := of.w.(*os.File); ok {
		if width, _, err := xterm.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	width, err := strconv.Atoi(t.getenv("COLUMNS"))
	if err != nil || width < 0 {
		return 0
	}
	return width
}

// Cut shortens s to so many columns, and says so.
func Cut(s string, width int) string {
	if text.StringWidthWithoutEscSequences(s) <= width {
		return s
	}
	if width < 1 {
		return ""
	}
	return strings.TrimRight(text.Trim(s, width-1), " ") + "…"
}
