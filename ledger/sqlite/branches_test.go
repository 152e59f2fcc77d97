package sqlite

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

func someBranches(bank string, n int) []ledger.Branch {
	branches := make([]ledger.Branch, n)
	for i := range branches {
		branches[i] = ledger.Branch{IFSC: fmt.Sprintf("%s0%06d", bank, n-i), Bank: bank + " BANK", Branch: fmt.Sprintf("BRANCH %d", n-i), City: "PUNE", State: "MAHARASHTRA"}
	}
	return branches
}

func TestABranchListReplacesTheOneBefore(t *testing.T) {
	s := newStore(t)
	if _, err := s.BranchList(t.Context()); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("a list before there is one: %v", err)
	}
	for i, bank := range []string{"AAAA", "BBBB"} {
		list := ledger.BranchList{ImportedBy: "asha", Name: bank + ".csv", SHA256: hash(bank), ImportedAt: at(i)}
		if err := s.ImportBranches(t.Context(), list, someBranches(bank, 1050)); err != nil {
			t.Fatal(err)
		}
	}
	s = reopenToRead(t, s)
	list, err := s.BranchList(t.Context())
	want := ledger.BranchList{Name: "BBBB.csv", SHA256: hash("BBBB"), Count: 1050, ImportedAt: at(1), ImportedBy: "asha"}
	if d := cmp.Diff(want, list); d != "" || err != nil {
		t.Errorf("(-want +got):\n%s%v", d, err)
	}
	var codes []string
	for i := range 1051 { // more than one query asks about
		codes = append(codes, fmt.Sprintf("BBBB0%06d", i), "AAAA0000001")
	}
	found, err := s.Branches(t.Context(), codes)
	if err != nil || len(found) != 1050 {
		t.Errorf("%d branches, %v", len(found), err)
	}
	if d := cmp.Diff(someBranches("BBBB", 1050)[0], found["BBBB0001050"]); d != "" {
		t.Error(d)
	}
	kinds := 0
	err = s.Events(t.Context(), func(e ledger.Event) error {
		if e.Kind == ledger.EventBranchesLoaded {
			kinds++
		}
		return nil
	})
	if err != nil || kinds != 2 {
		t.Errorf("%d events, %v", kinds, err)
	}
	sound(t, s)
}

func TestAnImportThatFailsLeavesTheListBefore(t *testing.T) {
	s := newStore(t)
	list := ledger.BranchList{ImportedBy: "asha", Name: "a.csv", SHA256: hash("a"), ImportedAt: at(1)}
	if err := s.ImportBranches(t.Context(), list, someBranches("AAAA", 3)); err != nil {
		t.Fatal(err)
	}
	list.Name = "b.csv"
	if err := s.ImportBranches(t.Context(), list, append(someBranches("BBBB", 300), someBranches("BBBB", 1)...)); !errors.Is(err, ledger.ErrDuplicate) {
		t.Errorf("a code twice: %v", err)
	}
	got, err := s.BranchList(t.Context())
	if err != nil || got.Name != "a.csv" || got.Count != 3 {
		t.Errorf("%+v, %v", got, err)
	}
	if found, err := s.Branches(t.Context(), []string{"AAAA0000003", "BBBB0000001"}); err != nil || len(found) != 1 {
		t.Errorf("%v, %v", found, err)
	}
	sound(t, s)
	readOnly := reopenToRead(t, s)
	if err := readOnly.ImportBranches(t.Context(), list, someBranches("CCCC", 1)); err == nil {
		t.Error("a list was imported into a ledger opened for reading")
	}
}
