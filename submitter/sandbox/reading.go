package sandbox

import "net/http"

// Reading is one way to read the interface where it is silent. The seed chooses one. A client that works under
// every reading relies on nothing unsaid.
type Reading struct {
	// Order of payouts in answers: "as_sent", "reversed" or "mixed".
	Order string `json:"order"`
	// UnknownStatus is the HTTP status of Get transfer status for an unknown batch or payout: 400, 404 or 500
	// with a failure envelope, or 200 without payouts. "General HTTP statuses" names no 404, and gives no
	// status for single codes. A submit of an unknown batch is refused with 400 or 404.
	UnknownStatus int `json:"unknown_status"`
	// UsedStatus is the HTTP status of an initiate whose batch id or reference was used before: 400, 409 or
	// 422.
	UsedStatus int `json:"used_status"`
	// EchoesRepeats: an initiate that repeats an accepted one, payout for payout, is answered with the batch in
	// its present state; otherwise it is refused.
	EchoesRepeats bool `json:"echoes_repeats"`
	// HidesUnsubmitted: Get transfer status does not know a batch before it is submitted.
	HidesUnsubmitted bool `json:"hides_unsubmitted"`
	// ClampsLimit: a limit above the maximum counts as the maximum; otherwise it is refused.
	ClampsLimit bool `json:"clamps_limit"`
	// ShortPages: a page may hold fewer elements than its limit and still not be the last.
	ShortPages bool `json:"short_pages"`
	// EmptyLastPage: a full page says has_more even if nothing follows.
	EmptyLastPage bool `json:"empty_last_page"`
	// Details of the beneficiary in a payout, which "may be empty": "as_sent",
	// "empty" or "some".
	Details string `json:"details"`
	// NamesBeneficiary: a payout to an open_beneficiary_id is answered with the beneficiary's name, account and
	// IFSC, although they were not sent.
	NamesBeneficiary bool `json:"names_beneficiary"`
	// OpenBatchID: initiate answers include open_batch_id, which "may be present".
	OpenBatchID bool `json:"open_batch_id"`
	// DebitOnInitiate: initiate answers already include the debit_… fields.
	DebitOnInitiate bool `json:"debit_on_initiate"`
	// MasksDebit: debit_account_number is masked, as in the account listing.
	MasksDebit bool `json:"masks_debit"`
	// EarlyUTR: bank_txn_ref_id is known as soon as the bank has the payout, not only with its success.
	EarlyUTR bool `json:"early_utr"`
	// ReturnedFails: a returned payout's status goes from success to failed.
	ReturnedFails bool `json:"returned_fails"`
	// FailedError: a failed payout carries an error object, whose shape is not shown.
	FailedError bool `json:"failed_error"`
	// UnknownInStatus: an unlisted value appears in status; otherwise in bank_status_code.
	UnknownInStatus bool `json:"unknown_in_status"`
	// StatementNeedsMerchant: Fetch bank statements requires sub_merchant_id; the interface's two variants
	// differ.
	StatementNeedsMerchant bool `json:"statement_needs_merchant"`
	// StatementOfPayouts: Fetch bank statements answers with payouts instead of entries; the interface shows
	// both shapes.
	StatementOfPayouts bool `json:"statement_of_payouts"`
	// NewestFirst: a statement begins with its newest entry.
	NewestFirst bool `json:"newest_first"`
	// NamesReference: an entry's remarks contain the merchant's reference; otherwise only its reference_number,
	// the UTR, identifies the payout.
	NamesReference bool `json:"names_reference"`
	// NamelessReturns: the credit that returns a payout has a reference of its own and none of the payout's;
	// with ReturnedFails its code is that of a failure. No seed reads like that; Options.Reading may.
	NamelessReturns bool `json:"nameless_returns"`
	// SlowBeneficiaries: a new beneficiary is verify_started before it is active.
	SlowBeneficiaries bool `json:"slow_beneficiaries"`
	// RepeatsSubmit: under Trouble only, a second submit with the right OTP is accepted and pays again.
	RepeatsSubmit bool `json:"repeats_submit"`
	// HidesAmount: under Trouble only, initiate answers without the amounts; Get transfer status shows them.
	HidesAmount bool `json:"hides_amount"`
	// NumericAmounts: amounts in answers are numbers. No seed reads like that, because the interface shows
	// strings; Options.Reading may.
	NumericAmounts bool `json:"numeric_amounts"`
	// WrongOTPStatus is the HTTP status of a submit with a wrong OTP or token: 400 for every seed. The
	// interface gives no status for single codes, so Options.Reading may have another, such as 422, which
	// leaves open whether the bank acted.
	WrongOTPStatus int `json:"wrong_otp_status"`
	// AnswersAs is the sub-merchant that transfer answers name; "" (every seed) means the account's own.
	AnswersAs string `json:"answers_as"`
	// OTPTries: under Trouble only, a batch cannot be submitted after this many wrong OTPs; 0 means no limit.
	OTPTries int `json:"otp_tries"`
}

// ReadingFor returns the reading of a seed, so that a test can choose a seed by its reading. The same seed
// gives the same reading while Reading has the same fields. Each field is drawn by its own name, so a new one
// changes no other.
func ReadingFor(seed int64, trouble bool) Reading {
	d := dice{seed}
	r := Reading{
		Order:            d.pick([]string{"as_sent", "reversed", "mixed"}, "order"),
		UnknownStatus:    []int{http.StatusBadRequest, http.StatusNotFound, http.StatusInternalServerError, http.StatusOK}[d.roll(4, "unknown status")],
		UsedStatus:       []int{http.StatusBadRequest, http.StatusConflict, http.StatusUnprocessableEntity}[d.roll(3, "used status")],
		EchoesRepeats:    d.flip("echoes repeats"),
		HidesUnsubmitted: d.flip("hides unsubmitted"),
		ClampsLimit:      d.flip("clamps limit"),
		ShortPages:       d.flip("short pages"),
		EmptyLastPage:    d.flip("empty last page"),
		Details:          d.pick([]string{"as_sent", "empty", "some"}, "details"),
		NamesBeneficiary: d.flip("names beneficiary"),
		OpenBatchID:      d.flip("open_batch_id"),
		DebitOnInitiate:  d.flip("debit on initiate"),
		MasksDebit:       d.flip("masks debit"),
		EarlyUTR:         d.flip("early utr"),
		ReturnedFails:    d.flip("returned fails"),
		FailedError:      d.flip("failed error"),
		UnknownInStatus:  d.flip("unknown in status"),

		StatementNeedsMerchant: d.flip("statement needs merchant"),
		StatementOfPayouts:     d.roll(8, "statement of payouts") == 0,
		NewestFirst:            d.flip("newest first"),
		NamesReference:         d.flip("names reference"),
		SlowBeneficiaries:      d.flip("slow beneficiaries"),

		WrongOTPStatus: http.StatusBadRequest,
	}
	if trouble {
		r.RepeatsSubmit = d.flip("repeats submit")
		r.HidesAmount = !r.HidesUnsubmitted && d.flip("hides amount")
		r.OTPTries = []int{0, 5}[d.roll(2, "otp tries")]
	}
	return r
}
