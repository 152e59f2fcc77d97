//go:build unix

package killtest

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// spooled are the sheets that wait at the desk, on the disk.
func (d *desk) spooled() []string { return d.found(d.ledger() + ".spool/up-*") }

func (d *desk) found(pattern string) []string {
	d.t.Helper()
	found, err := filepath.Glob(pattern)
	must(d.t, err)
	return found
}

// begin posts while the test goes on. The channel gets how it ended: that it was answered is an
// error too.
func (b *browser) begin(path, contentType string, body io.Reader) chan error {
	b.t.Helper()
	r, err := http.NewRequest("POST", b.origin+path, body)
	must(b.t, err)
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	answered := make(chan error, 1)
	go func() {
		answer, err := b.client.Do(r)
		if err == nil {
			_ = answer.Body.Close()
			err = fmt.Errorf("it was answered: %s", answer.Status)
		}
		answered <- err
	}()
	return answered
}

// The desk killed while a sheet comes in: half of it lies there, and is gone with the
// next start. Stopped as a person does, it leaves nothing.
func TestTheDeskKilledWhileASheetComesIn(t *testing.T) {
	ofTheProof(t)
	d := openDesk(t, openBank(t, *seed), *seed, 0)
	b := d.serve("--no-poll")
	d.joined(b, "load")
	form := b.hidden("/sheets/new", "/sheets/new")[1]
	body, sheet := io.Pipe()
	answered := b.begin("/sheets/new", "multipart/form-data; boundary=x", body)
	_, err := io.WriteString(sheet, "--x\r\nContent-Disposition: form-data; name=\"form\"\r\n\r\n"+form+
		"\r\n--x\r\nContent-Disposition: form-data; name=\"sheet\"; filename=\"nov.csv\"\r\n\r\nReference,Amount\n")
	for line := 0; err == nil && line < 20_000; line++ {
		_, err = fmt.Fprintf(sheet, "INV/%d,100.00\n", line)
	}
	must(t, err)
	until(t, "half of it lies there", func() bool {
		found := d.spooled()
		if len(found) != 1 {
			return false
		}
		info, err := os.Stat(found[0])
		return err == nil && info.Size() > 0
	})
	b.desk.kill()
	<-b.rest
	_ = sheet.CloseWithError(io.ErrUnexpectedEOF) // the reader stopped
	if err := <-answered; err == nil || len(d.spooled()) != 1 {
		t.Fatalf("the kill came too late: %v, %q", err, d.spooled())
	}
	b = d.serve("--no-poll")
	if left := d.spooled(); len(left) > 0 {
		t.Errorf("the next desk keeps %q", left)
	}
	b.stop()
	d.sound()
}

// The desk killed while it makes a file to be given out: what it has made so far lies in
// the folder of the sheets, and is gone with the next start. It lies nowhere else.
func TestTheDeskKilledWhileAFileIsMade(t *testing.T) {
	ofTheProof(t)
	const rows = 20_000
	d := openDesk(t, openBank(t, *seed), *seed, 0)
	var text strings.Builder
	text.WriteString("Ref No,Beneficiary Name,Account No,IFSC Code,Amount,Debit Account\nGOOD-1,Asha,918000000001,HDFC0001234,1.00,pb3\n")
	for row := range rows {
		fmt.Fprintf(&text, "BAD-%d,Asha,918000000001,HDFC,1.00,pb3\n", row)
	}
	d.write("nov.csv", text.String())
	if o := d.run("load", "nov.csv", "--skip-bad"); len(d.batches()) != 1 {
		t.Fatalf("%d: %s", o.exit, o.err)
	}
	if err := os.Remove(d.path("nov.rejected.csv")); err != nil { // given back at the terminal
		t.Fatal(err)
	}
	b := d.serve("--no-poll")
	d.joined(b, "load")
	sheet := regexp.MustCompile(`/sheets/sh[a-z0-9]+`).FindString(b.get("/sheets"))
	form := url.Values{"form": b.hidden(sheet, sheet+"/rejected")[1:2]}.Encode()
	answered := b.begin(sheet+"/rejected", "application/x-www-form-urlencoded", strings.NewReader(form))
	until(t, "something of it lies there", func() bool { return len(d.found(d.ledger()+".spool/out-*/*")) > 0 })
	b.desk.kill()
	<-b.rest
	<-answered
	made := d.found(d.ledger() + ".spool/out-*/*")
	if len(made) == 0 {
		t.Fatal("the kill came too late")
	}
	for _, path := range made {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	if elsewhere := append(d.found(d.path("payrun-*")), d.found(d.path("*rejected*"))...); len(elsewhere) > 0 {
		t.Errorf("there is also %q", elsewhere)
	}
	b = d.serve("--no-poll")
	if left := d.found(d.ledger() + ".spool/out-*"); len(left) > 0 {
		t.Errorf("the next desk keeps %q", left)
	}
	b.login()
	form = url.Values{"form": b.hidden(sheet, sheet+"/rejected")[1:2]}.Encode()
	if _, got := b.send("POST", sheet+"/rejected", strings.NewReader(form)); strings.Count(got, "BAD-") < rows || len(d.found(d.ledger()+".spool/out-*")) > 0 {
		t.Errorf("from the next desk come %d bytes; there is %q", len(got), d.found(d.ledger()+".spool/out-*"))
	}
	b.stop()
	d.must(0, "ledger", "verify")
}
