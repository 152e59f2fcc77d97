package xlsx

import (
	"bytes"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"
)

// Draft keeps what is written to it, for CopyTo to give back.
type Draft interface {
	io.Writer
	CopyTo(w io.Writer) error
}

// Packed takes the rows of one tab and packs them as they come. Rows are nearly all
// of a workbook: kept as they are and packed at the end, they would be written and
// read once more, eight times as large.
//
// It packs for speed, for packing is what reports take longest for: as well as can be
// would be a fifth smaller and take several times as long, and Go's own takes twice as
// long for the same size (docs/adr/0014).
type Packed struct {
	to     Draft
	pack   *flate.Writer
	crc    uint32 // of what came, as a ZIP has it
	size   int64  // of what came
	packed int64  // of what went to the draft
}

// NewPacked packs into a draft that has no other writer.
func NewPacked(to Draft) *Packed {
	p := &Packed{to: to}
	p.pack, _ = flate.NewWriter(packedInto{p}, flate.BestSpeed) // a level that there is
	return p
}

// Write takes what is to be packed.
func (p *Packed) Write(b []byte) (int, error) {
	p.crc = crc32.Update(p.crc, crc32.IEEETable, b)
	p.size += int64(len(b))
	return p.pack.Write(b)
}

// end is called when everything came; the last stretch of a part ends it.
func (p *Packed) end(last bool) error {
	if last {
		return p.pack.Close()
	}
	return p.pack.Flush()
}

// packedInto counts what is packed on its way to the draft.
type packedInto struct{ p *Packed }

func (w packedInto) Write(b []byte) (int, error) {
	n, err := w.p.to.Write(b)
	w.p.packed += int64(n)
	return n, err
}

// Memory is a Draft that is held until the workbook is put together.
type Memory struct{ bytes.Buffer }

// CopyTo writes all of it.
func (m *Memory) CopyTo(w io.Writer) error {
	_, err := w.Write(m.Bytes())
	return err
}

// packedWhole packs what there is of a stretch.
func packedWhole(last bool, of ...[]byte) (*Packed, error) {
	p := NewPacked(&Memory{})
	for _, b := range of {
		if _, err := p.Write(b); err != nil {
			return nil, err
		}
	}
	return p, p.end(last)
}

// crcJoined is the CRC-32 of two stretches, one behind the other, from that of each:
// the first's is moved on by as many bytes as the second has, which is multiplying it
// by x^(8·size) modulo the polynomial.
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

// crcTimes multiplies two polynomials modulo that of the CRC.
func crcTimes(a, b uint32) (product uint32) {
	for bit := uint32(1 << 31); bit != 0; bit >>= 1 {
		if a&bit != 0 {
			product ^= b
		}
		b = b>>1 ^ crc32.IEEE*(b&1)
	}
	return product
}
