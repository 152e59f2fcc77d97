package samples_test

import (
	"fmt"
	"strings"
	"testing"

	"payrun/ledger"
	"payrun/samples"
)

// message is a pain.001 of the payouts of six: the first four from pb3, the
// others from pb1, all on one day that is past.
type message struct {
	version string // 03 or 09
	payouts []payout
	day     string
}

func sixAsMessage(version string) message {
	return message{version: version, payouts: six().payouts, day: "2025-11-27"}
}

// debtorNumbers are the numbers of the sandbox's accounts, as payrun.toml has them.
var debtorNumbers = map[string]string{"pb3": "50200003000009", "pb1": "50200001000003"}

func (m message) xml(*testing.T) []byte {
	var b strings.Builder
	total := sum(m.payouts)
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.%s">
  <CstmrCdtTrfInitn>
    <GrpHdr>
      <MsgId>SAMPLE-DEC25</MsgId>
      <CreDtTm>2025-11-27T09:30:00</CreDtTm>
      <NbOfTxs>%d</NbOfTxs>
      <CtrlSum>%s</CtrlSum>
      <InitgPty><Nm>Sample Trading Private Limited</Nm></InitgPty>
    </GrpHdr>
`, m.version, len(m.payouts), total)
	const ofFirst = 4
	m.part(&b, "pb3", m.payouts[:ofFirst])
	m.part(&b, "pb1", m.payouts[ofFirst:])
	b.WriteString("  </CstmrCdtTrfInitn>\n</Document>\n")
	return []byte(b.String())
}

func sum(payouts []payout) (total ledger.Paise) {
	for _, p := range payouts {
		total += p.amount
	}
	return total
}

func (m message) part(b *strings.Builder, debit string, payouts []payout) {
	day := m.day
	if m.version == "09" {
		day = "<Dt>" + day + "</Dt>"
	}
	fmt.Fprintf(b, `    <PmtInf>
      <PmtInfId>DEC25-%[1]s</PmtInfId>
      <PmtMtd>TRF</PmtMtd>
      <NbOfTxs>%[2]d</NbOfTxs>
      <CtrlSum>%[3]s</CtrlSum>
      <PmtTpInf><LclInstrm><Prtry>NEFT</Prtry></LclInstrm></PmtTpInf>
      <ReqdExctnDt>%[4]s</ReqdExctnDt>
      <Dbtr><Nm>Sample Trading Private Limited</Nm></Dbtr>
      <DbtrAcct><Id><Othr><Id>%[5]s</Id></Othr></Id><Ccy>INR</Ccy></DbtrAcct>
      <DbtrAgt><FinInstnId><Nm>Sandbox</Nm></FinInstnId></DbtrAgt>
      <ChrgBr>SLEV</ChrgBr>
`, debit, len(payouts), sum(payouts), day, debtorNumbers[debit])
	for _, p := range payouts {
		fmt.Fprintf(b, `      <CdtTrfTxInf>
        <PmtId><InstrId>%[1]s</InstrId><EndToEndId>%[1]s</EndToEndId></PmtId>
        <Amt><InstdAmt Ccy="INR">%[2]s</InstdAmt></Amt>
        <CdtrAgt>
          <FinInstnId>
            <ClrSysMmbId><ClrSysId><Cd>INFSC</Cd></ClrSysId><MmbId>%[3]s</MmbId></ClrSysMmbId>
          </FinInstnId>
        </CdtrAgt>
        <Cdtr><Nm>%[4]s</Nm><PstlAdr><Ctry>IN</Ctry></PstlAdr></Cdtr>
        <CdtrAcct><Id><Othr><Id>%[5]s</Id></Othr></Id></CdtrAcct>
        <RmtInf><Ustrd>%[6]s</Ustrd></RmtInf>
      </CdtTrfTxInf>
`, escaped(p.ref), p.amount, p.ifsc, escaped(p.name), p.account, escaped(p.remarks))
	}
	b.WriteString("    </PmtInf>\n")
}

// edited gives a message with one piece of its text replaced, the first time it
// is there.
func (m message) edited(before, after string) func(*testing.T) []byte {
	return func(t *testing.T) []byte {
		text := string(m.xml(t))
		if !strings.Contains(text, before) {
			t.Fatalf("%q is not there", before)
		}
		return []byte(strings.Replace(text, before, after, 1))
	}
}

// past is the warning that every sample of a message has: its day is past.
var past = samples.Finding{Row: 2, Code: "execution_date_past"}

func goodMessages() []sample {
	all := samples.ExpectedVersion{Rows: 6, Total: six().sum(), Accepted: tally(0, 1, 2, 3, 4, 5), OTPs: 2, Findings: []samples.Finding{past}}
	return []sample{
		{"pain-001-03.xml", sixAsMessage("03").xml, all},
		{"pain-001-09.xml", sixAsMessage("09").xml, all},
	}
}

func brokenMessages() []sample {
	m := sixAsMessage("03")
	ofRow := func(i int, column, code string) samples.ExpectedVersion {
		e := refusedRow(i, column, code)
		e.OTPs, e.Findings = 2, append([]samples.Finding{past}, e.Findings...)
		return e
	}
	ofFile := func(n int, code string) samples.ExpectedVersion {
		e := refusedAfter(n, 0, code)
		if e.OTPs = 1; n == 0 {
			e.OTPs = 0
		} else {
			e.Findings = append(e.Findings, past)
		}
		return e
	}
	total := "<CtrlSum>" + six().sum().String() + "</CtrlSum>"
	dated := m
	dated.day = "2999-12-31"
	ahead := samples.ExpectedVersion{Exit: 10, Rows: 6, Total: six().sum(), Rejected: tally(0, 1, 2, 3, 4, 5)}
	for i := range dated.payouts {
		ahead.Findings = append(ahead.Findings, samples.Finding{Row: 2 + i, Code: "execution_date_ahead"})
	}
	sumDiffers := ofFile(6, "pain_control_differs")
	sumDiffers.OTPs = 2
	return []sample{
		{"pain-001-currency.xml", m.edited(`Ccy="INR">125000`, `Ccy="USD">125000`), ofRow(1, "amount", "amount_not_rupees")},
		{"pain-001-no-reference.xml", m.edited("<EndToEndId>DEC25/C", "<EndToEndId>NOTPROVIDED"), ofRow(2, "merchant_txn_ref_id", "reference_missing")},
		{"pain-001-debtor-unknown.xml", m.edited("<Id>50200001000003", "<Id>50200001000004"), func() samples.ExpectedVersion {
			e := ofRow(4, "bank_account_id", "debit_account_unknown")
			e.Findings = append(e.Findings, samples.Finding{Row: 7, Column: "bank_account_id", Code: "debit_account_unknown"})
			e.Accepted, e.Rejected, e.OTPs = tally(0, 1, 2, 3), tally(4, 5), 1
			return e
		}()},
		{"pain-001-later-day.xml", dated.xml, ahead},
		{"pain-001-control-sum.xml", m.edited(total, "<CtrlSum>299999.99</CtrlSum>"), sumDiffers},
		{"pain-001-structured.xml", m.edited("<Ustrd>December advance, lot 2</Ustrd>", "<Strd><RfrdDocInf><Nb>INV-2</Nb></RfrdDocInf></Strd>"), ofFile(1, "pain_element_refused")},
		{"pain-001-doctype.xml", m.edited("<Document ", "<!DOCTYPE Document [<!ENTITY a \"9\">]>\n<Document "), ofFile(0, "pain_forbidden")},
	}
}
