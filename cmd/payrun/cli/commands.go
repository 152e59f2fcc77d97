package cli

// Groups of commands, in the order of the help.
const (
	groupStart  = "Begin"
	groupMonth  = "A payday"
	groupRepair = "When something went wrong"
	groupView   = "What the ledger holds"
	groupBank   = "What the bank has"
	groupOther  = "Also"
)

// commands lists every command, in the order of the help.
func (p *program) commands() []command {
	return []command{
		p.demoCommand(),
		p.initCommand(),
		p.templateCommand(),
		p.sandboxCommand(),
		p.checkCommand(),
		p.loadCommand(),
		p.approveCommand(),
		p.initiateCommand(),
		p.submitCommand(),
		p.pollCommand(),
		p.reconcileCommand(),
		p.reportCommand(),
		p.runCommand(),
		p.nightlyCommand(),
		p.retryCommand(),
		p.abandonCommand(),
		p.resolveCommand(),
		p.statusCommand(),
		p.payoutsCommand(),
		p.findCommand(),
		p.sheetsCommand(),
		p.deskCommand(),
		p.ifscCommand(),
		p.policyCommand(),
		p.peopleCommand(),
		p.ledgerCommand(),
		p.accountsCommand(),
		p.balanceCommand(),
		p.statementCommand(),
		p.beneficiariesCommand(),
		p.merchantsCommand(),
		p.listenCommand(),
		p.doctorCommand(),
		p.explainCommand(),
		p.completionCommand(),
		p.manCommand(),
		p.versionCommand(),
		p.helpCommand(),
	}
}
