package main

import (
	"fmt"
	"time"
)

// line is a line of the table.
type line struct {
	job, wall, cpu, peak, other, ratio, ofCPU, goal, verdict string
}

const busyMark = "*"

// verdict is empty of a small run, which has met nothing and missed nothing.
func (b *bench) verdict(met, busy bool) string {
	if b.scale > 1 {
		return "–"
	}
	v := "met"
	if !met {
		v = "NOT MET"
	}
	if busy {
		v += busyMark
	}
	return v
}

func measured(job string, u usage) line {
	l := line{job: job, wall: shown(u.wall)}
	if u.cpu > 0 {
		l.cpu = shown(u.cpu)
	}
	if u.peakMB > 0 {
		l.peak = fmt.Sprint(u.peakMB)
	}
	return l
}

// ratio compares with a rival, and takes at most so many times as long.
func (b *bench) ratio(job string, u usage, other string, rival usage, most float64) {
	l := against(job, u, other, rival)
	l.goal, l.verdict = fmt.Sprintf("≤ %.4g ×", most), b.verdict(u.wall.Seconds() <= most*rival.wall.Seconds(), u.busy || rival.busy)
	b.lines = append(b.lines, l)
}

// ratioOfCPU compares with a rival, and works at most so many times as much.
func (b *bench) ratioOfCPU(job string, u usage, other string, rival usage, most float64) {
	l := against(job, u, other, rival)
	l.goal, l.verdict = fmt.Sprintf("cpu ≤ %.4g ×", most), b.verdict(u.cpu.Seconds() <= most*rival.cpu.Seconds(), false)
	b.lines = append(b.lines, l)
}

func against(job string, u usage, other string, rival usage) line {
	l := measured(job, u)
	l.other, l.ratio = other+" "+shown(rival.wall), fmt.Sprintf("%.2f", u.wall.Seconds()/rival.wall.Seconds())
	if rival.cpu > 0 {
		l.ofCPU = fmt.Sprintf("%.2f", u.cpu.Seconds()/rival.cpu.Seconds())
	}
	return l
}

// atMost holds a duration against the longest it may be.
func (b *bench) atMost(job string, u usage, most time.Duration) {
	l := measured(job, u)
	l.goal, l.verdict = "≤ "+shown(most), b.verdict(u.wall <= most, u.busy)
	b.lines = append(b.lines, l)
}

// per holds what one of n takes against the longest it may take.
func (b *bench) per(job string, u usage, n int, of string, most time.Duration) {
	l := measured(job, u)
	each := u.wall / time.Duration(n)
	l.other = shown(each) + " a " + of
	l.goal, l.verdict = "≤ "+shown(most), b.verdict(each <= most, u.busy)
	b.lines = append(b.lines, l)
}

// memory holds the peak against the most there may be.
func (b *bench) memory(job string, u usage, mostMB int64) {
	l := measured(job, u)
	l.goal, l.verdict = fmt.Sprintf("≤ %d MB", mostMB), b.verdict(u.peakMB <= mostMB, false)
	b.lines = append(b.lines, l)
}

// number holds a figure that is no duration.
func (b *bench) number(job, figure, goal string, met, busy bool) {
	b.lines = append(b.lines, line{job: job, wall: figure, goal: goal, verdict: b.verdict(met, busy)})
}

// without says that there is no one to compare with.
func (b *bench) without(job string, u usage, rival string) {
	l := measured(job, u)
	l.other, l.verdict = "not installed: "+rival, "–"
	b.lines = append(b.lines, l)
}

// point is a job at one size.
type point struct {
	n int
	u usage
}

// linearWithin is how much more one of the largest size may take than one of the
// smallest, for what grows with the size alone.
const linearWithin = 1.5

// linear tells whether a job takes as long for each of many as for each of few.
func (b *bench) linear(job string, points []point) {
	first, last := points[0], points[len(points)-1]
	each := func(p point) float64 { return p.u.wall.Seconds() / float64(p.n) }
	l := measured(fmt.Sprintf("%s, %s", job, thousands(last.n)), last.u)
	r := each(last) / each(first)
	busy := false
	for _, p := range points {
		busy = busy || p.u.busy
	}
	l.other = fmt.Sprintf("each, of %s: %s", thousands(first.n), shown(time.Duration(each(first)*1e9)))
	l.ratio = fmt.Sprintf("%.2f", r)
	l.goal, l.verdict = fmt.Sprintf("linear: %.4g ×", linearWithin), b.verdict(r <= linearWithin, busy)
	b.lines = append(b.lines, l)
}

// shown is a duration as people read it.
func shown(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%.1fµs", float64(d)/1e3)
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%.1fms", float64(d)/1e6)
	case d < 10*time.Second:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}

// thousands is a whole number with commas.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
