//go:build linux

package cli

import (
	"bytes"
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/term/termtest"
	"payrun/ledger"
	"payrun/submitter/sandbox"
)

// minute is a person at a real terminal, with a bank that holds two batches: one of
// a partner bank with transaction tokens, one of another.
type minute struct {
	*testing.T
	bank     *scriptedBank
	dir      string
	front    string
	now      time.Time
	terminal *os.File
	keyboard *os.File
	screen   *screen
	before   *term.State
}

func newMinute(t *testing.T) *minute {
	t.Helper()
	t.Parallel()
	server, err := sandbox.Start(t.Context(), sandbox.Options{Seed: 1, Now: time.Now})
	must(t, err)
	t.Cleanup(func() { _ = server.Close() })
	m := &minute{T: t, dir: t.TempDir(), now: time.Now(), screen: newScreen(),
		bank: &scriptedBank{Server: server, calls: map[string]int{}, seen: make(chan string, 1000)}}
	front := httptest.NewServer(m.bank.front())
	t.Cleanup(front.Close)
	t.Cleanup(m.bank.release)
	m.front = front.URL
	m.terminal, m.keyboard = termtest.Open(t)
	m.before, err = term.GetState(int(m.terminal.Fd()))
	must(t, err)
	m.write(config.Name, quickConfig())
	m.write("november.csv", sheetHeader+
		"INV-1,Asha Traders,123456789012,HDFC0001234,100.00,pb1\nINV-2,Bhima Traders,223456789012,HDFC0001234,200.50,pb1\n"+
		"INV-3,Chenab Traders,323456789012,HDFC0001234,300.00,pb4\n")
	m.ends(exitDone, m.run(t.Context(), "init"))
	m.ends(exitDone, m.run(t.Context(), "load", filepath.Join(m.dir, "november.csv")))
	m.ends(exitPerson, m.run(t.Context(), "initiate", "--all", "--yes"))
	m.screen.forget()
	return m
}

func (m *minute) write(name, text string) {
	m.Helper()
	must(m, os.WriteFile(filepath.Join(m.dir, name), []byte(text), 0o600))
}

// run runs the program on the terminal.
func (m *minute) run(ctx context.Context, args ...string) int {
	w := worldOf(m.screen, m.screen, environmentOf(m.bank.Ready(), m.front, m.dir))
	w.Stdin, w.Now = m.terminal, func() time.Time { return m.now }
	return newProgram(w).main(ctx, append([]string{"payrun"}, args...))
}

// submits runs payrun submit while the person acts, and holds its exit code
// against want. The terminal is as before, and nothing is left on it for a shell.
func (m *minute) submits(want int, acts func(interrupt context.CancelFunc), args ...string) {
	m.Helper()
	ctx, cancel := context.WithCancel(m.Context())
	defer cancel()
	exit := make(chan int)
	go func() {
		got := m.run(ctx, append([]string{"submit"}, args...)...)
		m.screen.end()
		exit <- got
	}()
	acts(cancel)
	m.ends(want, <-exit)
	m.screen.forget()
	if after, err := term.GetState(int(m.terminal.Fd())); err != nil || *after != *m.before {
		m.Errorf("the terminal is not as it was: %v", err)
	}
	if left, err := unix.IoctlGetInt(int(m.terminal.Fd()), unix.TIOCINQ); err != nil || left != 0 {
		m.Errorf("%d bytes are left for the shell (%v)", left, err)
	}
}

func (m *minute) ends(want, got int) {
	m.Helper()
	if got != want {
		m.Fatalf("exit %d, want %d\n%s", got, want, m.screen)
	}
}

// sees waits for words on the screen, after those that were seen before.
func (m *minute) sees(words string) {
	m.Helper()
	const patience = time.Minute // only a program that is wrong takes so long
	defer time.AfterFunc(patience, m.screen.end).Stop()
	if !m.screen.await(words) {
		m.Fatalf("never saw %q in\n%s", words, m.screen)
	}
}

