// Package browsertest does a day's work at the desk in a real Chromium, by keyboard, against the built
// program. `payrun desk` is a process of its own that can be killed, the bank is the sandbox, and every
// person has their own browser profile. axe-core checks the pages, in light and dark, on narrow screens
// and enlarged.
//
//	go test ./cmd/payrun/browsertest                      what people do there; skipped, with a reason, where there is no Chromium
//	go test ./cmd/payrun/browsertest -browser             every page and every sample too; fails where there is none (.ci/run)
//	go test ./cmd/payrun/browsertest -pictures DIR        keeps a picture of every page at 390 and 1280 pixels
//	go test ./cmd/payrun/browsertest -docs                writes the pictures of docs/pictures
//
// axe-core (testdata/axe) is the unmodified file of its npm package, version
// 4.14.1, with its licences.
package browsertest
