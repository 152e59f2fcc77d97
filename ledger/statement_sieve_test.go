package ledger

import (
	"crypto/sha256"
	"fmt"
	"testing"
)

// The bytes of a sieve lie in ledgers in use, and what is asked for is looked up in
// them: where this changes, entries that were recorded before are hidden, and their
// ledgers do not verify. Then a migration has to make all sieves anew; do not only
// write another sum here.
func TestASieveNeverChanges(t *testing.T) {
	var making Sieving
	for i, e := range []StatementEntry{
		{Debit: true, Amount: 7100, Transacted: "2025-11-05 12:00:00", Reference: "UTIBN00000000001", Remarks: "NEFT/INV-1/Asha  Traders"},
		{Amount: 7100, Transacted: "2025-11-06", Remarks: "RETURN Ünïted 42 a_b"},
		{Debit: true, Amount: 300, Transacted: "2025-11-06", Reference: "of the booking alone",
			Details: []EntryDetail{{Amount: 100, Reference: "INV-2"}, {Amount: 200, Remarks: "inv-3 RAO"}}},
	} {
		if done := making.Add(&KeptEntry{ReadNo: 1, Place: i + 1, StatementEntry: e}); done != nil {
			t.Fatal("a part ended early")
		}
	}
	part := making.Last()
	const size, sum = 58, "9784949b8b1fcddc22566b0deabc02a6c15f8036e3876acfd387021798fe4f45"
	if got := fmt.Sprintf("%x", sha256.Sum256(part.Sieve)); len(part.Sieve) != size || got != sum || part.Newest != "2025-11-06" || part.Part != 1 {
		t.Errorf("part %d, newest %s, %d bytes of sum %s", part.Part, part.Newest, len(part.Sieve), got)
	}
	if SievedTogether != 512 {
		t.Error("as many places lie in one part of the ledgers in use")
	}
}
