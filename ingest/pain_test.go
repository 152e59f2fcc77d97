package ingest_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"payrun/ingest"
)

// painSample is a message that the edits of these tests start from: six payouts,
// four of them in the first PmtInf.
func painSample(t testing.TB, version string) string {
	t.Helper()
	b, err := os.ReadFile("../samples/pain-001-" + version + ".xml")
	must(t, err)
	return string(b)
}

func readPain(t testing.TB, text string) (*ingest.Sheet, []ingest.Row, error) {
	t.Helper()
	s, err := ingest.Open(write(t, "run.xml", []byte(text)), ingest.Options{})
	if err != nil {
		return nil, nil, err
	}
	t.Cleanup(func() { _ = s.Close() })
	var rows []ingest.Row
	for {
		row, err := s.Next()
		if errors.Is(err, io.EOF) {
			return s, rows, nil
		}
		if err != nil {
			return s, rows, err
		}
		row.Cells = slices.Clone(row.Cells)
		rows = append(rows, row)
	}
}

func TestAMessageIsReadAsRows(t *testing.T) {
	for _, version := range []string{"03", "09"} {
		s, rows, err := readPain(t, painSample(t, version))
		if err != nil || s.Format() != ingest.FormatPain || len(rows) != 7 {
			t.Fatalf("%s: %d rows, %v", version, len(rows), err)
		}
		want := []string{"DEC25/D", "Kaveri Chemicals & Co", "0050200444444", "TSTB0000444", "76749.50", "December advance, lot 4", "50200003000009", "NEFT", "", "INR", "2025-11-27"}
		if r := rows[4]; r.Number != 5 || r.Line != 58 || !slices.Equal(r.Cells, want) {
			t.Errorf("%s: row %d of line %d: %q", version, r.Number, r.Line, r.Cells)
		}
		if rows[5].Cells[6] != "50200001000003" {
			t.Errorf("%s: the second PmtInf pays from %s", version, rows[5].Cells[6])
		}
		if !slices.Contains(s.Passed(), "PmtInf/CdtTrfTxInf/PmtId/InstrId") || slices.Contains(s.Passed(), "PmtInf/DbtrAcct") {
			t.Errorf("%s: passed over %q", version, s.Passed())
		}
	}
}

