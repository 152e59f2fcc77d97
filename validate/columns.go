package validate

import (
	"slices"

	"payrun/ingest/visible"
)

// column is a column of the contract. The names are the interface's (interface.md, "Payout" and "Initiate
// transfer"), except priority, which is never sent.
type column uint8

const (
	colReference column = iota
	colName
	colAccount
	colIFSC
	colAmount
	colRemarks
	colBeneficiary
	colDebitAccount
	colTransactionType
	colLEI
	colSubMerchant
	colPriority
	columnCount
)

var columnNames = [columnCount]string{
	"merchant_txn_ref_id", "vendor_name", "bank_account_number", "ifsc", "amount", "remarks",
	"open_beneficiary_id", "bank_account_id", "transaction_type_id", "bene_lei", "sub_merchant_id", "priority",
}

func (c column) String() string { return columnNames[c] }

// Columns lists the canonical column names, in the order of the template.
func Columns() []string { return append([]string(nil), columnNames[:]...) }

func columnNamed(name string) (column, bool) {
	c := slices.Index(columnNames[:], name)
	return column(max(c, 0)), c >= 0
}

// columnWords are the header words for each column, besides its canonical name. They are compared folded (see
// visible.FoldHeader), so case, spaces, punctuation, (INR) and * do not matter.
//
// The words come from the upload templates that people already have: the bulk NEFT/RTGS templates of HDFC Bank
// (ENet), ICICI Bank (CIB), Axis Bank, State Bank of India (CINB), Kotak Mahindra Bank, Yes Bank, IDFC First
// Bank, Punjab National Bank and Union Bank of India; the payout templates of RazorpayX, Cashfree, Paytm, PayU,
// Open and Zoho; and the headers of salary registers and Tally exports.
//
// A word belongs here only if it can mean nothing else on a payout sheet. Left out on purpose: Invoice
// No (repeats over part payments), Account and खाता (whose?), Notes, Comments and टिप्पणी (meant for
// colleagues, not for the payee), Beneficiary Code (the bank's own code, not the service's), Product
// Code (the bank's, not a transaction type), Gross, Total and कुल राशि (not what is paid). Use --map
// for these.
var columnWords = [columnCount][]string{
	colReference: {
		"Reference", "Ref", "Ref No", "Ref Number", "Ref Id", "Reference No", "Reference Number", "Reference Id",
		"Unique Reference", "Unique Reference No", "Unique Reference Number", "Unique Ref No",
		"Merchant Ref", "Merchant Ref No", "Merchant Ref Id", "Merchant Reference", "Merchant Reference Id",
		"Merchant Reference No", "Merchant Reference Number", "Merchant Txn Ref", "Merchant Txn Ref No", "Merchant Txn Id",
		"Merchant Transaction Ref Id", "Merchant Transaction Reference Id", "Merchant Transaction Id",
		"Payout Ref", "Payout Ref No", "Payout Ref Id", "Payout Reference", "Payout Reference No", "Payout Reference Number",
		"Payout Reference Id", "Payout Id", "Payout No",
		"Payment Ref", "Payment Ref No", "Payment Reference", "Payment Reference No", "Payment Reference Number",
		"Payment Reference Id", "Payment Id",
		"Transfer Id", "Transfer Ref", "Transfer Ref No", "Transfer Reference", "Transfer Reference No", "Transfer Reference Id",
		"Txn Id", "Txn Ref", "Txn Ref No", "Txn Ref Id", "Txn Reference", "Txn Reference No", "Tran Ref No",
		"Transaction Id", "Transaction Ref", "Transaction Ref No", "Transaction Ref Id", "Transaction Reference",
		"Transaction Reference No", "Transaction Reference Number", "Transaction Reference Id",
		"Customer Ref", "Customer Ref No", "Customer Reference", "Customer Reference No", "Customer Reference Number",
		"Cust Ref No", "Client Ref No", "Client Reference", "Client Reference No", "Client Reference Number",
		"Corporate Ref No", "Corporate Reference No", "Corporate Reference Number", "CRN", "CRN No",
		"Instruction Ref No", "Instruction Reference", "Instruction Reference No", "Instruction Reference Number",
		"Order Id", "Our Ref", "Our Reference", "Own Reference", "Request Id",
		"Transaction No", "Transaction Number", "Txn No", "Payment No", "Unique Id", "Client Ref Id", "Cust Ref", "External Ref", "Batch Ref",
		"Payroll Ref", "Instruction Id", "End to End Id", "संदर्भ", "संदर्भ संख्या", "संदर्भ सं", "संदर्भ नंबर", "संदर्भ क्रमांक",
		"भुगतान संदर्भ", "भुगतान संदर्भ संख्या", "सन्दर्भ", "सन्दर्भ संख्या",
	},
	colName: {
		"Name", "Name 1", "Party's Name", "Payee's Name", "Vendor's Name", "Supplier's Name", "Employee's Name", "Beneficiary's Name", "Payee", "Payee Name", "Name of Payee", "Vendor", "Name of Vendor", "Supplier", "Supplier Name",
		"Party", "Party Name", "Employee Name", "Emp Name", "Name of Employee", "Name of the Employee",
		"Bene", "Bene Name", "Bnf Name", "Benef Name", "Ben Name", "Beneficiary", "Beneficiary Name", "Beneficiary Full Name",
		"Name of Beneficiary", "Name of the Beneficiary", "Bene Account Name", "Beneficiary Account Name",
		"Beneficiary A/c Name", "Account Holder", "Account Holder Name", "Account Holders Name", "A/c Holder Name",
		"Name as per Bank", "Name as in Bank", "Name as per Bank Account", "Bank Account Holder Name",
		"Recipient", "Recipient Name", "Receiver", "Receiver Name", "Creditor Name", "Credit Account Name",
		"Contact Name", "Fund Account Name", "Merchant Name", "Contractor Name", "Customer Name",
		"Name of Account Holder", "Name of the Account Holder", "A/c Name", "Acct Holder Name", "A/c Holder", "Bank Account Name",
		"Name in Bank", "Name as per Bank Records", "Party A/c Name", "Ledger Name", "Full Name", "Staff Name", "Worker Name", "Dealer Name",
		"Agent Name", "Consultant Name", "Distributor Name", "Client Name", "Claimant Name", "Student Name", "Landlord Name", "Farmer Name",
		"Payee/Beneficiary Name", "Beneficiary Name (as per bank)", "Beneficiary Name (Request)", "Beneficary Name", "Benificiary Name", "नाम", "लाभार्थी", "लाभार्थी नाम",
		"लाभार्थी का नाम", "खाताधारक", "खाताधारक का नाम", "प्राप्तकर्ता", "प्राप्तकर्ता का नाम", "कर्मचारी का नाम", "विक्रेता का नाम", "आदाता",
		"आदाता का नाम",
	},
	colAccount: {
		"Account No", "Account Number", "Account Num", "Acct No", "Acct Number", "A/c", "A/c No", "A/c Number", "Acc No", "Acc Number",
		"Bank Account", "Bank Account No", "Bank A/c", "Bank A/c No", "Bank A/c Number", "Bank Acct No", "Bank Acc No",
		"Bene Account", "Bene Account No", "Bene Account Number", "Bene A/c", "Bene A/c No", "Bene A/c Number", "Bene Acc No",
		"Bene Acct No", "Bene Bank Account No", "Bene Bank Account Number", "Ben Account No", "Benef Account No",
		"Beneficiary Account", "Beneficiary Account No", "Beneficiary Account Number", "Beneficiary A/c",
		"Beneficiary A/c No", "Beneficiary A/c Number", "Beneficiary Acc No", "Beneficiary Acct No",
		"Beneficiary Bank Account", "Beneficiary Bank Account No", "Beneficiary Bank Account Number", "Beneficiary Bank A/c No",
		"Payee Account", "Payee Account No", "Payee Bank Account", "Payee Bank Account No", "Payee Bank Account Number", "Payee Account Number", "Payee A/c No",
		"Vendor Account No", "Vendor Account Number", "Vendor Bank Account", "Vendor Bank Account No", "Vendor Bank Account Number",
		"Employee Account No", "Employee Account Number", "Employee Bank Account No", "Salary Account No", "Salary Account Number",
		"Recipient Account Number", "Receiver Account No", "Receiver Account Number",
		"Credit Account", "Credit Account No", "Credit Account Number", "Credit A/c No", "Creditor Account Number",
		"Cr Account No", "Cr A/c No", "To Account", "To Account No", "To Account Number", "Destination Account", "Destination Account Number",
		"Fund Account Number",
		"SB A/c No", "Saving A/c No", "Savings A/c No", "Current A/c No", "Bank Acct", "Payee A/c", "Vendor A/c No", "Party Account No",
		"Supplier Account No", "Employee A/c No", "Employee Bank A/c No", "Salary A/c No", "Credit A/c", "Beneficiary Bank A/c",
		"Account No. (Beneficiary)", "Bank Account No. of Payee", "खाता संख्या", "खाता सं", "खाता नंबर", "खाता नम्बर", "खाता क्रमांक",
		"बैंक खाता", "बैंक खाता संख्या", "बैंक खाता नंबर", "बैंक खाता क्रमांक", "लाभार्थी खाता संख्या", "लाभार्थी का खाता संख्या",
		"लाभार्थी की खाता संख्या", "लाभार्थी बैंक खाता संख्या",
	},
	colIFSC: {
		"IFSC Code", "IFS Code", "IFSC No", "IFSC Number", "IFC Code", "Bank IFSC", "Bank IFSC Code", "Branch IFSC", "Branch IFSC Code",
		"Bene IFSC", "Bene IFSC Code", "Bene Bank IFSC", "Bene Bank IFSC Code", "Ben IFSC", "Ben IFSC Code",
		"Beneficiary IFSC", "Beneficiary IFSC Code", "Beneficiary Bank IFSC", "Beneficiary Bank IFSC Code",
		"Beneficiary Branch IFSC", "Beneficiary Branch IFSC Code", "Payee IFSC", "Payee IFSC Code", "Payee Bank IFSC",
		"Vendor IFSC", "Vendor IFSC Code", "Receiver IFSC", "Receiver IFSC Code", "Recipient IFSC", "Recipient IFSC Code",
		"Credit IFSC", "Destination IFSC", "Fund Account IFSC", "NEFT IFSC", "RTGS IFSC", "RTGS/NEFT IFSC Code", "IFSC Code of Beneficiary Bank",
		"IFSC/RTGS Code", "RTGS/NEFT Code", "Supplier IFSC", "Party IFSC", "Employee IFSC", "Salary IFSC", "IFSC (Branch)",
		"IFS", "Bank IFS", "Bank IFS Code", "Branch IFS Code", "Bene IFS Code", "Beneficiary IFS Code", "IFSC Code of Branch", "IFSC Code (11 digit)", "IFSC Id", "Bank IFSC No", "ISFC Code", "IFCS Code", "आईएफएससी", "आईएफएससी कोड",
		"आइएफएससी कोड", "आईएफएस कोड", "IFSC कोड", "बैंक आईएफएससी कोड", "शाखा आईएफएससी कोड", "लाभार्थी आईएफएससी कोड",
	},
	colAmount: {
		"Amt", "Amount INR", "Amount in INR", "Amount Rs", "Amount in Rs", "Amount Rupees", "Amount in Rupees",
		"INR Amount", "Rs", "Net Pay", "Net Payable", "Net Salary", "Net Amount", "Net Amt", "Net Payable Amount", "Net Pay Amount",
		"Payable", "Payable Amount", "Amount Payable", "Amount to Pay", "Amount to be Paid",
		"Pay Amount", "Payment Amount", "Payment Amount (Request)", "Payment Amt", "Payout Amount", "Payout Amount in Rupees", "Payout Amount in INR",
		"Transfer Amount", "Transferred Amount", "Transaction Amount", "Txn Amount", "Txn Amt", "Tran Amount", "Remittance Amount",
		"Instrument Amount", "Instrument Amt", "Credit Amount", "Instruction Amount", "Salary Amount", "Bill Amount Payable", "Take Home", "Take Home Pay",
		"Net Payment", "Net Amt Payable", "Payable Amt", "Payout Amt", "Transfer Amt", "Net Wages", "Net Take Home", "Net Salary Payable",
		"Total Net Pay", "Amount to be transferred", "Disbursement Amount", "Amount In Figures", "INR", "राशि", "धनराशि", "रकम", "देय राशि",
		"भुगतान राशि", "भुगतान की राशि", "शुद्ध राशि", "शुद्ध देय", "शुद्ध देय राशि", "शुद्ध वेतन",
	},
	colRemarks: {
		"Remark", "Narration", "Narrations", "Payment Narration", "Payout Narration", "Transfer Narration", "Txn Narration", "Transaction Narration",
		"Credit Narration", "Beneficiary Narration", "Bene Narration", "Payment Remarks", "Payment Remark", "Payout Remarks",
		"Transfer Remarks", "Txn Remarks", "Tran Remarks", "Transaction Remarks", "Transaction Remark", "Beneficiary Remarks", "Bene Remarks", "Credit Remarks", "Remarks to Beneficiary",
		"अभ्युक्ति", "अभ्युक्तियां",
	},
	colBeneficiary: {
		"Open Beneficiary", "Open Bene Id", "Beneficiary Id", "Bene Id", "Open Beneficiary No",
	},
	colDebitAccount: {
		"Debit Account", "Debit Account No", "Debit Account Number", "Debit Account Id", "Debit Account Name", "Debit A/c", "Debit A/c No",
		"Debit A/c Number", "Debit Acc No", "Debit Acct No", "Debit Bank Account", "Debit Bank Account No", "Debit Bank A/c No",
		"Dr Account", "Dr Account No", "Dr A/c", "Dr A/c No", "Debiting Account", "Debtor Account", "Debtor Account Number",
		"From Account", "From Account No", "From Account Number", "From A/c", "Source Account", "Source Account No", "Source Account Number",
		"Pay From", "Paying Account", "Payer Account", "Payer Account Number", "Remitter Account", "Remitter Account No", "Remitter Account Number",
		"Company Account", "Company Account No", "Client Account No", "Corporate Account No", "Corporate Account Number",
		"RazorpayX Account Number",
		"डेबिट खाता", "डेबिट खाता संख्या", "नामे खाता", "नामे खाता संख्या",
	},
	colTransactionType: {
		"Transaction Type", "Txn Type", "Tran Type", "Txn Type Id", "Transaction Mode", "Txn Mode", "Payment Mode", "Payment Method",
		"Mode of Payment", "Pymt Mode", "Mode", "Transfer Type", "Transfer Mode", "Mode of Transfer", "Payout Mode",
		"भुगतान का माध्यम", "भुगतान का प्रकार", "लेनदेन का प्रकार",
	},
	colLEI: {
		"LEI", "LEI Code", "LEI No", "LEI Number", "LEI Id", "Beneficiary LEI", "Beneficiary LEI Code", "Beneficiary LEI No",
		"Beneficiary LEI Number", "Bene LEI Code", "Bene LEI No", "Bene LEI Number", "Payee LEI", "Vendor LEI", "Receiver LEI",
		"Legal Entity Identifier", "Beneficiary Legal Entity Identifier", "Legal Entity Identifier LEI",
	},
	colSubMerchant: {
		"Sub Merchant", "Sub Merchant No", "Sub Merchant Ref", "Sub MID",
	},
	colPriority: {
		"Payment Priority", "Payout Priority", "Pay Priority", "Transfer Priority", "Priority No", "Priority Level", "Priority Rank", "प्राथमिकता",
	},
}

