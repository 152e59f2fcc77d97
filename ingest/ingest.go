// Package ingest reads CSV and XLSX into rows of strings with their position.
// It reads and never judges a value: what cannot be read exactly as the person
// sees it in the spreadsheet program is a Defect that refuses the file.
package ingest
