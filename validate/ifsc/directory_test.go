package ifsc

import (
	"testing"
	"time"
)

func TestAgeInWords(t *testing.T) {
	for age, want := range map[time.Duration]string{
		0: "today", -time.Hour: "today", 24*time.Hour - 1: "today", 24 * time.Hour: "1 day ago", 47 * time.Hour: "1 day ago", 48 * time.Hour: "2 days ago",
	} {
		if got := AgeWords(age); got != want {
			t.Errorf("%s: %q, want %q", age, got, want)
		}
	}
}
