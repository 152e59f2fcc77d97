package ingest

import (
	"fmt"
	"math"
	"testing"

	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"
)

// hexOf gives a colour as Excel shows it, in digits, and whether it is known.
func hexOf(p palette, c colour) (string, bool) {
	rgb, ok := p.toRGB(c)
	return fmt.Sprintf("%02X%02X%02X", round(rgb[0]), round(rgb[1]), round(rgb[2])), ok
}

func round(c float64) int { return int(math.Round(c * 0xFF)) }

func TestColoursAreThoseOfExcelize(t *testing.T) {
	for i, want := range excelize.IndexedColorMapping {
		if got, ok := hexOf(officePalette, colour{from: fromPalette, value: uint32(i)}); got != want || !ok {
			t.Errorf("indexed %d is %s, excelize has %s", i, got, want)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		value := rapid.Uint32Range(0, 0xFFFFFF).Draw(rt, "rgb")
		tint := rapid.Float64Range(-1, 1).Draw(rt, "tint")
		rgb, _ := officePalette.toRGB(colour{fromRGB, value, tint})
		var want [3]int
		if _, err := fmt.Sscanf(excelize.ThemeColor(fmt.Sprintf("%06X", value), tint), "FF%02X%02X%02X", &want[0], &want[1], &want[2]); err != nil {
			rt.Fatal(err)
		}
		for i := range want {
			if d := round(rgb[i]) - want[i]; d < -2 || d > 2 {
				rt.Fatalf("%06X with %g is %v of 0 to 1, excelize has %v", value, tint, rgb, want)
			}
		}
	})
}

// The shades are those that Excel offers below the colours of its theme.
func TestShadesOfTheThemeAreThoseOfExcel(t *testing.T) {
	for _, c := range []struct {
		place uint32
		tint  float64
		want  string
	}{
		{0, 0, "FFFFFF"}, {0, -0.14999847407452621, "D9D9D9"}, {0, -0.499984740745262, "808080"}, {1, 0, "000000"}, {1, 0.499984740745262, "7F7F7F"}, {1, 0.34998626667073579, "595959"},
		{2, 0, "E7E6E6"}, {3, 0, "44546A"}, {4, 0.79998168889431442, "DAE3F3"}, {4, -0.249977111117893, "2F5597"}, {4, -0.499984740745262, "203864"}, {9, 0, "70AD47"}, {10, 0, "0563C1"}, {11, 0, "954F72"},
	} {
		if got, ok := hexOf(officePalette, colour{fromTheme, c.place, c.tint}); got != c.want || !ok {
			t.Errorf("theme %d with %g is %s, want %s", c.place, c.tint, got, c.want)
		}
	}
}

func TestColoursThatAreNotKnownCountAsSeen(t *testing.T) {
	theme := officePalette
	theme.theme[4] = unknownRGB
	for _, c := range []colour{{from: fromOther}, {from: fromTheme, value: 12}, {from: fromTheme, value: 4}, {from: fromPalette, value: 66}, {from: fromRGB, value: unknownRGB}} {
		if theme.unseen(c, c) || theme.unseen(c, colour{}) || theme.unseen(colour{}, c) {
			t.Errorf("%+v is not seen", c)
		}
	}
}

func TestContrastIsThatOfWCAG(t *testing.T) {
	white, _ := officePalette.toRGB(systemBackground)
	for value, want := range map[uint32]float64{0: 21, 0x767676: 4.54, 0x808080: 3.95, 0xBFBFBF: 1.84, 0xD9D9D9: 1.41, 0xFFFFFF: 1} {
		grey, _ := officePalette.toRGB(colour{from: fromRGB, value: value})
		if got := contrast(light(grey[0]), light(white[0])); math.Abs(got-want) > 0.005 {
			t.Errorf("%06X on white has %.3f, want %.2f", value, got, want)
		}
	}
}

// What is seen is so in both directions, and for letters and paper the same.
func TestLettersAreSeenByContrast(t *testing.T) {
	for _, c := range []struct {
		ink, paper uint32
		seen       bool
	}{
		{0xEEEEEE, 0xFFFFFF, false}, {0xD9D9D9, 0xFFFFFF, false}, {0xD3D3D3, 0xFFFFFF, true}, {0xBFBFBF, 0xFFFFFF, true}, {0x808080, 0xFFFFFF, true},
		{0xFFFF99, 0xFFFFFF, false}, {0xFFFF00, 0xFFFFFF, false}, {0xFFFF00, 0xFFFF01, false}, {0xFFFFFF, 0xC6EFCE, false}, {0x000000, 0x1F1F1F, false}, {0x000000, 0x333333, true},
		{0xFFFFFF, 0x4472C4, true}, {0xFFFFFF, 0xFFC000, true}, {0xFFFFFF, 0x92D050, true}, {0x9C0006, 0xFFC7CE, true}, {0x006100, 0xC6EFCE, true}, {0x9C6500, 0xFFEB9C, true},
		{0x00FF00, 0xFFFFFF, true}, {0x00FFFF, 0xFFFFFF, true}, {0xFF0000, 0x808080, true}, {0xFF0000, 0x008000, true}, {0xFF0000, 0x4472C4, true}, {0x0000FF, 0x000000, true},
	} {
		ink, paper := colour{from: fromRGB, value: c.ink}, colour{from: fromRGB, value: c.paper}
		if officePalette.unseen(ink, paper) == c.seen || officePalette.unseen(paper, ink) == c.seen {
			t.Errorf("%06X on %06X: want seen %v", c.ink, c.paper, c.seen)
		}
	}
}