// The questions for what the bank sent.
const askOTP, askToken = "OTP (Enter skips the batch): ", "Transaction token: "

// answers waits for a question and types its answer.
func (m *minute) answers(question, keys string) {
	m.Helper()
	m.sees(question)
	m.types(keys)
}

func (m *minute) types(keys string) {
	m.Helper()
	_, err := m.keyboard.WriteString(keys)
	must(m, err)
}

// submitsHeldUp enters both for a batch. The bank has the submit, and does not answer.
func (m *minute) submitsHeldUp(otp, token string) {
	m.Helper()
	m.answers(askOTP, otp+"\r")
	m.sees(askToken)
	m.bank.holdUp("submit")
	m.types(token + "\r")
	m.bank.await("transfer/submit")
}

// otp is what the bank sent for the batch at that debit account.
func (m *minute) otp(account int) (otp, token string) {
	m.Helper()
	for _, b := range m.bank.State().Batches {
		otp, token, _ := m.bank.OTP(b.BatchID)
		if (token != "") == (account == 1) {
			return otp, token
		}
	}
	m.Fatal("the bank holds no such batch")
	return "", ""
}

func (m *minute) submitted(want int) {
	m.Helper()
	m.bank.mu.Lock()
	defer m.bank.mu.Unlock()
	if got := m.bank.calls["POST transfer/submit"]; got != want {
		m.Errorf("the bank saw %d submits, want %d", got, want)
	}
}

// screen is what was written, and how much of it was seen.
type screen struct {
	mu    sync.Mutex
	more  *sync.Cond
	text  []byte
	seen  int
	ended bool
}

func newScreen() *screen {
	s := &screen{}
	s.more = sync.NewCond(&s.mu)
	return s
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, p...)
	s.more.Broadcast()
	return len(p), nil
}

// await reports whether the words came before the program ended.
func (s *screen) await(words string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if at := bytes.Index(s.text[s.seen:], []byte(words)); at >= 0 {
			s.seen += at + len(words)
			return true
		}
		if s.ended {
			return false
		}
		s.more.Wait()
	}
}

func (s *screen) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.more.Broadcast()
}

func (s *screen) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text, s.seen, s.ended = nil, 0, false
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.text)
}

func TestEachOTPIsAskedForWithWhatItIsForAndItsResultStandsThereAtOnce(t *testing.T) {
	m := newMinute(t)
	m.now = m.now.Add(12 * time.Minute)
	otp, token := m.otp(1)
	m.submits(exitOpen, func(context.CancelFunc) {
		m.sees("1 of 2  Batch pr")
		m.sees("2 payouts  ₹300.50")
		m.sees("Sheet november.csv, account pb1 (…0003, partner bank 1)")
		m.sees("OTP requested at ")
		m.sees("12 minutes ago; try 1 of 3")
		m.sees("Your window of 10 minutes has passed.")
		m.answers(askOTP, "  123"+"\x7f\x7f\x7f"+"wrong"+"\x15"+otp+"x\b \r")
		m.answers(askToken, token+"\n")
		m.sees("✓ submitted at ")
		m.sees("2 payouts, ₹300.50")
		m.sees("2 of 2  Batch pr")
		other, _ := m.otp(4)
		m.answers(askOTP, other+"\r")
		m.sees("✓ submitted at ")
		for _, secret := range []string{otp, token, other} {
			if strings.Contains(m.screen.String(), secret) {
				t.Error("what was typed is on the screen")
			}
		}
	})
	m.submitted(2)
}

func TestWhatDoesNotLookLikeAnOTPIsAskedForAgainAndNeverSent(t *testing.T) {
	m := newMinute(t)
	m.submits(exitPerson, func(context.CancelFunc) {
		for _, typed := range []string{"123", "12345678901", "12 3456", "₹12345", "no", "12ab", "१२३४५६", "\x1b[A1234", "12345\t6", strings.Repeat("1", 3000)} {
			m.answers(askOTP, typed+"\r")
			m.sees("An OTP is 4 to 10 letters or digits.")
		}
		m.answers(askOTP, "123456\r")
		for _, typed := range []string{"a b", strings.Repeat("k", 201), "\xff\xfe", "a\u200bb"} {
			m.answers(askToken, typed+"\r")
			m.sees("A transaction token is 1 to 200 characters without spaces.")
		}
		m.answers(askToken, "\r")
		m.sees("no OTP was entered; not sent")
		m.sees("2 of 2")
		m.answers(askOTP, "\r")
	})
	m.submitted(0)
}

