package samples_test

import (
	"fmt"
	"math/rand/v2"

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

var (
	places = []string{"Konkan", "Malwa", "Deccan", "Nilgiri", "Sabarmati", "Chambal", "Kaveri", "Godavari", "Vindhya", "Sahyadri", "Kutch", "Doab"}
	trades = []string{"Packaging", "Logistics", "Steel Traders", "Cold Storage", "Textile Mills", "Engineering Works", "Paper Products", "Chemicals", "Dairy Supplies", "Printing Press", "Electricals", "Facility Services"}
	forms  = []string{"", " Pvt Ltd", " LLP", " & Co", " & Sons"}
	hindi  = []string{"कोंकण पैकेजिंग उद्योग", "मालवा ट्रेडर्स", "दक्कन कोल्ड स्टोरेज", "गोदावरी डेयरी सप्लाई", "सह्याद्री इंजीनियरिंग वर्क्स", "नर्मदा परिवहन", "विंध्य वस्त्र भंडार"}
	works  = []string{"Packing material", "Freight", "Raw material", "AMC charges", "Printing", "Spares", "Housekeeping", "Milk supply", "Cartons", "Job work"}
)

// crores are the payouts from partner bank 1 that have to share batches below 50 crore.
var crores = []ledger.Paise{18_75_00_000_00, 14_20_50_000_00, 12_00_00_000_00, 9_85_40_250_50, 11_11_11_111_00, 8_50_00_000_00}

// monthEnd is a vendor run over all nine kinds of debit account: 44 payouts
// from partner bank 1, two of them to a beneficiary with an LEI of which one is
// above 50 crore; 30 from partner bank 3; 28 and 6 from the CIB and the RIB
// account of partner bank 12; 3 from each bank that takes one payout a batch.
func monthEnd(prefix string) []payout {
	rng := rand.New(rand.NewPCG(2025, 11))
	var run []payout
	add := func(debit string, n int, change func(i int, p *payout)) {
		for i := range n {
			p := vendor(rng, len(run))
			p.ref, p.debit = fmt.Sprintf("%s/%04d", prefix, len(run)+1), debit
			if change != nil {
				change(i, &p)
			}
			run = append(run, p)
		}
	}
	add(samples.AccountName(1, ledger.KindNone), 44, func(i int, p *payout) {
		switch {
		case i == 4 || i == 20:
			p.name, p.lei = "Chambal Steel Works Ltd", checked(leiSteel)
			p.account, p.ifsc = "00410200031877", "TSTA0000412"
			p.amount = map[int]ledger.Paise{4: 62_50_00_000_00, 20: 18_40_000_00}[i]
		case i == 11:
			p.name, p.lei, p.amount = "Kaveri Power Plant Ltd", checked(leiPower), 3_10_00_000_00
		case i%7 == 2:
			p.amount = crores[i/7%len(crores)]
		}
	})
	add(samples.AccountName(3, ledger.KindNone), 30, nil)
	add(samples.AccountName(12, ledger.KindCIB), 28, nil)
	add(samples.AccountName(12, ledger.KindRIB), 6, func(i int, p *payout) {
		p.account, p.ifsc = "", ""
		p.name, p.beneficiary = "Vindhya Catering", samples.Beneficiary1
		if i%2 == 1 {
			p.name, p.beneficiary = "Nilgiri Tea Stores", samples.Beneficiary2
		}
	})
	for _, bank := range []int{4, 8, 31, 79, 105} {
		add(samples.AccountName(bank, ledger.KindNone), 3, nil)
	}
	return run
}

// vendor is the n-th vendor of a run, with an invoice to pay. No two are alike.
func vendor(rng *rand.Rand, n int) payout {
	place, trade := n%len(places), (n/len(places)+n)%len(trades)
	p := payout{
		name:    places[place] + " " + trades[trade] + forms[rng.IntN(len(forms))],
		account: accountNumber(rng),
		ifsc:    fmt.Sprintf("TST%c0%06d", 'A'+rune(rng.IntN(4)), 100+rng.IntN(2400)),
		amount:  amount(rng),
		invoice: fmt.Sprintf("%02d-%05d", 11+n%2*14, 4000+rng.IntN(5000)),
		day:     1 + rng.IntN(28),
	}
	p.remarks = works[rng.IntN(len(works))] + " " + p.invoice
	switch {
	case n%17 == 5:
		p.name, p.remarks = hindi[n/17%len(hindi)], "नवंबर का भुगतान "+p.invoice
	case n%23 == 7:
		p.remarks = fmt.Sprintf(`%s, "urgent" lot %d, part 2`, p.invoice, 1+n%9)
	case n%19 == 3:
		p.remarks = ""
	}
	return p
}

// accountNumber has 11 to 16 digits; some begin with zeros, as many do.
func accountNumber(rng *rand.Rand) string {
	n := fmt.Sprintf("%016d", rng.Uint64N(1e16))
	if rng.IntN(4) == 0 {
		return "00" + n[:10]
	}
	return "5" + n[:10+rng.IntN(6)]
}

// amount is of 5 thousand to 40 lakh, most of it small, a few with paise.
func amount(rng *rand.Rand) ledger.Paise {
	most := []int64{50_000, 50_000, 2_00_000, 2_00_000, 10_00_000, 40_00_000}[rng.IntN(6)]
	rupees := 5_000 + rng.Int64N(most)
	paise := []int64{0, 0, 0, 0, 50, 25, rng.Int64N(100)}[rng.IntN(7)]
	return ledger.Paise(rupees*100 + paise)
}

// monthEndSheet lays the run out: the CSV as a program exports it, the workbook
// as a person keeps it.
func monthEndCSV() sheet {
	s := sheet{
		columns: renamed(extended(), "Ref No", "Beneficiary Name", "Account No", "IFSC Code", "Amount (INR)", "Narration",
			"Debit Account", "Beneficiary ID", "Beneficiary LEI", "Invoice No", "Invoice Date"),
		payouts: monthEnd("NOV25/VP"),
		gap:     true,
	}
	s.total = s.sum()
	return s
}

func monthEndXLSX() sheet {
	s := sheet{
		titles: []string{"Vendor payments, November 2025", "Amounts in INR. Checked against the ageing of 28 November."},
		columns: renamed(extended(), "Payout Ref", "Vendor Name", "Bank A/c No", "IFSC", "Net Payable", "Remarks",
			"From Account", "Bene ID", "LEI", "Invoice No", "Invoice Date"),
		payouts: monthEnd("NOV25/VPX"),
	}
	s.total = s.sum()
	return s
}
