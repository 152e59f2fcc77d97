package cli

// Groups of commands, in the order of the help.
const (
	groupStart  = "Begin"
	groupMonth  = "From sheet to settled"
	groupRepair = "When something went wrong"
	groupView   = "What the ledger holds"
	groupOther  = "Also"
)

// commands lists every command, in the order of the help.
func (a *app) commands() []command {
	return []command{
		a.demoCommand(),
		a.initCommand(),
		a.templateCommand(),
		a.sandboxCommand(),
		a.checkCommand(),
		a.loadCommand(),
		a.approveCommand(),
		a.initiateCommand(),
		a.submitCommand(),
		a.pollCommand(),
		a.reportCommand(),
		a.runCommand(),
		a.retryCommand(),
		a.abandonCommand(),
		a.resolveCommand(),
		a.statusCommand(),
		a.payoutsCommand(),
		a.sheetsCommand(),
		a.ifscCommand(),
		a.ledgerCommand(),
		a.explainCommand(),
		a.versionCommand(),
		a.helpCommand(),
	}
}