func TestAPasteStopsTheCommand(t *testing.T) {
	lines := strings.Repeat("INV-10,Asha Traders,100.00\r", 12)
	for name, typed := range map[string]string{
		"a sheet": lines, "OTPs": "123456\r654321\r", "CRLF": "123456\r\n", "a line and a half": "123456\r6", "much": strings.Repeat(lines, 100),
	} {
		t.Run(name, func(t *testing.T) {
			m := newMinute(t)
			m.submits(exitPerson, func(context.CancelFunc) {
				m.answers(askOTP, typed)
				m.sees("several lines were entered at once")
				m.sees("Next: payrun submit")
			})
			m.submitted(0)
		})
	}
}

// What is typed while the bank is slow is not shown and is no answer to the
// question that comes after it.
func TestWhatIsTypedAheadIsThrownAway(t *testing.T) {
	m := newMinute(t)
	otp, token := m.otp(1)
	other, _ := m.otp(4)
	m.submits(exitOpen, func(context.CancelFunc) {
		m.submitsHeldUp(otp, token)
		if state, err := unix.IoctlGetTermios(int(m.terminal.Fd()), unix.TCGETS); err != nil || state.Lflag&(unix.ECHO|unix.ICANON) != 0 {
			m.Errorf("what is typed during a submit is shown: %v", err)
		}
		m.types("999999\r\r")
		m.bank.release()
		m.sees("2 of 2")
		m.answers(askOTP, other+"\r")
	})
	m.submitted(2)
}

// Wherever a person stops it, it stops, and what was done stays done.
func TestWhoeverStopsAtAQuestionIsLetGo(t *testing.T) {
	for name, c := range map[string]struct {
		want int
		stop func(m *minute, interrupt context.CancelFunc)
	}{
		"a signal":                 {exitInterrupted, func(_ *minute, interrupt context.CancelFunc) { interrupt() }},
		"a signal after some keys": {exitInterrupted, func(m *minute, interrupt context.CancelFunc) { m.types("1234"); interrupt() }},
		"Ctrl-D":                   {exitCancelled, func(m *minute, _ context.CancelFunc) { m.types("\x04") }},
		"Ctrl-D after all erased":  {exitCancelled, func(m *minute, _ context.CancelFunc) { m.types("12\x7f\x7f\x04") }},
	} {
		for _, at := range []string{askOTP, askToken} {
			t.Run(name+" at "+at, func(t *testing.T) {
				m := newMinute(t)
				m.submits(c.want, func(interrupt context.CancelFunc) {
					m.sees(askOTP)
					if at != askOTP {
						m.types("123456\r")
						m.sees(at)
					}
					c.stop(m, interrupt)
				})
				m.submitted(0)
			})
		}
	}
}

func TestASubmitUnderWayIsFinishedWhoeverStopsIt(t *testing.T) {
	m := newMinute(t)
	otp, token := m.otp(1)
	m.submits(exitInterrupted, func(interrupt context.CancelFunc) {
		m.submitsHeldUp(otp, token)
		interrupt()
		m.bank.release()
		m.sees("submitted")
	})
	m.submitted(1)
	if n := len(m.bank.State().Batches); n != 2 {
		t.Errorf("the bank holds %d batches", n)
	}
}