// loneWords name a column only on a sheet without another word for it. If the sheet has several of them, the
// first in this list counts. Account Name next to Beneficiary Name is another account's; a voucher has its
// number besides the reference; an employee code is the same every month (--ref-prefix puts the month before
// it).
var loneWords = []struct {
	word string
	of   column
}{
	{"Account Name", colName}, {"Employee", colName}, {"Emp", colName}, {"Staff", colName},
	{"Customer", colName}, {"कर्मचारी", colName}, {"विक्रेता", colName},

	{"Voucher No", colReference}, {"Voucher Number", colReference}, {"Vch No", colReference}, {"Payment Voucher No", colReference}, {"Voucher Id", colReference},
	{"Document No", colReference}, {"Document Number", colReference}, {"Doc No", colReference},
	{"Emp Code", colReference}, {"Employee Code", colReference}, {"Emp Id", colReference}, {"Employee Id", colReference}, {"Emp No", colReference}, {"Employee No", colReference},
	{"Employee Number", colReference}, {"Staff Code", colReference}, {"Staff Id", colReference}, {"Staff No", colReference}, {"कर्मचारी कोड", colReference},
}

// paiseTemplateHeaders, folded, mark templates of RazorpayX. Some have Payout Amount in rupees, others in paise, and the
// sheet does not show which. The wrong reading pays a hundred times too much.
var paiseTemplateHeaders = visible.WordSet("razorpayxaccountnumber", "fundaccountid", "fundaccounttype")

const ambiguousAmount = "payoutamount" // folded
