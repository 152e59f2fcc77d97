// Package browsertest does a day's work at the desk in a real Chromium, by
// keyboard, against the built program: `payrun desk` is a process of its own
// that can be killed, the bank is the sandbox, and every person has a browser
// profile of their own. Pages are also held against axe-core, in light and dark,
// on narrow screens and enlarged.
//
//	go test ./cmd/payrun/browsertest                      what people do there; skipped, with a reason, where there is no Chromium
//	go test ./cmd/payrun/browsertest -browser             every page and every sample too; fails where there is none (.ci/run)
//	go test ./cmd/payrun/browsertest -pictures DIR        keeps a picture of every page at 390, 1024 and 1600 pixels
//
// axe-core (testdata/axe) is the unmodified file of its npm package, version
// 4.14.1, with its licences beside it.
package browsertest
