package reports

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"payrun/ledger"
)

// ErrNotTheirs says that a payouts.csv is not what was written from this ledger.
var ErrNotTheirs = errors.New("it was not written from this ledger, or was changed since")

// InFull copies the payouts.csv of a run, with each account number in full from the ledger, and returns how
// many payouts it has. attempts calls its argument for every attempt of the ledger, in the order of loading.
// Each line must belong to an attempt and show the end of its account number; else InFull returns ErrNotTheirs,
// and what it wrote so far is useless.
func InFull(w io.Writer, masked io.Reader, attempts func(func(ledger.Attempt) error) error) (payouts int, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", PayoutsFile, err)
		}
	}()
	from := bufio.NewReader(masked)
	if mark, _ := from.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		if _, err := io.CopyN(w, from, int64(len(byteOrderMark))); err != nil {
			return 0, err
		}
	}
	in, out := csv.NewReader(from), csv.NewWriter(w)
	heads, wrong := in.Read()
	if wrong != nil || !slices.Equal(heads, namesOf(attemptColumns)) {
		return 0, errors.Join(ErrNotTheirs, wrong)
	}
	if err := out.Write(heads); err != nil {
		return 0, err
	}
	at := func(name string) int { return slices.Index(heads, name) }
	ref, attempt, row, sheet, account := at("ref"), at("attempt"), at("row"), at("sheet_id"), at("bank_account_number")
	in.ReuseRecord = true
	line, wrong := in.Read()
	err = attempts(func(a ledger.Attempt) error {
		if wrong != nil || line[sheet] != a.SheetID || line[row] != strconv.Itoa(a.Row) || line[attempt] != strconv.Itoa(a.Number) {
			return nil // of another sheet, or not the payout's latest attempt at that time
		}
		if line[ref] != Inert(Clean(a.Ref)) || line[account] != Inert(Clean(ledger.Mask(a.BankAccountNumber))) {
			return ErrNotTheirs
		}
		line[account] = Inert(Clean(a.BankAccountNumber))
		payouts++
		err := out.Write(line)
		line, wrong = in.Read()
		return err
	})
	switch out.Flush(); {
	case err != nil:
		return payouts, err
	case wrong == nil: // a line without an attempt
		return payouts, ErrNotTheirs
	case !errors.Is(wrong, io.EOF):
		return payouts, errors.Join(ErrNotTheirs, wrong)
	}
	return payouts, out.Error()
}
