package sqlite

import (
	"fmt"
	"testing"
)

// BenchmarkSubmit records submits as the engine does next to its calls: the attempts
// are read, the intent is recorded, then the outcome with what was said of each
// payout. The commits wait for the disk: cpu-ms/op is what to compare.
func BenchmarkSubmit(b *testing.B) {
	for _, size := range []int{1, 500} {
		b.Run(fmt.Sprintf("%d a batch", size), func(b *testing.B) { benchSubmit(b, size) })
	}
}

func benchSubmit(b *testing.B, size int) {
	s := newStore(b)
	var held []string
	var cpu float64
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		if len(held) == 0 {
			for _, batch := range load(b, s, fmt.Sprintf("sheet%d", n), 20*size, size) {
				hold(b, s, batch.ID)
				held = append(held, batch.ID)
			}
		}
		before := cpuSeconds()
		b.StartTimer()
		submit(b, s, held[0])
		cpu += cpuSeconds() - before
		held = held[1:]
	}
	b.ReportMetric(cpu/float64(b.N)*1e3, "cpu-ms/op")
}
