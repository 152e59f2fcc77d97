package term

import "testing"

func TestLinesAreFoldedBetweenWords(t *testing.T) {
	for _, c := range []struct {
		name, line, want string
		width            int
	}{
		{"nothing limits it", "one two three", "one two three", 0},
		{"it fits", "one two", "one two", 7},
		{"one column more", "one two x", "one two\n  x", 8},
		{"further in than it began", "  one two three", "  one two\n    three", 10},
		{"each line by itself", "one two\nthree four", "one\n  two\nthree\n  four", 6},
		{"a word that fits nowhere", "see /a/long/path here", "see\n  /a/long/path\n  here", 8},
		{"a command", "  Next: payrun load november.csv", "  Next: payrun load november.csv", 10},
		{"colours take no room", "\x1b[31mone two\x1b[0m", "\x1b[31mone two\x1b[0m", 7},
		{"a word with its explanation", "  --yes  answer yes to all", "  --yes  answer\n         yes to\n         all", 18},
		{"an explanation far to the right", "  a long name of it  what it is", "  a long name of it\n    what it is", 20},
		{"columns that fit", "Total   ₹1.00", "Total   ₹1.00", 13},
		{"a script that is no wider than its letters", "नाम नाम", "नाम नाम", 7},
	} {
		if got := fold(c.line, c.width); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAPageFlowsOnANarrowScreen(t *testing.T) {
	page := "TITLE\n\nThis is a paragraph of\ntwo lines.\n\n  --it   what it is\n\n  15 22 * * * payrun nightly\nshort\n"
	for width, want := range map[int]string{
		30: page,
		16: "TITLE\n\nThis is a\nparagraph of two\nlines.\n\n  --it   what it\n    is\n\n  15 22 * * * payrun nightly\nshort\n", // what is pasted stays whole
	} {
		if got := flow(page, width); got != want {
			t.Errorf("at %d columns:\n%q, want\n%q", width, got, want)
		}
	}
}
