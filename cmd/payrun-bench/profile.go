package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/pprof"

	"payrun/cmd/payrun/cli"
)

// profile checks and loads a sheet in this process and writes the CPU profile
// of it: what cmd/payrun/load.pgo is, for `go build -pgo` (docs/operations.md).
func profile(path string, rows int) (err error) {
	dir, err := os.MkdirTemp("", "payrun-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	sheet := filepath.Join(dir, "sheet.csv")
	if err := (sheetOf{rows: rows}).write(sheet); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := os.Chdir(dir); err != nil {
		return err
	}
	world := cli.System()
	world.Stdout = io.Discard
	for _, args := range [][]string{{"init"}, {"check", sheet}, {"load", sheet}} {
		if args[0] == "check" {
			if err := pprof.StartCPUProfile(f); err != nil {
				return err
			}
			defer pprof.StopCPUProfile()
		}
		if code := cli.Main(append([]string{"payrun"}, args...), world); code != 0 {
			return fmt.Errorf("payrun %s: exit %d", args[0], code)
		}
	}
	return nil
}
