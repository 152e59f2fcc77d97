// Package scratch puts aside what a large sheet would otherwise keep in memory from
// its first row to its last. The first megabyte stays in memory, so that an ordinary
// sheet touches no disk; the rest goes into a file of the folder for temporary files
// that has no name any more when the first byte is written, and of which nobody can
// read a word: it is encrypted with a key that is nowhere but in this process.
// Payouts are in no temporary file (docs/security.md).
package scratch

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

const (
	blockBytes = 1 << 16
	// keptBlocks stay in memory.
	keptBlocks = 16
)

// Pad is a text that grows at its end and is read anywhere. The zero value is
// empty and ready. It is for one goroutine at a time.
type Pad struct {
	blocks [][]byte // full, but for the last; nil where the file has it
	size   int64
	spare  []byte // a block that was written

	file   *os.File
	key    cipher.Block
	named  string // the file's name where it could not be taken away while it is open
	failed bool   // no file can be had, or the disk is full: the rest stays in memory
}

// Size is how many bytes there are.
func (p *Pad) Size() int64 { return p.size }

// Write appends, and does not fail: what cannot be put aside stays in memory.
func (p *Pad) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		at := int(p.size % blockBytes)
		if at == 0 {
			p.blocks = append(p.blocks, p.room())
		}
		last := len(p.blocks) - 1
		taken := min(len(b), blockBytes-at)
		p.blocks[last] = append(p.blocks[last], b[:taken]...)
		p.size += int64(taken)
		b = b[taken:]
		if len(p.blocks[last]) == blockBytes && last >= keptBlocks {
			p.putAside(last)
		}
	}
	return n, nil
}

func (p *Pad) room() []byte {
	if room := p.spare; room != nil {
		p.spare = nil
		return room[:0]
	}
	return make([]byte, 0, blockBytes)
}

// putAside writes a full block to the file.
func (p *Pad) putAside(no int) {
	if p.file == nil && !p.failed {
		p.failed = p.open() != nil
	}
	if p.failed {
		return
	}
	at := int64(no) * blockBytes
	p.cover(p.blocks[no], at)
	if _, err := p.file.WriteAt(p.blocks[no], at); err != nil {
		p.cover(p.blocks[no], at) // the other way round
		p.failed = true
		return
	}
	p.spare, p.blocks[no] = p.blocks[no], nil
}

// open makes the file and takes its name away.
func (p *Pad) open() error {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	var err error
	if p.key, err = aes.NewCipher(key); err != nil {
		return err
	}
	if p.file, err = os.CreateTemp("", "payrun-*"); err != nil { // 0600
		return err
	}
	if err := os.Remove(p.file.Name()); err != nil {
		p.named = p.file.Name() // where open files keep their names
	}
	return nil
}

// cover encrypts the bytes at a place, or decrypts them. Each place is written
// once, so no part of the key's stream is used twice.
func (p *Pad) cover(b []byte, at int64) {
	var counter [aes.BlockSize]byte
	binary.BigEndian.PutUint64(counter[8:], uint64(at/aes.BlockSize))
	cipher.NewCTR(p.key, counter[:]).XORKeyStream(b, b)
}

// ReadAt implements io.ReaderAt.
func (p *Pad) ReadAt(b []byte, at int64) (n int, err error) {
	if at < 0 {
		return 0, errors.New("scratch: a place before the first")
	}
	for n < len(b) && at < p.size {
		no, from := int(at/blockBytes), int(at%blockBytes)
		read := min(len(b)-n, blockBytes-from, int(p.size-at))
		if block := p.blocks[no]; block != nil {
			copy(b[n:n+read], block[from:])
		} else if err := p.fetch(b[n:n+read], at); err != nil {
			return n, fmt.Errorf("read what was put aside of the sheet: %w", err)
		}
		n, at = n+read, at+int64(read)
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// fetch reads what the file has.
func (p *Pad) fetch(b []byte, at int64) error {
	before := int(at % aes.BlockSize)
	if before == 0 {
		if _, err := p.file.ReadAt(b, at); err != nil {
			return err
		}
		p.cover(b, at)
		return nil
	}
	whole := make([]byte, before+len(b))
	if _, err := p.file.ReadAt(whole, at-int64(before)); err != nil {
		return err
	}
	p.cover(whole, at-int64(before))
	copy(b, whole[before:])
	return nil
}

// Close forgets everything. The pad is empty then, and may be used again.
func (p *Pad) Close() error {
	var err error
	if p.file != nil {
		err = p.file.Close()
	}
	if p.named != "" {
		err = errors.Join(err, os.Remove(p.named))
	}
	*p = Pad{}
	return err
}