// Each edit replaces one piece of a good message, and must be refused with that
// code, at that element.
func TestWhatAMessageMayNotHave(t *testing.T) {
	const payout = "PmtInf/CdtTrfTxInf/"
	tests := []struct{ what, version, before, after, code, path string }{
		{"another version", "03", "pain.001.001.03", "pain.001.001.11", "pain_version", ""},
		{"another message", "03", "pain.001.001.03", "camt.053.001.02", "format_not_supported", ""},
		{"DOCTYPE", "03", "<Document ", "<!DOCTYPE Document>\n<Document ", "pain_forbidden", ""},
		{"entity of its own", "03", "<Nm>Konkan Packaging", "<Nm>&konkan;", "pain_forbidden", ""},
		{"instruction in between", "03", "<GrpHdr>", "<?run x?><GrpHdr>", "pain_forbidden", ""},
		{"comment inside a text", "03", "<MmbId>TSTB", "<MmbId>TS<!-- x -->TB", "pain_malformed", payout + "CdtrAgt/FinInstnId/ClrSysMmbId/MmbId"},
		{"element inside a text", "03", "<MmbId>TSTB", "<MmbId><b/>TSTB", "pain_malformed", payout + "CdtrAgt/FinInstnId/ClrSysMmbId/MmbId"},
		{"text between elements", "03", "<Amt>", "12<Amt>", "pain_malformed", "PmtInf/CdtTrfTxInf"},
		{"another encoding", "03", `encoding="UTF-8"`, `encoding="ISO-8859-1"`, "pain_malformed", ""},
		{"XML 1.1", "03", `version="1.0"`, `version="1.1"`, "format_not_supported", ""},
		{"cut off", "03", "</Document>\n", "", "pain_malformed", ""},
		{"second root", "03", "</Document>\n", "</Document><Document/>", "pain_malformed", ""},
		{"text behind the end", "03", "</Document>\n", "</Document>9", "pain_malformed", ""},
		{"another namespace inside", "03", "<CdtrAcct>", `<CdtrAcct xmlns="urn:x">`, "pain_element_refused", payout + "CdtrAcct"},
		{"element that nobody knows", "03", "<RmtInf>", "<Extra/><RmtInf>", "pain_element_refused", payout + "Extra"},
		{"element of .09 in .03", "03", "<Cdtr><Nm>", "<Cdtr><Id><OrgId><LEI>5493001KJTIIGC8Y1R12</LEI></OrgId></Id><Nm>", "pain_element_refused", payout + "Cdtr/Id/OrgId/LEI"},
		{"date of .03 in .09", "09", "<ReqdExctnDt><Dt>2025-11-27</Dt></ReqdExctnDt>", "<ReqdExctnDt>2025-11-27</ReqdExctnDt>", "pain_malformed", "PmtInf/ReqdExctnDt"},
		{"time of day", "09", "<Dt>2025-11-27</Dt>", "<DtTm>2025-11-27T10:00:00</DtTm>", "pain_element_refused", "PmtInf/ReqdExctnDt/DtTm"},
		{"a day that is none", "03", "<ReqdExctnDt>2025-11-27", "<ReqdExctnDt>2025-11-31", "pain_malformed", "PmtInf/ReqdExctnDt"},
		{"attribute that does not belong", "03", "<EndToEndId>", `<EndToEndId x="1">`, "pain_malformed", payout + "PmtId/EndToEndId"},
		{"attribute twice", "03", `Ccy="INR"`, `Ccy="INR" Ccy="INR"`, "pain_malformed", ""},
		{"no currency", "03", ` Ccy="INR"`, ``, "pain_malformed", payout + "Amt/InstdAmt"},
		{"currency in small letters", "03", `Ccy="INR"`, `Ccy="inr"`, "pain_malformed", payout + "Amt/InstdAmt"},
		{"amount with commas", "03", ">125000.00<", ">1,25,000.00<", "pain_malformed", payout + "Amt/InstdAmt"},
		{"amount with an exponent", "03", ">125000.00<", ">1.25e5<", "pain_malformed", payout + "Amt/InstdAmt"},
		{"amount twice", "03", "</InstdAmt>", `</InstdAmt><InstdAmt Ccy="INR">1.00</InstdAmt>`, "pain_malformed", payout + "Amt/InstdAmt"},
		{"amount in another currency", "03", `<InstdAmt Ccy="INR">40000.00</InstdAmt>`, "<EqvtAmt/>", "pain_element_refused", payout + "Amt/EqvtAmt"},
		{"no reference", "03", "<EndToEndId>DEC25/B</EndToEndId>", "", "pain_malformed", payout + "PmtId/EndToEndId"},
		{"no amount", "03", `<Amt><InstdAmt Ccy="INR">125000.00</InstdAmt></Amt>`, "", "pain_malformed", payout + "Amt/InstdAmt"},
		{"IBAN", "03", "<Othr><Id>0050200111111</Id></Othr>", "<IBAN>DE02120300000000202051</IBAN>", "pain_element_refused", payout + "CdtrAcct/Id/IBAN"},
		{"account by phone number", "09", "<CdtrAcct>", "<CdtrAcct><Prxy/>", "pain_element_refused", payout + "CdtrAcct/Prxy"},
		{"account of a kind of its own", "03", "<Othr><Id>0050200111111</Id>", "<Othr><Id>0050200111111</Id><SchmeNm><Prtry>VPA</Prtry></SchmeNm>", "pain_element_refused", payout + "CdtrAcct/Id/Othr/SchmeNm/Prtry"},
		{"account in dollars", "03", "<CdtrAcct>", "<CdtrAcct><Ccy>USD</Ccy>", "pain_element_refused", payout + "CdtrAcct/Ccy"},
		{"another clearing system", "03", "<Cd>INFSC</Cd>", "<Cd>USABA</Cd>", "pain_element_refused", payout + "CdtrAgt/FinInstnId/ClrSysMmbId/ClrSysId/Cd"},
		{"charges to the payee", "03", "<ChrgBr>SLEV", "<ChrgBr>CRED", "pain_element_refused", "PmtInf/ChrgBr"},
		{"cheque", "03", "<PmtMtd>TRF", "<PmtMtd>CHK", "pain_element_refused", "PmtInf/PmtMtd"},
		{"urgent", "03", "<PmtTpInf>", "<PmtTpInf><InstrPrty>HIGH</InstrPrty>", "pain_element_refused", "PmtInf/PmtTpInf/InstrPrty"},
		{"service level", "03", "<PmtTpInf>", "<PmtTpInf><SvcLvl><Cd>SDVA</Cd></SvcLvl>", "pain_element_refused", "PmtInf/PmtTpInf/SvcLvl/Cd"},
		{"transaction type at both levels", "03", "<Amt>", "<PmtTpInf><LclInstrm><Prtry>RTGS</Prtry></LclInstrm></PmtTpInf><Amt>", "pain_malformed", payout + "PmtTpInf/LclInstrm/Prtry"},
		{"transaction type by code and by name", "03", "<LclInstrm>", "<LclInstrm><Cd>RTGS</Cd>", "pain_malformed", "PmtInf/PmtTpInf/LclInstrm/Prtry"},
		{"for another payee", "03", "<RmtInf>", "<UltmtCdtr><Nm>X</Nm></UltmtCdtr><RmtInf>", "pain_element_refused", payout + "UltmtCdtr"},
		{"by another bank", "03", "<CdtrAgt>", "<IntrmyAgt1/><CdtrAgt>", "pain_element_refused", payout + "IntrmyAgt1"},
		{"structured remittance", "03", "<Ustrd>December advance, lot 1</Ustrd>", "<Strd/>", "pain_element_refused", payout + "RmtInf/Strd"},
		{"element behind the payouts", "03", "</CdtTrfTxInf>\n    </PmtInf>", "</CdtTrfTxInf><ChrgBr>SLEV</ChrgBr></PmtInf>", "pain_malformed", "PmtInf/ChrgBr"},
		{"no debtor account", "03", "<DbtrAcct><Id><Othr><Id>50200003000009</Id></Othr></Id><Ccy>INR</Ccy></DbtrAcct>", "", "pain_malformed", "PmtInf/DbtrAcct/Id/Othr/Id"},
		{"count of the message", "03", "<NbOfTxs>6<", "<NbOfTxs>7<", "pain_control_differs", "GrpHdr/NbOfTxs"},
		{"no count", "03", "<NbOfTxs>6</NbOfTxs>", "", "pain_malformed", "GrpHdr/NbOfTxs"},
		{"count of a part", "03", "<NbOfTxs>4<", "<NbOfTxs>5<", "pain_control_differs", "PmtInf/NbOfTxs"},
		{"sum of the message", "03", "<CtrlSum>300000.00<", "<CtrlSum>300000.01<", "pain_control_differs", "GrpHdr/CtrlSum"},
		{"sum of a part", "03", "<CtrlSum>40000.00<", "<CtrlSum>40000<", "", ""},
		{"sum of a part, a paisa less", "03", "<CtrlSum>40000.00<", "<CtrlSum>39999.99<", "pain_control_differs", "PmtInf/CtrlSum"},
		{"sum that is no number", "03", "<CtrlSum>300000.00<", "<CtrlSum>lots<", "pain_malformed", "GrpHdr/CtrlSum"},
		{"nested without end", "03", "<PstlAdr>", "<PstlAdr>" + strings.Repeat("<a>", 40) + strings.Repeat("</a>", 40), "pain_malformed", ""},
		{"a text of a mebibyte", "03", "<Nm>Konkan", "<Nm>" + strings.Repeat("x", 1<<20) + "Konkan", "pain_malformed", ""},
	}
	for _, tt := range tests {
		text := painSample(t, tt.version)
		if !strings.Contains(text, tt.before) {
			t.Errorf("%s: %q is not there", tt.what, tt.before)
			continue
		}
		_, _, err := readPain(t, strings.Replace(text, tt.before, tt.after, 1))
		var d *ingest.Defect
		switch {
		case tt.code == "" && err == nil:
		case !errors.As(err, &d):
			t.Errorf("%s: %v", tt.what, err)
		case d.Code != tt.code || d.Header != tt.path:
			t.Errorf("%s: %s at %q: %v, want %s at %q", tt.what, d.Code, d.Header, err, tt.code, tt.path)
		case strings.Contains(err.Error(), "0050200111111"):
			t.Errorf("%s: an account number is shown: %v", tt.what, err)
		}
	}
}

