package ingest

import (
	"maps"
	"strings"
)

// What payrun does with each element of a customer credit transfer initiation (ISO 20022, pain.001.001.03 and
// .09). An element that is not in this table refuses the file, because it may change who gets what, when or
// how: UltmtCdtr, IntrmyAgt1, ChqInstr, IBAN.

// painUse is what payrun does with an element.
type painUse uint8

const (
	painOpen  painUse = iota // it holds other elements
	painRead                 // its text goes into the column
	painMust                 // its text must be one of a few words, which change nothing
	painCount                // it states the number of payouts
	painSum                  // it states the sum of their amounts
	painPass                 // it changes nothing about the payout: listed as not read
)

// painRule is one line of the table.
type painRule struct {
	use    painUse
	column painColumn
	words  string // allowed by painMust, each between spaces
	only   string // the only version that has the element; "" for both
	many   bool   // it may occur more than once
}

// painColumn is a column of the rows that a message gives.
type painColumn int

const (
	painRef painColumn = iota
	painName
	painAccount
	painIFSC
	painAmount
	painRemarks
	painDebit
	painType
	painLEI
	painCurrency
	painDate
	painColumns
)

// painHeader is the first row: the interface's names, and two more for the currency and the requested day.
var painHeader = [painColumns]string{
	"merchant_txn_ref_id", "vendor_name", "bank_account_number", "ifsc", "amount", "remarks", "bank_account_id", "transaction_type_id", "bene_lei",
	"Currency", "Requested Execution Date",
}

const (
	painPayout = "PmtInf/CdtTrfTxInf"
	inPayout   = painPayout + "/"
)

// painPaths has the element of each column.
var painPaths = [painColumns]string{
	inPayout + "PmtId/EndToEndId", inPayout + "Cdtr/Nm", inPayout + "CdtrAcct/Id/Othr/Id", inPayout + "CdtrAgt/FinInstnId/ClrSysMmbId/MmbId",
	inPayout + "Amt/InstdAmt", inPayout + "RmtInf/Ustrd", "PmtInf/DbtrAcct/Id/Othr/Id", "PmtTpInf/LclInstrm", inPayout + "Cdtr/Id/OrgId/LEI",
	inPayout + "Amt/InstdAmt/@Ccy", "PmtInf/ReqdExctnDt",
}

const (
	painV03 = "pain.001.001.03"
	painV09 = "pain.001.001.09"
	painURN = "urn:iso:std:iso:20022:tech:xsd:"
)

