package storetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var contents = []Check{
	{"a sheet's bytes come back as they were", bytesComeBack},
	{"other bytes than the sheet's are refused", otherBytesAreRefused},
	{"a load that is undone keeps no bytes and hangs nobody", anUndoneLoadKeepsNoBytes},
	{"bytes that were not kept are not found", bytesNotKept},
}

// withBytes loads a sheet of two payouts with this content.
func (d *desk) withBytes(name string, content []byte, r ledger.ReadOptions) ledger.Sheet {
	d.Helper()
	list := payouts(name, 2)
	sh := sheetOf(name, list)
	sum := sha256.Sum256(content)
	sh.SHA256 = hex.EncodeToString(sum[:])
	l, err := d.BeginLoad(d.ctx)
	d.must(err)
	l.ReadAs(r)
	w := l.Contents()
	d.must(l.Add(keyed(list)))
	if _, err := io.Copy(w, iotest.HalfReader(bytes.NewReader(content))); err != nil {
		d.Fatal(err)
	}
	sh = sh.Identified()
	if _, err = l.Commit(sh, plan(list, 2)); err != nil {
		d.Fatal(err)
	}
	return sh
}

func noise(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(b)
	return b
}

func bytesComeBack(t testing.TB, o Opener) {
	const part = 1 << 20 // about where a store may split the bytes
	d := begin(t, o)
	for name, content := range map[string][]byte{
		"line":     []byte("ref,amount\nINV-1,1.00\n"),
		"part":     bytes.Repeat([]byte("0123456789abcdef"), part/16),
		"partplus": append(bytes.Repeat([]byte("0123456789abcdef"), part/16), '\n'),
		"long":     []byte(strings.Repeat("INV-1,Asha Traders,50200012345678,HDFC0001234,100.00\n", 100_000)),
		"noise":    noise(3*part + 17),
		"zip":      append([]byte("PK\x03\x04"), noise(2*part)...),
	} {
		r := ledger.ReadOptions{Encoding: "windows-1252", HiddenRows: "skip", Columns: map[string]string{"amount": "Net Pay"}}
		sh := d.withBytes(name, content, r)
		var got bytes.Buffer
		reading, err := d.SheetContents(d.ctx, sh.ID, &got)
		if err != nil || !bytes.Equal(got.Bytes(), content) {
			d.Errorf("%s: %d bytes of %d came back, %v", name, got.Len(), len(content), err)
		}
		if diff := cmp.Diff(r, reading); diff != "" {
			d.Errorf("%s: how it was read (-want +got):\n%s", name, diff)
		}
	}
	d.whole()
}

func otherBytesAreRefused(t testing.TB, o Opener) {
	d := begin(t, o)
	before := d.world()
	list := payouts("nov", 2)
	l, err := d.BeginLoad(d.ctx)
	d.must(err)
	if _, err := l.Contents().Write([]byte("something else")); err != nil {
		d.Fatal(err)
	}
	d.must(l.Add(keyed(list)))
	if _, err := l.Commit(sheetOf("nov", list), plan(list, 2)); err == nil {
		d.Error("a sheet was loaded with other bytes than its own")
	}
	d.is(before, "a load with other bytes")
	d.load("nov", 2, 2)
	d.whole()
}

func anUndoneLoadKeepsNoBytes(t testing.TB, o Opener) {
	d := begin(t, o)
	before := d.world()
	l, err := d.BeginLoad(d.ctx)
	d.must(err)
	w := l.Contents()
	if _, err := w.Write(noise(5<<20 + 3)); err != nil { // more than any buffer holds
		d.Fatal(err)
	}
	d.must(l.Rollback())
	if _, err := w.Write([]byte("late")); err == nil {
		d.Error("bytes were taken after the load was over")
	}
	d.is(before, "a load that was undone")
}

func bytesNotKept(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 2, 2)
	for _, id := range []string{b[0].SheetID, "shnosuch"} {
		if _, err := d.SheetContents(context.Background(), id, io.Discard); !errors.Is(err, ledger.ErrNotFound) {
			d.Errorf("%s: %v, want ErrNotFound", id, err)
		}
	}
}
