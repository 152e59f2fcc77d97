package samples_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/samples"
)

// Made-up Legal Entity Identifiers with right check digits.
const (
	leiSteel = "TESTSTEELWORKS0001"
	leiPower = "TESTPOWERPLANT0002"
)

// checked adds the two check digits of an LEI (ISO 7064 mod 97-10).
func checked(lei string) string {
	for c := 2; c < 99; c++ {
		if whole := fmt.Sprintf("%s%02d", lei, c); ledger.ValidLEI(whole) {
			return whole
		}
	}
	panic("no check digits for " + lei)
}

// monthEnd is the vendor run of month-end.csv, under other references. The file is its own
// source: content_test.go says what is in it.
func monthEnd(t *testing.T, prefix string) (run []payout) {
	t.Helper()
	data, err := samples.FS.ReadFile(samples.MonthEndCSV)
	check(t, err)
	rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte(byteOrderMark)))).ReadAll()
	check(t, err)
	for _, row := range rows[1 : len(rows)-2] { // below the header, above a blank row and the total
		amount, err := ledger.ParsePaise(strings.ReplaceAll(row[4], ",", ""))
		check(t, err)
		invoiced, err := time.Parse("02-01-2006", row[10])
		check(t, err)
		run = append(run, payout{ref: prefix + strings.TrimPrefix(row[0], "NOV25/VP"), name: row[1], account: row[2], ifsc: row[3], amount: amount,
			remarks: row[5], debit: row[6], beneficiary: row[7], lei: row[8], invoice: row[9], day: invoiced.Day()})
	}
	return run
}

// monthEndSheet lays the run out: the CSV as a program exports it, the workbook
// as a person keeps it.
func monthEndCSV(t *testing.T) sheet {
	s := sheet{
		columns: renamed(extended(), "Ref No", "Beneficiary Name", "Account No", "IFSC Code", "Amount (INR)", "Narration",
			"Debit Account", "Beneficiary ID", "Beneficiary LEI", "Invoice No", "Invoice Date"),
		payouts: monthEnd(t, "NOV25/VP"),
		gap:     true,
	}
	s.total = s.sum()
	return s
}

func monthEndXLSX(t *testing.T) sheet {
	s := sheet{
		titles: []string{"Vendor payments, November 2025", "Amounts in INR. Checked against the ageing of 28 November."},
		columns: renamed(extended(), "Payout Ref", "Vendor Name", "Bank A/c No", "IFSC", "Net Payable", "Remarks",
			"From Account", "Bene ID", "LEI", "Invoice No", "Invoice Date"),
		payouts: monthEnd(t, "NOV25/VPX"),
	}
	s.total = s.sum()
	return s
}