// painRules returns the table of a version, by path below CstmrCdtTrfInitn.
func painRules(version string) map[string]painRule {
	rules := map[string]painRule{
		"GrpHdr":         {use: painOpen},
		"GrpHdr/Authstn": {use: painPass, many: true},
		"GrpHdr/NbOfTxs": {use: painCount},
		"GrpHdr/CtrlSum": {use: painSum},

		"PmtInf":                {use: painOpen, many: true},
		"PmtInf/PmtMtd":         {use: painMust, words: " TRF "},
		"PmtInf/NbOfTxs":        {use: painCount},
		"PmtInf/CtrlSum":        {use: painSum},
		"PmtInf/ReqdExctnDt":    {use: painRead, column: painDate, only: painV03},
		"PmtInf/ReqdExctnDt/Dt": {use: painRead, column: painDate, only: painV09},
		"PmtInf/CdtTrfTxInf":    {use: painOpen, many: true},

		inPayout + "PmtId/EndToEndId": {use: painRead, column: painRef},
		inPayout + "PmtId/UETR":       {use: painPass, only: painV09},
		inPayout + "Amt/InstdAmt":     {use: painRead, column: painAmount},
		inPayout + "RltdRmtInf":       {use: painPass, many: true},
		inPayout + "RmtInf/Ustrd":     {use: painRead, column: painRemarks, many: true},

		inPayout + "CdtrAgt/FinInstnId/BIC":                     {use: painPass, only: painV03},
		inPayout + "CdtrAgt/FinInstnId/BICFI":                   {use: painPass, only: painV09},
		inPayout + "CdtrAgt/FinInstnId/LEI":                     {use: painPass, only: painV09},
		inPayout + "CdtrAgt/FinInstnId/ClrSysMmbId/ClrSysId/Cd": {use: painMust, words: " INFSC "},
		inPayout + "CdtrAgt/FinInstnId/ClrSysMmbId/MmbId":       {use: painRead, column: painIFSC},
		inPayout + "Cdtr/Nm":                                    {use: painRead, column: painName},
		inPayout + "Cdtr/Id/OrgId/BICOrBEI":                     {use: painPass, only: painV03},
		inPayout + "Cdtr/Id/OrgId/AnyBIC":                       {use: painPass, only: painV09},
		inPayout + "Cdtr/Id/OrgId/LEI":                          {use: painRead, column: painLEI, only: painV09},
		inPayout + "Cdtr/Id/OrgId/Othr":                         {use: painPass, many: true},
	}
	for _, group := range []struct {
		use       painUse
		at, names string
	}{
		{painOpen, inPayout, "PmtId Amt RmtInf CdtrAgt CdtrAgt/FinInstnId CdtrAgt/FinInstnId/ClrSysMmbId CdtrAgt/FinInstnId/ClrSysMmbId/ClrSysId Cdtr Cdtr/Id Cdtr/Id/OrgId"},
		{painPass, "GrpHdr/", "MsgId CreDtTm InitgPty"},
		{painPass, "PmtInf/", "PmtInfId BtchBookg Dbtr DbtrAgt"},
		{painPass, inPayout, "PmtId/InstrId Purp CdtrAgt/FinInstnId/Nm CdtrAgt/FinInstnId/PstlAdr CdtrAgt/BrnchId Cdtr/PstlAdr Cdtr/CtryOfRes Cdtr/CtctDtls Cdtr/Id/PrvtId"},
	} {
		for name := range strings.FieldsSeq(group.names) {
			rules[group.at+name] = painRule{use: group.use}
		}
	}
	for at, column := range map[string]painColumn{"PmtInf/DbtrAcct": painDebit, inPayout + "CdtrAcct": painAccount} {
		for path, rule := range map[string]painRule{
			"":                    {use: painOpen},
			"/Id":                 {use: painOpen},
			"/Id/Othr":            {use: painOpen},
			"/Id/Othr/Id":         {use: painRead, column: column},
			"/Id/Othr/SchmeNm":    {use: painOpen},
			"/Id/Othr/SchmeNm/Cd": {use: painMust, words: " BBAN "},
			"/Id/Othr/Issr":       {use: painPass},
			"/Tp":                 {use: painPass},
			"/Ccy":                {use: painMust, words: " INR "},
			"/Nm":                 {use: painPass},
		} {
			rules[at+path] = rule
		}
	}
	for _, at := range []string{"PmtInf/", inPayout} {
		for path, rule := range map[string]painRule{
			"PmtTpInf":                 {use: painOpen},
			"PmtTpInf/InstrPrty":       {use: painMust, words: " NORM "},
			"PmtTpInf/SvcLvl":          {use: painOpen},
			"PmtTpInf/SvcLvl/Cd":       {use: painMust, words: " NURG "},
			"PmtTpInf/LclInstrm":       {use: painOpen},
			"PmtTpInf/LclInstrm/Cd":    {use: painRead, column: painType},
			"PmtTpInf/LclInstrm/Prtry": {use: painRead, column: painType},
			"PmtTpInf/CtgyPurp":        {use: painPass},
			"ChrgBr":                   {use: painMust, words: " SLEV SHAR "},
		} {
			rules[at+path] = rule
		}
	}
	maps.DeleteFunc(rules, func(_ string, r painRule) bool { return r.only != "" && r.only != version })
	if version == painV09 {
		rules[painPaths[painDate]] = painRule{use: painOpen} // .09 has a choice here, .03 a date
	}
	return rules
}
