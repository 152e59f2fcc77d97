package xlsx

import (
	"bytes"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"
)

// Draft keeps what is written to it until CopyTo.
type Draft interface {
	io.Writer
	CopyTo(w io.Writer) error
}

// Packed packs the rows of one tab as they come. Rows are nearly all of a workbook: if they were kept unpacked
// until the end, they would be written and read once more, at eight times the size.
//
// It packs for speed, because packing takes the largest part of the time for reports. The best compression
// would be a fifth smaller and take several times as long, and Go's own takes twice as long for the same size
// (docs/adr/0014).
type Packed struct {
	to     Draft
	pack   *flate.Writer
	crc    uint32 // of the unpacked bytes, as a ZIP has it
	size   int64  // unpacked bytes
	packed int64  // bytes that went to the draft
}

// NewPacked packs into a draft that has no other writer.
func NewPacked(to Draft) *Packed {
	p := &Packed{to: to}
	p.pack, _ = flate.NewWriter(packedInto{p}, flate.BestSpeed) // the level exists
	return p
}

// Write packs bytes.
func (p *Packed) Write(b []byte) (int, error) {
	p.crc = crc32.Update(p.crc, crc32.IEEETable, b)
	p.size += int64(len(b))
	return p.pack.Write(b)
}

// end must be called after the last Write. last ends the part, else another stretch follows.
func (p *Packed) end(last bool) error {
	if last {
		return p.pack.Close()
	}
	return p.pack.Flush()
}

// packedInto counts the packed bytes on their way to the draft.
type packedInto struct{ p *Packed }

func (w packedInto) Write(b []byte) (int, error) {
	n, err := w.p.to.Write(b)
	w.p.packed += int64(n)
	return n, err
}

// Memory is a Draft in memory, for the time until the workbook is written.
type Memory struct{ bytes.Buffer }

// CopyTo writes all of it.
func (m *Memory) CopyTo(w io.Writer) error {
	_, err := w.Write(m.Bytes())
	return err
}

// packedWhole packs a whole stretch.
func packedWhole(last bool, of ...[]byte) (*Packed, error) {
	p := NewPacked(&Memory{})
	for _, b := range of {
		if _, err := p.Write(b); err != nil {
			return nil, err
		}
	}
	return p, p.end(last)
}

// crcJoined returns the CRC-32 of two joined stretches from the CRC-32 of each. It shifts the first by the
// length of the second, which multiplies it by x^(8·size) modulo the polynomial.
func crcJoined(first, second uint32, size int64) uint32 {
	const one, x = 1 << 31, 1 << 30 // the highest bit is the lowest power
	power := uint32(x)
	for range 3 {
		power = crcTimes(power, power) // x^8
	}
	moved := uint32(one)
	for ; size > 0; size >>= 1 {
		if size&1 != 0 {
			moved = crcTimes(power, moved)
		}
		power = crcTimes(power, power)
	}
	return crcTimes(moved, first) ^ second
}

// crcTimes multiplies two polynomials modulo the CRC's polynomial.
func crcTimes(a, b uint32) (product uint32) {
	for bit := uint32(1 << 31); bit != 0; bit >>= 1 {
		if a&bit != 0 {
			product ^= b
		}
		b = b>>1 ^ crc32.IEEE*(b&1)
	}
	return product
}