// The same with the program in a session of its own, whose terminal sends the signals.
func TestCtrlCAndAClosedWindowAtARealTerminal(t *testing.T) {
	for name, c := range map[string]struct {
		acts    func(m *minute)
		submits int
	}{
		"Ctrl-C at a question": {func(m *minute) {
			m.answers(askOTP, "12\x03")
		}, 0},
		"Ctrl-C twice during a submit": {func(m *minute) {
			otp, token := m.otp(1)
			m.submitsHeldUp(otp, token)
			m.types("\x03")
			m.sees("stopping as soon as the bank has answered")
			m.types("\x03")
			m.sees("the bank's answer to what was sent is waited for, until ")
			m.sees(" at the latest")
			m.bank.release()
		}, 1},
		"a closed window": {func(m *minute) {
			m.sees(askOTP)
			must(m, m.keyboard.Close())
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMinute(t)
			cmd := exec.Command("payrun", "submit", "--config", filepath.Join(m.dir, config.Name))
			cmd.Env = append(os.Environ(), "PAYRUN_BASE_URL="+m.front, "XDG_STATE_HOME="+m.dir,
				"PAYRUN_ACCESS_KEY="+m.bank.Ready().AccessKey, "PAYRUN_SECRET_KEY="+m.bank.Ready().SecretKey)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = m.terminal, m.screen, m.screen
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			must(t, cmd.Start())
			c.acts(m)
			_ = cmd.Wait() // its code says how it ended
			m.ends(exitInterrupted, cmd.ProcessState.ExitCode())
			m.submitted(c.submits)
			if after, err := term.GetState(int(m.terminal.Fd())); err == nil && *after != *m.before {
				t.Error("the terminal is not as it was")
			}
		})
	}
}

func TestAClosedWindowIsAnInterruption(t *testing.T) {
	m := newMinute(t)
	exit := make(chan int)
	go func() { exit <- m.run(t.Context(), "submit") }()
	m.sees(askOTP)
	must(t, m.keyboard.Close())
	m.ends(exitInterrupted, <-exit)
	m.submitted(0)
}

func TestABatchWithoutTriesLeftIsNotAskedAbout(t *testing.T) {
	m := newMinute(t)
	otp, _ := m.otp(4)
	m.submits(exitPerson, func(context.CancelFunc) {
		for try := range 3 {
			m.sees("try " + string(rune('1'+try)) + " of 3")
			m.answers(askOTP, "000000\r")
			m.answers(askToken, "wrong\r")
			if try < 2 {
				m.sees("Not submitted, no money moved: ")
			}
		}
		m.sees("no more tries")
		m.sees("2 of 2")
		m.answers(askOTP, "\r")
	})
	m.submits(exitPerson, func(context.CancelFunc) {
		m.sees("1 of 1")
		m.sees("account pb4")
		m.answers(askOTP, otp+"\r")
		m.sees("Next: payrun abandon ")
	})
	m.submits(exitPerson, func(context.CancelFunc) { m.sees("Next: payrun abandon ") })
	m.submitted(4)
}

// A run counts the OTPs that it announced: also those that wait behind another of their account.
func TestTheOTPsOfARunAreCountedToTheLast(t *testing.T) {
	m := newMinute(t)
	m.write("single.csv", sheetHeader+
		"D-1,Asha Traders,999999999912,HDFC0001234,1000.50,pb31\nD-2,Damodar Traders,423456789012,HDFC0001234,50.00,pb31\nD-3,Ela Traders,523456789012,HDFC0001234,70.00,pb8\n")
	exit := make(chan int)
	go func() { exit <- m.run(t.Context(), "run", filepath.Join(m.dir, "single.csv"), "--wait", "0s") }()
	m.sees("3 payouts, 3 OTPs")
	m.sees("[y/N] ")
	m.types("y\n")
	for i, account := range []string{"31", "08", "31"} {
		m.sees(fmt.Sprintf("%d of 3  Batch pr", i+1))
		m.sees(askOTP)
		for _, b := range m.bank.State().Batches {
			if b.Submits == 0 && strings.HasSuffix(b.BankAccountID, account) {
				otp, _, _ := m.bank.OTP(b.BatchID)
				m.types(otp + "\r")
			}
		}
		m.sees("✓ submitted")
	}
	m.ends(exitPerson, <-exit) // of the two that were held before
	m.submitted(3)
}

