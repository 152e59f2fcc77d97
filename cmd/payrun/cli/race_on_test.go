//go:build race

package cli

func waitTogether() {}
