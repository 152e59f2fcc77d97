package ingest

// Tabs lists the tabs of the workbook at path of which Options.Tab may name one, in
// the order the person sees: those with cells that are not hidden. Nil for a file that
// is no workbook. What is wrong with the file itself is a *Defect, as Open has it.
func Tabs(path string, limits Limits) (names []string, err error) {
	limits = limits.orDefaults()
	f, err := openFile(path, "", limits.Bytes)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head, err := f.head()
	if err != nil {
		return nil, err
	}
	format, err := detect(head, f)
	if err != nil || format != formatXLSX {
		return nil, err
	}
	w, _, err := listWorkbook(f, Options{Limits: limits})
	if err != nil {
		return nil, err
	}
	for _, t := range w.visible() {
		names = append(names, t.name)
	}
	return names, nil
}