// asked runs the program while the person answers its question with keys.
func (m *minute) asked(want int, question, keys string, args ...string) (shown string) {
	m.Helper()
	m.screen.forget()
	exit := make(chan int)
	go func() {
		got := m.run(m.Context(), args...)
		m.screen.end()
		exit <- got
	}()
	m.sees(question)
	m.types(keys)
	m.ends(want, <-exit)
	return m.screen.String()
}

const sheetHeader = "Reference,Beneficiary Name,Account Number,IFSC Code,Amount,Debit Account\n"

// hasAll reports words that were not shown.
func (m *minute) hasAll(shown string, words ...string) {
	m.Helper()
	for _, want := range words {
		if !strings.Contains(shown, want) {
			m.Errorf("%q is not shown\n%s", want, shown)
		}
	}
}

// TestAReviewHasWhatASheetCorrects: a corrected account is one more that was never paid,
// and a corrected amount may be the largest.
func TestAReviewHasWhatASheetCorrects(t *testing.T) {
	m := newMinute(t)
	m.write("december.csv", sheetHeader+"D-1,Asha Traders,999999999912,HDFC0001234,100.50,pb31\n")
	m.write("fixed.csv", sheetHeader+"D-1,Asha Traders,777700009999,HDFC0001234,150000.75,pb31\n")
	december, fixed := filepath.Join(m.dir, "december.csv"), filepath.Join(m.dir, "fixed.csv")
	m.ends(exitDone, m.run(t.Context(), "load", december))
	m.screen.forget()
	m.ends(exitDone, m.run(t.Context(), "sheets", "--json"))
	id := regexp.MustCompile(`"id":"(\w+)","name":"december.csv"`).FindStringSubmatch(m.screen.String())
	if id == nil {
		t.Fatal(m.screen.String())
	}
	m.run(t.Context(), "abandon", "--sheet", id[1], "--reason", "the account is wrong")
	shown := m.asked(exitCancelled, "Load and initiate 1 batch of ₹1,50,000.75? [y/N] ", "n\n", "run", fixed, "--correct")
	m.hasAll(shown, "Never paid before from this ledger: 1 payout of ₹1,50,000.75", "D-1        Asha Traders")
}

// TestAReviewKnowsWhatALaterSheetPays: a cancelled payout comes in a later sheet under another reference, and is
// then retried.
func TestAReviewKnowsWhatALaterSheetPays(t *testing.T) {
	m := newMinute(t)
	m.write("december.csv", sheetHeader+"D-1,Asha Traders,999999999912,HDFC0001234,100.50,pb31\n")
	m.write("again.csv", sheetHeader+"E-1,Asha Traders,999999999912,HDFC0001234,100.50,pb31\n")
	m.ends(exitDone, m.run(t.Context(), "load", filepath.Join(m.dir, "december.csv")))
	m.ends(exitDone, m.run(t.Context(), "abandon", "--sheet", "december.csv", "--reason", "the account is wrong"))
	m.ends(exitDone, m.run(t.Context(), "load", filepath.Join(m.dir, "again.csv")))
	m.ends(exitDone, m.run(t.Context(), "retry", "december.csv"))
	shown := m.asked(exitCancelled, "Initiate 2 batches of ₹201.00? [y/N] ", "n\n", "initiate", "--all")
	m.hasAll(shown, "Unusual: 2 payouts", `D-1, row 2 (payee_paid_recently)`, `reference "E-1", sheet "again.csv"`, `E-1, row 2 (payee_paid_recently)`)
}

