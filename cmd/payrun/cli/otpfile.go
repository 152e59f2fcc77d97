package cli

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

// otpColumns are the columns that --otp-file may have; the first two must be there.
var otpColumns = [...]string{"merchant_transfer_batch_id", "otp", "transaction_token", "bene_lei"}

// maxOTPFile bounds it: a hundred thousand batches.
const maxOTPFile = 16 << 20

// readOTPs reads --otp-file FILE, or standard input for "-". Nothing of its
// content appears in an error.
func (p *session) readOTPs(path string) ([]app.OTP, error) {
	in := p.world.Stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, usage("the OTP file %s cannot be read: %v", path, config.Reason(err)).Because(err)
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return nil, usage("the OTP file %s cannot be read: %v", path, config.Reason(err)).Because(err)
		}
		if err := p.set.Ours("the OTP file", path, info); err != nil {
			return nil, err
		}
		if err := onlyOurs(path, info); err != nil {
			return nil, err
		}
		in = f
	}
	entries, err := parseOTPs(in)
	if err != nil {
		return nil, usage("the OTP file %s: %v; nothing was sent", path, err).
			Then(app.Say("its header is %s; the last two may be absent", strings.Join(otpColumns[:], ",")))
	}
	return entries, nil
}

// onlyOurs refuses an OTP file that is anything but a pipe, or a file that
// nobody else may use: who reads an OTP before it is used may use it.
func onlyOurs(path string, opened fs.FileInfo) error {
	mode := opened.Mode()
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return nil
	case !mode.IsRegular():
		return usage("the OTP file %s is neither a file nor a pipe; nothing was sent", path)
	case mode.Perm()&^0o600 != 0:
		return usage("the OTP file %s may be used by others (mode %04o); nothing was sent", path, mode.Perm()).Then(app.Say("chmod 600 %s", path))
	}
	return nil
}

func parseOTPs(in io.Reader) ([]app.OTP, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxOTPFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxOTPFile:
		return nil, errors.New("it is too long")
	}
	rows := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	rows.TrimLeadingSpace = true
	header, err := rows.Read()
	if err != nil {
		return nil, notCSV(err)
	}
	if err := checkOTPHeader(header); err != nil {
		return nil, err
	}
	all, err := rows.ReadAll()
	if err != nil {
		return nil, notCSV(err)
	}
	var entries []app.OTP
	seen := map[string]bool{}
	for i, row := range all {
		cell := func(column string) string {
			if at := slices.Index(header, column); at >= 0 {
				return strings.TrimSpace(row[at])
			}
			return ""
		}
		id, lei := cell("merchant_transfer_batch_id"), cell("bene_lei")
		switch {
		case id == "":
			return nil, fmt.Errorf("entry %d names no batch", i+1)
		case strings.Trim(id, "0123456789") == "": // as where two columns are exchanged: it is not shown
			return nil, fmt.Errorf("entry %d names no batch: what stands there is digits alone, as an OTP is", i+1)
		case seen[id]:
			return nil, fmt.Errorf("entry %d names a batch that another one named", i+1)
		case lei != "" && !ledger.ValidLEI(lei):
			return nil, fmt.Errorf("entry %d: bene_lei is not a valid LEI", i+1)
		}
		seen[id] = true
		entries = append(entries, app.OTP{BatchID: id, LEI: lei, OTP: ledger.NewSecret(cell("otp")), Token: ledger.NewSecret(cell("transaction_token"))})
	}
	return entries, nil
}

// checkOTPHeader refuses a header of which a column is missing, misspelt or there twice.
func checkOTPHeader(header []string) error {
	for _, needed := range otpColumns[:2] {
		if !slices.Contains(header, needed) {
			return fmt.Errorf("the column %s is missing, or the separator is not a comma", needed)
		}
	}
	for i, name := range header {
		if !slices.Contains(otpColumns[:], name) {
			return errors.New("its header has an unknown column")
		}
		if slices.Contains(header[:i], name) {
			return fmt.Errorf("the column %s appears twice", name)
		}
	}
	return nil
}

// notCSV words a parse error by its line alone.
func notCSV(err error) error {
	if p, ok := errors.AsType[*csv.ParseError](err); ok {
		return fmt.Errorf("line %d is not valid CSV", p.Line)
	}
	if errors.Is(err, io.EOF) {
		return errors.New("it is empty")
	}
	return errors.New("it is not valid CSV")
}
