package main

import (
	"fmt"
	"time"
)

// growthOf prints what a row costs in sheets from a thousand rows on, and what the
// commands cost in ledgers from ten thousand payouts on. Each month of the large
// ledgers pays the same payees. All is CPU time, which a busy machine changes
// least: the commands are distinguished by their size here, not by their speed.
func growthOf(b *bench) {
	fmt.Printf("CPU time\n\n%12s %12s %12s %12s %8s\n", "rows", "check", "load", "load a row", "MB")
	for _, rows := range []int{1_000, 10_000, 100_000, 1_000_000, 3_000_000} {
		n := b.of(rows)
		sheet := b.sheet(sheetOf{rows: n})
		d := b.desk()
		check := d.payrun("check", sheet, "--quiet")
		load := d.load(sheet)
		fmt.Printf("%12s %12s %12s %12s %8d\n", thousands(n), shown(check.cpu), shown(load.cpu), shown(load.cpu/time.Duration(n)), load.peakMB)
		d.remove()
	}
	b.ledgersGrow()
}

// ledgersGrow loads month after month into one ledger, and asks at each size.
func (b *bench) ledgersGrow() {
	fmt.Printf("\n%12s %12s %12s %12s %12s %12s %12s %8s\n", "payouts", "load 10,000", "status", "status REF", "find, part", "verify", "a payout", "MB")
	d := b.desk()
	largest := 2_000_000
	if b.ten {
		largest = 10_000_000
	}
	held, month := 0, 0
	for _, size := range []int{10_000, 100_000, 1_000_000, 2_000_000, 10_000_000} {
		if size > largest {
			break
		}
		for target := b.of(size); held < target; month++ {
			n := min(target-held, b.of(1_000_000))
			sheet := b.sheet(sheetOf{rows: n, month: month})
			d.load(sheet)
			b.forget(sheet)
			held += n
		}
		b.askAt(d, held, month)
	}
	d.remove()
}

func (b *bench) askAt(d *desk, held, month int) {
	ref := fmt.Sprintf("AP-%d-%02d-%07d", 2026+(9+month)/12, 1+(9+month)%12, 5)
	var took []usage
	for _, args := range [][]string{{"status"}, {"status", ref}, {"find", "000123 Trad"}, {"ledger", "verify"}} {
		took = append(took, d.payrun(append(args, "--quiet")...))
	}
	sheet := b.sheet(sheetOf{rows: b.of(10_000), month: 60 + month})
	load := d.load(sheet)
	verify := took[3]
	fmt.Printf("%12s %12s %12s %12s %12s %12s %12s %8d\n", thousands(held), shown(load.cpu), shown(took[0].cpu), shown(took[1].cpu), shown(took[2].cpu),
		shown(verify.cpu), shown(verify.cpu/time.Duration(held)), verify.peakMB)
	b.forget(sheet)
}