// What a run of ten payouts shows before its question fits on a screen, and names nothing twice.
func TestARunOfTenPayoutsIsOneScreenBeforeItsQuestion(t *testing.T) {
	m := newMinute(t)
	text := "Reference,Beneficiary Name,Account Number,IFSC Code,Amount\n"
	for i := range 10 {
		text += fmt.Sprintf("NOV-%d,Asha Rao %d,00012345678%d,HDFC0001234,%d.00\n", i, i, i, 1000+i*111)
	}
	m.write("november.csv", text)
	shown := m.asked(exitCancelled, "Load and initiate 1 batch of ₹14,995.00? [y/N] ", "n\n", "run", filepath.Join(m.dir, "november.csv"))
	before, _, _ := strings.Cut(shown, "[y/N]")
	if lines := strings.Count(before, "\n") + 1; lines > 24 {
		t.Errorf("%d lines before the question:\n%s", lines, before)
	}
	for _, once := range []string{"NOV-9", "NOV-5", "partner bank 1", "Amount (E)", "₹1,999.00"} {
		if n := strings.Count(before, once); n != 1 {
			t.Errorf("%s is shown %d times:\n%s", once, n, before)
		}
	}
	m.screen.forget()
	whole := m.asked(exitCancelled, "[y/N] ", "n\n", "run", filepath.Join(m.dir, "november.csv"), "--verbose")
	m.hasAll(whole, "NOV-0", "Read as", "remaining payouts")
}

func TestANoToARunLoadsNothing(t *testing.T) {
	m := newMinute(t)
	m.write("december.csv", sheetHeader+
		"D-1,Asha Traders,999999999912,HDFC0001234,100000.50,pb31\nD-2,Damodar Traders,423456789012,HDFC0001234,50.00,pb8\n")
	sheet := filepath.Join(m.dir, "december.csv")
	for _, no := range []string{"n\n", "\n", "\x04", "yess\n"} {
		m.asked(exitCancelled, "Load and initiate 2 batches of ₹1,00,050.50? [y/N] ", no, "run", sheet)
	}
	shown := m.asked(exitCancelled, "[y/N] ", "no\n", "run", sheet)
	m.hasAll(shown, "SANDBOX: no money moves", "pb31 (", "partner bank 31)", "Total  ₹1,00,050.50, 2 payouts, 2 OTPs",
		"Rupees one lakh fifty and paise fifty only", "Never paid before from this ledger: 2 payouts of ₹1,00,050.50",
		"one payout: partner bank", "payee_new_account", "nothing was loaded, and nothing was sent")
	m.screen.forget()
	if exit := m.run(t.Context(), "sheets", "--json"); exit != 0 || strings.Contains(m.screen.String(), "december") {
		t.Error("a no loaded the sheet")
	}
	m.ends(exitDone, m.run(t.Context(), "load", sheet))
	m.asked(exitCancelled, "Initiate 2 batches of ₹1,00,050.50? [y/N] ", "n\n", "initiate", "--all", "--json")
	m.asked(exitPerson, "Initiate 2 batches of ₹1,00,050.50? [y/N] ", "yes\n", "initiate", "--all")
}

func TestAccountsAreWorded(t *testing.T) {
	if got := (ledger.DebitAccount{Name: "main", AccountNumber: "000011112222", PartnerBankID: 3}).WithTail(); got != "main (…2222, partner bank 3)" {
		t.Error(got)
	}
}

// What the first command prints is folded where the screen ends.
func TestInitFitsTheScreen(t *testing.T) {
	terminal, keyboard := termtest.Open(t)
	must(t, unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 60}))
	dir := t.TempDir()
	w := worldOf(terminal, terminal, map[string]string{"PAYRUN_CONFIG": filepath.Join(dir, config.Name), "XDG_STATE_HOME": dir})
	w.Stdin = terminal
	if exit := newProgram(w).main(t.Context(), []string{"payrun", "init"}); exit != exitDone {
		t.Fatalf("exit %d", exit)
	}
	shown := ""
	for b := make([]byte, 4096); !strings.Contains(shown, "Next: payrun template"); {
		n, err := keyboard.Read(b)
		must(t, err)
		shown += string(b[:n])
	}
	for line := range strings.Lines(shown) {
		if len(strings.TrimSpace(line)) > 60 && !strings.Contains(line, dir) {
			t.Errorf("%q", line)
		}
	}
	if !strings.Contains(shown, "For two-person approval") {
		t.Error(shown)
	}
}
