package cli

import (
	"errors"
	"slices"
	"testing"

	"payrun/cmd/payrun/app"
)

func TestEveryCodeOfTheContractIsInTheTableOnceAndRanked(t *testing.T) {
	contract := []int{0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 16, 17, 130}
	var got []int
	names := map[app.Code]bool{}
	for _, m := range exitTable {
		got = append(got, m.exit)
		if names[m.code] || m.meaning == "" {
			t.Errorf("exit %d: its word %q is taken, or it has no meaning", m.exit, m.code)
		}
		names[m.code] = true
		if m.exit != exitDone && exitOf(m.code) != m.exit {
			t.Errorf("the code %q gives exit %d, want %d", m.code, exitOf(m.code), m.exit)
		}
	}
	if !slices.Equal(got, contract) {
		t.Errorf("exit codes %v, the contract has %v", got, contract)
	}
}

// Scripts rely on the order of the contract: 17, 15, 16, 4, 5, 10, 13, 12, 14.
func TestOfSeveralTheFirstOfTheContractsOrderWins(t *testing.T) {
	order := []int{17, 15, 16, 4, 5, 10, 13, 12, 14}
	for i, better := range order {
		for _, worse := range order[i+1:] {
			for _, err := range []error{
				errors.Join(giving(better, "a"), giving(worse, "b")),
				errors.Join(giving(worse, "b"), nil, errors.Join(giving(better, "a"))),
			} {
				if got := exitOf(app.Worst(err).Code); got != better {
					t.Errorf("%d and %d together gave %d", better, worse, got)
				}
			}
		}
	}
}

// giving is an error that gives this exit code.
func giving(exit int, what string) error {
	i := slices.IndexFunc(exitTable[:], func(m exitMeaning) bool { return m.exit == exit })
	return app.Fail(exitTable[i].code, "%s", what)
}
