package scratch

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// The text is the same wherever it lies, whichever pieces it was written and is
// read in.
func TestWhatIsPutAsideIsReadBack(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	rng := rand.New(rand.NewPCG(1, 2))
	var p Pad
	defer p.Close()
	var whole []byte
	for len(whole) < (keptBlocks+5)*blockBytes+77 {
		piece := make([]byte, rng.IntN(3*blockBytes/2))
		for i := range piece {
			piece[i] = byte(rng.Uint32())
		}
		if n, err := p.Write(piece); n != len(piece) || err != nil {
			t.Fatal(n, err)
		}
		whole = append(whole, piece...)
	}
	if p.file == nil || p.Size() != int64(len(whole)) {
		t.Fatalf("size %d of %d, file %v", p.Size(), len(whole), p.file)
	}
	edge := (keptBlocks + 1) * blockBytes
	for _, from := range []int{0, 1, edge - 20, edge, edge + 15, edge + 16, len(whole) - 1, rng.IntN(len(whole)), rng.IntN(len(whole))} {
		for _, n := range []int{1, 15, 16, 17, blockBytes, 3 * blockBytes} {
			n = min(n, len(whole)-from)
			got := make([]byte, n)
			if _, err := p.ReadAt(got, int64(from)); err != nil || !bytes.Equal(got, whole[from:from+n]) {
				t.Fatalf("%d bytes at %d: %v", n, from, err)
			}
		}
	}
	if n, err := p.ReadAt(make([]byte, 10), int64(len(whole)-4)); n != 4 || !errors.Is(err, io.EOF) {
		t.Fatal("behind the end:", n, err)
	}
	if _, err := p.ReadAt(make([]byte, 1), -1); err == nil {
		t.Fatal("a place before the first was read")
	}
}

// Nobody finds a name in the folder, nor a word in the file.
func TestNobodyElseCanReadIt(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	word := []byte("AP-2026-11-0000001 000100000000000 ")
	var p Pad
	defer p.Close()
	_, _ = p.Write(bytes.Repeat(word, (keptBlocks+3)*blockBytes/len(word)))
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Fatal("the file has a name:", left, err)
	}
	raw := make([]byte, blockBytes)
	if _, err := p.file.ReadAt(raw, keptBlocks*blockBytes); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(raw, word[:8]) || bytes.Contains(raw, word[len(word)-8:]) {
		t.Fatal("the file can be read")
	}
}

// Without a folder for temporary files, and on a full disk, all stays in memory.
func TestWithoutADiskItStaysInMemory(t *testing.T) {
	text := bytes.Repeat([]byte("a payout "), (keptBlocks+4)*blockBytes/9)
	for name, fill := range map[string]func(t *testing.T, p *Pad){
		"no folder": func(t *testing.T, p *Pad) {
			t.Setenv("TMPDIR", t.TempDir()+"/is/not/there")
			_, _ = p.Write(text)
		},
		"cannot be written to any more": func(t *testing.T, p *Pad) {
			t.Setenv("TMPDIR", t.TempDir())
			half := (keptBlocks + 2) * blockBytes
			_, _ = p.Write(text[:half])
			whole := p.file
			readOnly, err := os.Open("/proc/self/fd/" + fd(whole))
			if err != nil {
				t.Skip("files without a name cannot be opened again here:", err)
			}
			p.file = readOnly // refuses writing, as a full disk does
			defer whole.Close()
			_, _ = p.Write(text[half:])
		},
	} {
		t.Run(name, func(t *testing.T) {
			var p Pad
			defer p.Close()
			fill(t, &p)
			got := make([]byte, len(text))
			if _, err := p.ReadAt(got, 0); err != nil || !bytes.Equal(got, text) {
				t.Fatal("it was lost:", err)
			}
			if !p.failed {
				t.Fatal("it was put aside all the same")
			}
		})
	}
}

func fd(f *os.File) string { return strconv.FormatUint(uint64(f.Fd()), 10) }
