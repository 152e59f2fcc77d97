//go:build race

package simulation

// raceDetector: SQLite is ten times as slow under it, and no history depends on
// which goroutine is first.
const raceDetector = true
