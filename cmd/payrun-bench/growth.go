package main

import (
	"fmt"
	"time"
)

// growthOf prints what a row costs in sheets from a thousand rows on, and what the
// commands cost in ledgers from ten thousand payouts on. Each month of the large
// ledgers pays the same payees. All is CPU time, which a busy machine changes
// least: the commands are distinguished by their size here, not by their speed.
func growthOf(b *bench) error {
	fmt.Printf("CPU time\n\n%12s %12s %12s %12s %8s\n", "rows", "check", "load", "load a row", "MB")
	for _, rows := range []int{1_000, 10_000, 100_000, 1_000_000, 3_000_000} {
		n := b.of(rows)
		sheet, err := b.sheet(sheetOf{rows: n})
		if err != nil {
			return err
		}
		d, err := b.desk()
		if err != nil {
			return err
		}
		check, err := d.payrun("check", sheet, "--quiet")
		if err != nil {
			return err
		}
		load, err := d.load(sheet)
		if err != nil {
			return err
		}
		fmt.Printf("%12s %12s %12s %12s %8d\n", thousands(n), shown(check.cpu), shown(load.cpu), shown(load.cpu/time.Duration(n)), load.peakMB)
		if err := d.remove(); err != nil {
			return err
		}
	}
	return b.ledgersGrow()
}

// ledgersGrow loads month after month into one ledger, and asks at each size.
func (b *bench) ledgersGrow() error {
	fmt.Printf("\n%12s %12s %12s %12s %12s %12s %12s %8s\n", "payouts", "load 10,000", "status", "status REF", "find, part", "verify", "a payout", "MB")
	d, err := b.desk()
	if err != nil {
		return err
	}
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
			sheet, err := b.sheet(sheetOf{rows: n, month: month})
			if err != nil {
				return err
			}
			if _, err := d.load(sheet); err != nil {
				return err
			}
			if err := b.forget(sheet); err != nil {
				return err
			}
			held += n
		}
		if err := b.askAt(d, held, month); err != nil {
			return err
		}
	}
	return d.remove()
}

func (b *bench) askAt(d *desk, held, month int) error {
	ref := fmt.Sprintf("AP-%d-%02d-%07d", 2026+(9+month)/12, 1+(9+month)%12, 5)
	var took []usage
	for _, args := range [][]string{{"status"}, {"status", ref}, {"find", "000123 Trad"}, {"ledger", "verify"}} {
		u, err := d.payrun(append(args, "--quiet")...)
		if err != nil {
			return err
		}
		took = append(took, u)
	}
	sheet, err := b.sheet(sheetOf{rows: b.of(10_000), month: 60 + month})
	if err != nil {
		return err
	}
	load, err := d.load(sheet)
	if err != nil {
		return err
	}
	verify := took[3]
	fmt.Printf("%12s %12s %12s %12s %12s %12s %12s %8d\n", thousands(held), shown(load.cpu), shown(took[0].cpu), shown(took[1].cpu), shown(took[2].cpu),
		shown(verify.cpu), shown(verify.cpu/time.Duration(held)), verify.peakMB)
	return b.forget(sheet)
}
