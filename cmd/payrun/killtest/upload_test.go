//go:build unix

package killtest

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

// spooled are the sheets that wait at the desk, on the disk.
func (d *desk) spooled() []string {
	d.t.Helper()
	found, err := filepath.Glob(d.ledger() + ".spool/up-*")
	if err != nil {
		d.t.Fatal(err)
	}
	return found
}

// The desk killed while a sheet comes in: half of it lies there, and is gone with the
// next start. Stopped as a person does, it leaves nothing.
func TestTheDeskKilledWhileASheetComesIn(t *testing.T) {
	t.Parallel()
	d := openDesk(t, openBank(t, *seed), *seed, 0)
	b := d.serve("--no-poll")
	d.joined(b, "load")
	form := b.hidden("/sheets/new", "/sheets/new")[1]
	body, sheet := io.Pipe()
	r, err := http.NewRequest("POST", b.origin+"/sheets/new", body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	answered := make(chan error, 1)
	go func() {
		answer, err := b.client.Do(r)
		if err == nil {
			_ = answer.Body.Close()
			err = fmt.Errorf("it was answered: %s", answer.Status)
		}
		_ = body.CloseWithError(err)
		answered <- err
	}()
	_, err = io.WriteString(sheet, "--x\r\nContent-Disposition: form-data; name=\"form\"\r\n\r\n"+form+
		"\r\n--x\r\nContent-Disposition: form-data; name=\"sheet\"; filename=\"nov.csv\"\r\n\r\nReference,Amount\n")
	for line := 0; err == nil && line < 20_000; line++ {
		_, err = fmt.Fprintf(sheet, "INV/%d,100.00\n", line)
	}
	if err != nil {
		t.Fatal(err)
	}
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
	_ = sheet.CloseWithError(io.ErrUnexpectedEOF) // nobody reads on
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
