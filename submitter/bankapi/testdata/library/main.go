// A separate program that pays one payout with payrun/submitter/bankapi as a library: initiate, OTP, submit,
// status. It keeps no ledger and remembers nothing. If it runs twice with the same ids, only the bank can
// refuse.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

func main() {
	if err := pay(context.Background(), os.Getenv("OTP")); err != nil {
		log.Fatal(err)
	}
}

func pay(ctx context.Context, otp string) error {
	client, err := bankapi.New(bankapi.Config{
		BaseURL:   os.Getenv("BANK"),
		AccessKey: ledger.NewSecret(os.Getenv("ACCESS_KEY")),
		SecretKey: ledger.NewSecret(os.Getenv("SECRET_KEY")),
	})
	if err != nil {
		return err
	}
	defer client.Close()
	accounts, err := client.BankAccounts(ctx, bankapi.AccountQuery{PartnerBankID: 3})
	if err != nil {
		return err
	}
	var debit string
	for _, a := range accounts {
		if a.Status == ledger.AccountActive {
			debit = a.BankAccountID
		}
	}
	const batch = "library-0001"
	if otp == "" { // the first run initiates; the bank then sends the OTP
		payload, err := client.EncodeInitiate(
			ledger.Batch{ID: batch, BankAccountID: debit, PartnerBankID: 3, TransactionTypeID: "NEFT", Count: 1, Total: 1234_50},
			[]ledger.Attempt{{WireRef: "INV-1", Payout: ledger.Payout{
				Ref: "INV-1", Amount: 1234_50, BankAccountID: debit, VendorName: "Rao Stores", BankAccountNumber: "00123456789", IFSC: "ICIC0000456",
			}}})
		if err != nil {
			return err
		}
		echo, err := client.Initiate(ctx, payload)
		if err != nil {
			return err
		}
		fmt.Println(echo.Payouts[0].Status)
		return nil
	}
	payload, err := client.EncodeSubmit(batch, "")
	if err != nil {
		return err
	}
	if _, err := client.Submit(ctx, payload, ledger.NewSecret(otp), ledger.Secret{}); err != nil {
		return err
	}
	read, err := client.ReadStatus(ctx, batch, 1, ledger.Patient)
	if err != nil {
		return err
	}
	fmt.Println(read.Complete, read.Payouts[0].Amount)
	return nil
}
