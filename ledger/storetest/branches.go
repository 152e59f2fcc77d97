package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"payrun/ledger"
)

var branches = []Check{
	{"a branch list is replaced whole, or stays", aListReplacesAnother},
}

func listOf(bank string, at time.Time) ledger.BranchList {
	return ledger.BranchList{Name: bank + ".csv", SHA256: hash(bank), ImportedAt: at, ImportedBy: asha}
}

func branchesOf(bank string, n int) []ledger.Branch {
	list := make([]ledger.Branch, n)
	for i := range list {
		list[i] = ledger.Branch{IFSC: fmt.Sprintf("%s0%06d", bank, n-i), Bank: bank + " BANK", Branch: fmt.Sprintf("BRANCH %d", n-i), City: "PUNE", State: "MAHARASHTRA"}
	}
	return list
}

func aListReplacesAnother(t testing.TB, o Opener) {
	const n = 1050 // more than fit into one SQL statement
	d := begin(t, o)
	if _, err := d.BranchList(d.ctx); !errors.Is(err, ledger.ErrNotFound) {
		d.Errorf("a list before there is one: %v", err)
	}
	var codes []string
	for i := range n + 1 {
		codes = append(codes, fmt.Sprintf("BBBB0%06d", i), fmt.Sprintf("AAAA0%06d", i))
	}
	if found, err := d.Branches(d.ctx, codes); err != nil || len(found) != 0 {
		d.Errorf("branches before there is a list: %v, %v", found, err)
	}
	want := d.world()
	for i, bank := range []string{"AAAA", "BBBB"} {
		list := listOf(bank, minute(i))
		d.must(d.ImportBranches(d.ctx, list, branchesOf(bank, n)))
		list.Count = n
		want.Branches = list
		want.event(list.Event())
		d.is(want, "importing %s", bank)
	}
	d.reopen()
	holds := func(doing string) {
		found, err := d.Branches(d.ctx, codes)
		if err != nil || len(found) != n {
			d.Errorf("%s: %d branches, %v", doing, len(found), err)
		}
		for _, b := range branchesOf("BBBB", n) {
			if found[b.IFSC] != b {
				d.Fatalf("%s: %s is %+v, want %+v", doing, b.IFSC, found[b.IFSC], b)
			}
		}
		d.is(want, "%s", doing)
	}
	holds("opened again")
	if err := d.ImportBranches(d.ctx, listOf("CCCC", minute(3)), append(branchesOf("CCCC", 300), branchesOf("CCCC", 1)...)); !errors.Is(err, ledger.ErrDuplicate) {
		d.Errorf("a code twice: %v", err)
	}
	holds("after a list with a code twice")
	nobodys := listOf("CCCC", minute(3))
	nobodys.ImportedBy = ""
	if err := d.ImportBranches(d.ctx, nobodys, branchesOf("CCCC", 1)); err == nil {
		d.Error("a list was imported in nobody's name")
	}
	holds("after a list of nobody")
	d.whole()
}
