//go:build !unix

package ingest

// openNoFollow has no equivalent here; the file is compared before and after.
const openNoFollow = 0
