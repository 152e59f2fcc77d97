package sandbox

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"math"
)

// dice decides by seed. It draws nothing from a sequence: each decision depends only on its subject. So the
// same calls get the same answers in any order, over any number of connections and across restarts.
type dice struct{ seed int64 }

func (d dice) hash(about ...string) [sha256.Size]byte {
	h := sha256.New()
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(d.seed))
	h.Write(n[:])
	for _, a := range about {
		binary.BigEndian.PutUint64(n[:], uint64(len(a)))
		h.Write(n[:])
		h.Write([]byte(a))
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// roll returns a number from 0 to sides-1.
func (d dice) roll(sides int, about ...string) int {
	h := d.hash(about...)
	return int(binary.BigEndian.Uint64(h[:]) % uint64(sides))
}

// flip is true for half of all seeds.
func (d dice) flip(about ...string) bool { return d.roll(2, about...) == 1 }

func (d dice) pick(from []string, about ...string) string {
	return from[d.roll(len(from), about...)]
}

func (d dice) uuid(about ...string) string {
	h := d.hash(about...)
	h[6], h[8] = h[6]&0x0f|0x40, h[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[0:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

// text returns upper-case letters and digits.
func (d dice) text(chars int, about ...string) string {
	h := d.hash(about...)
	return base32.StdEncoding.EncodeToString(h[:])[:chars]
}

func (d dice) digits(n int, about ...string) string {
	return fmt.Sprintf("%0*d", n, d.roll(int(math.Pow10(n)), about...))
}
