//go:build unix

package browsertest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// people of the sheets here; none of them is anybody.
var people = []string{"Asha Verma", "Ravi Kumar", "Lakshmi Narayanan", "Imran Sheikh", "Deepa Menon", "Gurpreet Singh", "Farida Khan", "Joseph D'Souza",
	"Nisha Patel", "Suresh Rao", "Tara Bose", "Vikram Joshi", "Kiran Shah", "Meenakshi Iyer", "Arjun Das", "पूजा शर्मा"}

// sheet writes a CSV of so many payouts.
func (h *house) sheet(name, prefix string, n int) string {
	h.Helper()
	text := "Reference,Beneficiary Name,Account Number,IFSC Code,Amount,Remarks\n"
	for i := range n {
		text += fmt.Sprintf("%s-%03d,%s,50100%08d,HDFC0001234,%d.50,Salary November\n", prefix, i+1, people[i%len(people)], 10020030+i*37, 18000+i*750)
	}
	return h.write(name, text)
}

// aMonth plays what the pages of a month show, at the terminal: paid, failed,
// returned, waiting for an OTP, planned and in doubt.
func (h *house) aMonth() {
	h.Helper()
	h.payrun(good, "load", h.sheet("salaries-november.csv", "SAL-NOV", 14))
	outcomes := map[string]string{"SAL-NOV-003": "failed", "SAL-NOV-005": "returned", "SAL-NOV-008": "stuck", "SAL-NOV-009": "unknown:ON HOLD BY BRANCH"}
	fine(h, h.bank.SetOutcomes(outcomes))
	h.payrun(asks, "initiate", "--all", "--yes")
	h.enterOTPs()
	for range 8 {
		h.bank.Settle()
		h.payrun(whatever, "poll")
	}
	h.payrun(good, "load", h.sheet("vendors.csv", "VEN-NOV", 6), "--account", "vendors")
	h.payrun(asks, "initiate", "--all", "--yes")
	h.payrun(good, "load", h.sheet("bonus.csv", "BON-NOV", 5))
	h.payrun([]int{0, 12, 13, 14, 16}, "report")
}

// enterOTPs enters what came to the registered mobile, for all that is held.
func (h *house) enterOTPs() {
	h.Helper()
	text := "merchant_transfer_batch_id,otp,transaction_token\n"
	for _, id := range h.batches("held") {
		otp, token, _ := h.bank.OTP(id)
		text += fmt.Sprintf("%s,%s,%s\n", id, otp, token)
	}
	h.payrun(whatever, "submit", "--yes", "--otp-file", h.write("otps.csv", text))
}

// batches lists the batches in a state.
func (h *house) batches(state string) (ids []string) {
	h.Helper()
	var status struct {
		Batches []struct {
			ID    string `json:"id"`
			State string `json:"state"`
		} `json:"batches"`
	}
	out := h.payrun(good, "status", "--json")
	fine(h, json.NewDecoder(strings.NewReader(out)).Decode(&status))
	for _, b := range status.Batches {
		if b.State == state {
			ids = append(ids, b.ID)
		}
	}
	return ids
}
