package ingest

import (
	"fmt"
	"strings"
	"testing"
)

// breaking gives some rows, and then panics as a reader with a mistake in it would.
type breaking struct{ left int }

func (b *breaking) next() (Row, error) {
	if b.left--; b.left < 0 {
		panic("a mistake")
	}
	return Row{Cells: []string{"x"}}, nil
}

// TestAPanicOfTheReaderIsOneOfWhoAsks: no one could recover from it elsewhere.
func TestAPanicOfTheReaderIsOneOfWhoAsks(t *testing.T) {
	a := readAhead(&breaking{left: 2 * batchRows})
	defer a.close()
	defer func() {
		if said := fmt.Sprint(recover()); !strings.Contains(said, "a mistake") || !strings.Contains(said, "breaking).next") {
			t.Errorf("it said %q", said)
		}
	}()
	for n := 0; ; n++ {
		if _, err := a.next(); err != nil || n > 2*batchRows {
			t.Fatalf("row %d: %v", n, err)
		}
	}
}
