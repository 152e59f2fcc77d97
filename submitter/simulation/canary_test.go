package simulation

import "payrun/submitter"

type canary struct {
	name string
	wrap func(*history, submitter.Store, submitter.Bank) (submitter.Store, submitter.Bank)
}