func TestWhatAMessageMayHave(t *testing.T) {
	tests := []struct{ what, version, before, after string }{
		{"prefixes", "03", "", ""},
		{"byte order mark", "03", "<?xml", "\ufeff<?xml"},
		{"no declaration", "03", `<?xml version="1.0" encoding="UTF-8"?>`, ""},
		{"comment between elements", "03", "<Amt>", "<!-- the amount --><Amt>"},
		{"CDATA", "03", "Konkan Packaging", "<![CDATA[Konkan Packaging]]>"},
		{"place of the schema", "03", "<Document ", `<Document xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="a b" `},
		{"spaces around a value", "03", "<MmbId>TSTB0000111<", "<MmbId>\n TSTB0000111 <"},
		{"BIC next to the IFSC", "03", "<ClrSysMmbId>", "<BIC>TSTBINBB</BIC><ClrSysMmbId>"},
		{"purpose", "03", "<RmtInf>", "<Purp><Cd>SUPP</Cd></Purp><RmtInf>"},
		{"UETR", "09", "</EndToEndId>", "</EndToEndId><UETR>00000000-0000-4000-8000-000000000000</UETR>"},
		{"no sums", "03", "<CtrlSum>300000.00</CtrlSum>", ""},
	}
	_, want, err := readPain(t, painSample(t, "03"))
	must(t, err)
	for _, tt := range tests {
		text := strings.Replace(painSample(t, tt.version), tt.before, tt.after, 1)
		if tt.what == "prefixes" {
			text = strings.NewReplacer("</", "</p:", "<?", "<?", "<", "<p:", "xmlns=", "xmlns:p=").Replace(text)
		}
		_, rows, err := readPain(t, text)
		if err != nil || len(rows) != len(want) {
			t.Errorf("%s: %d rows, %v", tt.what, len(rows), err)
			continue
		}
		for i := range rows {
			if !slices.Equal(rows[i].Cells, want[i].Cells) {
				t.Errorf("%s: row %d is %q", tt.what, i+1, rows[i].Cells)
			}
		}
	}
}

