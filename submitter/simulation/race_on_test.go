//go:build race

package simulation

// raceDetector: SQLite is ten times slower under it, and no history depends on which goroutine is first.
const raceDetector = true