func TestSeveralLinesOfARemarkAreOneCell(t *testing.T) {
	_, rows, err := readPain(t, strings.Replace(painSample(t, "03"), "lot 1</Ustrd>", "lot 1</Ustrd><Ustrd>and more</Ustrd>", 1))
	if err != nil || rows[1].Cells[5] != "December advance, lot 1\nand more" {
		t.Errorf("%q, %v", rows[1].Cells[5], err)
	}
}

// FuzzPain: whatever the bytes, a message is refused or gives one row for each
// CdtTrfTxInf that a reader sees which knows of nothing else.
func FuzzPain(f *testing.F) {
	for _, b := range samples(f, ".xml") {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, rows, err := readPain(t, string(b))
		if isRefusal(t, err) || s.Format() != ingest.FormatPain {
			return
		}
		dec, payouts := xml.NewDecoder(bytes.NewReader(b)), 0
		for {
			tok, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("read, and not well-formed: %v", err)
			}
			if e, ok := tok.(xml.StartElement); ok && e.Name.Local == "CdtTrfTxInf" {
				payouts++
			}
		}
		for i, row := range rows {
			if row.Number != i+1 || len(row.Cells) != len(rows[0].Cells) {
				t.Fatalf("row %d has number %d and %d cells", i+1, row.Number, len(row.Cells))
			}
		}
		if len(rows) != payouts+1 || s.SHA256() != hashOf(b) {
			t.Errorf("%s rows for %d payouts", strconv.Itoa(len(rows)), payouts)
		}
	})
}

// TestAFixedElementSaysWhatItHas: and what it may have.
func TestAFixedElementSaysWhatItHas(t *testing.T) {
	text := strings.Replace(painSample(t, "03"), "<PmtTpInf>", "<PmtTpInf><SvcLvl><Cd>SDVA</Cd></SvcLvl>", 1)
	if _, _, err := readPain(t, text); err == nil || !strings.Contains(err.Error(), `"SDVA" and not NURG`) {
		t.Errorf("%v", err)
	}
}
