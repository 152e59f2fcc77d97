package cli

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"payrun/cmd/payrun/config"
	"payrun/samples"
	"payrun/submitter/sandbox"
)

// TestMain lets the scripts run the real program in a process of its own.
func TestMain(m *testing.M) {
	waitTogether()
	testscript.Main(m, map[string]func(){
		"payrun": func() { os.Exit(Main(os.Args, scriptedWorld())) },
		"phone":  phone,
		"as":     as,
	})
}

// waitTogether lets more scripts run at once than there are cores: they wait for
// processes and answers far more than they compute.
func waitTogether() {
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err) // the flag is the test runner's own
	}
}

// aheadOf names what puts a script's clock ahead of the world's.
const aheadOf = "PAYRUN_TEST_AHEAD"

// scriptedWorld is the real one, but for the clock, which a script puts forward.
func scriptedWorld() World {
	w := System()
	now := w.Now
	if ahead, err := time.ParseDuration(os.Getenv(aheadOf)); err == nil {
		w.Now = func() time.Time { return now().Add(ahead) }
	}
	return w
}

// phone is an otp.command: it prints what the bank sent for the batch.
func phone() {
	resp, err := http.Get("http://" + os.Getenv("CONTROL") + "/otp?batch=" + os.Getenv("PAYRUN_BATCH_ID"))
	fail(err)
	defer resp.Body.Close()
	var sent struct {
		OTP   string `json:"otp"`
		Token string `json:"transaction_token"`
	}
	fail(json.NewDecoder(resp.Body).Decode(&sent))
	fmt.Println(sent.OTP, sent.Token)
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:       "testdata/script",
		Setup:     setUpScript,
		Condition: scriptCondition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     scriptExits,
			"bank":      scriptBank,
			"sample":    scriptSample,
			"otps":      scriptOTPs,
			"settle":    scriptSettle,
			"settled":   scriptSettled,
			"portal":    scriptPortal,
			"paid":      scriptPaid,
			"outcomes":  scriptOutcomes,
			"faults":    scriptFaults,
			"calls":     scriptCalls,
			"later":     scriptLater,
			"typed":     scriptTyped,
			"lands":     scriptPortal,
			"hold":      scriptHold,
			"release":   scriptRelease,
			"interrupt": scriptInterrupt,
			"killed":    scriptKilled,
			"silent":    scriptSilent,
			"json":      scriptJSON,
			"keep":      scriptKeep,
			"shorten":   scriptShorten,
			"nosecrets": scriptNoSecrets,
			"ignored":   scriptIgnoredOutput,
			"fill":      scriptFill,
			"spoil":     scriptSpoil,
			"tabs":      scriptTabs,
			"replace":   scriptReplace,
			"mode":      scriptMode,
			"cells":     scriptCells,
			"await":     scriptAwait,
			"served":    scriptServed,
			"unseen":    scriptUnseen,
			"sql":       scriptSQL,
			"shared":    scriptShared,
			"tamper":    scriptTamper,
		},
	})
}

// setUpScript gives every script a payrun.toml whose timers do not make it wait, and
// its programs memory, so that they need not collect what they leave behind.
func setUpScript(env *testscript.Env) error {
	env.Vars = append(env.Vars, "XDG_CONFIG_HOME="+env.WorkDir+"/.config", "XDG_STATE_HOME="+env.WorkDir+"/.state", "DASH=-", "GOGC=400", "TODAY="+time.Now().In(time.FixedZone("IST", 19800)).Format("02/01/2006"))
	env.Values["bank"] = &scriptedBank{}
	if _, err := os.Stat(env.WorkDir + "/payrun.toml"); err == nil {
		return nil
	}
	return os.WriteFile(env.WorkDir+"/payrun.toml", []byte(quickConfig()), 0o600)
}

// quickConfig is init's payrun.toml with short timers.
func quickConfig() string {
	return strings.NewReplacer(
		`first         = "5s"`, `first         = "1ms"`,
		`requests_per_second = 5 `, `requests_per_second = 10000 `,
		`timeout_send = "60s"`, `timeout_send = "5s"`,
	).Replace(config.Template)
}

func TestTheScriptsConfigurationHasShortTimers(t *testing.T) {
	if !strings.Contains(quickConfig(), `first         = "1ms"`) || !strings.Contains(quickConfig(), "second = 10000") {
		t.Error("the scripts' configuration has lost its short timers")
	}
}

// scriptedBank is the sandbox of one script, behind a proxy that counts.
type scriptedBank struct {
	*sandbox.Server
	mu    sync.Mutex
	calls map[string]int
	seen  chan string   // one word a call, for interrupt
	held  chan struct{} // closed by release; nil when no call is held
	hold  string        // the call that is held
	ahead time.Duration // how far its clock is ahead, as the programs' is
}

// now is the bank's clock, which goes with that of the programs.
func (b *scriptedBank) now() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return time.Now().Add(b.ahead)
}

func bankOf(ts *testscript.TestScript) *scriptedBank { return ts.Value("bank").(*scriptedBank) }

func (b *scriptedBank) count(r *http.Request) {
	word := r.Method + " " + strings.TrimPrefix(r.URL.Path, "/v1/connected_banking/")
	b.mu.Lock()
	b.calls[word]++
	b.mu.Unlock()
	select {
	case b.seen <- word:
	default:
	}
}

// bank [seed] [NAME=VALUE…] starts the bank and points the environment at it. A
// name is one of its reading's, as GET /state spells it.
func scriptBank(ts *testscript.TestScript, _ bool, args []string) {
	seed := int64(1)
	if len(args) > 0 && !strings.Contains(args[0], "=") {
		n, err := strconv.ParseInt(args[0], 10, 64)
		ts.Check(err)
		seed, args = n, args[1:]
	}
	reading := sandbox.ReadingFor(seed, false)
	for _, a := range args {
		name, value, _ := strings.Cut(a, "=")
		fields := json.NewDecoder(strings.NewReader(fmt.Sprintf(`{%q:%s}`, name, value)))
		fields.DisallowUnknownFields()
		ts.Check(fields.Decode(&reading))
	}
	server, err := sandbox.Start(context.Background(), sandbox.Options{Seed: seed, Reading: &reading, Now: bankOf(ts).now})
	ts.Check(err)
	ts.Defer(func() { ts.Check(server.Close()) })
	b := bankOf(ts)
	b.Server, b.calls, b.seen = server, map[string]int{}, make(chan string, 1000)
	ready := server.Ready()
	front := httptest.NewServer(b.front())
	ts.Defer(front.Close)
	ts.Defer(b.release)
	ts.Setenv("PAYRUN_BASE_URL", front.URL)
	ts.Setenv("PAYRUN_ACCESS_KEY", ready.AccessKey)
	ts.Setenv("PAYRUN_SECRET_KEY", ready.SecretKey)
	ts.Setenv("CONTROL", ready.Control)
}

// front is the bank's door, where calls are counted, and held where they are to be.
func (b *scriptedBank) front() http.Handler {
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: b.Ready().Addr})
	proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.count(r)
		b.wait(r)
		proxy.ServeHTTP(w, r)
	})
}

// exits CODE COMMAND… runs a program that must end with the code.
func scriptExits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	if got := exitCodeOf(ts, err); got != want {
		ts.Fatalf("exit %d, want %d\n%s", got, want, ts.ReadFile("stderr"))
	}
}

func exitCodeOf(ts *testscript.TestScript, err error) int {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	ts.Check(err)
	return 0
}

// sample NAME… copies shipped sheets into the work folder.
func scriptSample(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		from := samples.FS
		if strings.HasPrefix(name, "statements/") {
			from = samples.Statements
		}
		text, err := from.ReadFile(name)
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(path.Base(name)), text, 0o600))
	}
}

// otps FILE writes what the bank sent for every batch that waits for its OTP.
// A second word changes them: "wrong" writes wrong OTPs, "notoken" leaves the
// tokens out, and the id of a batch writes that one alone.
func scriptOTPs(ts *testscript.TestScript, _ bool, args []string) {
	b := bankOf(ts)
	how := strings.Join(args[1:], " ")
	var out strings.Builder
	out.WriteString("merchant_transfer_batch_id,otp,transaction_token\n")
	for _, batch := range b.State().Batches {
		if batch.Submits > 0 || strings.HasPrefix(how, "pr") && how != batch.BatchID {
			continue
		}
		otp, token, _ := b.OTP(batch.BatchID)
		if how == "wrong" {
			otp = "wrong"
		}
		if how == "notoken" {
			token = ""
		}
		fmt.Fprintf(&out, "%s,%s,%s\n", batch.BatchID, otp, token)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(out.String()), 0o600))
}

// settle [N] lets the bank work, N times.
func scriptSettle(ts *testscript.TestScript, _ bool, args []string) {
	n := 1
	if len(args) > 0 {
		var err error
		n, err = strconv.Atoi(args[0])
		ts.Check(err)
	}
	for range n {
		bankOf(ts).Settle()
	}
}

// settled REF STATUS lets the bank work until it shows the payout with the status.
func scriptSettled(ts *testscript.TestScript, _ bool, args []string) {
	b := bankOf(ts)
	shown := ""
	for range 7 {
		for _, batch := range b.State().Batches {
			for _, p := range batch.Payouts {
				if p.WireRef == args[0] {
					shown = p.Status
				}
			}
		}
		if shown == args[1] {
			return
		}
		b.Settle()
	}
	ts.Fatalf("%s is %s, not %s", args[0], shown, args[1])
}

// portal BATCH submits a batch that is held with the OTP that the bank sent, as
// someone may at the bank's own portal: past every ledger. lands BATCH does the same, as
// a submit that was on its way for long.
func scriptPortal(ts *testscript.TestScript, _ bool, args []string) {
	b := bankOf(ts)
	otp, token, _ := b.OTP(args[0])
	body, err := json.Marshal(map[string]string{"merchant_transfer_batch_id": args[0], "otp": otp, "transaction_token": token})
	ts.Check(err)
	r, err := http.NewRequest(http.MethodPost, "http://"+b.Ready().Addr+"/v1/connected_banking/transfer/submit", bytes.NewReader(body))
	ts.Check(err)
	r.Header.Set("Authorization", "Bearer "+b.Ready().AccessKey+":"+b.Ready().SecretKey)
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	ts.Check(err)
	ts.Check(resp.Body.Close())
	if resp.StatusCode != http.StatusOK {
		ts.Fatalf("the portal answered %s", resp.Status)
	}
}

// paid N REF… holds that the bank executed each payout N times and kept it so,
// over all the references that it went by.
func scriptPaid(ts *testscript.TestScript, _ bool, args []string) {
	got := map[string]int{}
	for _, batch := range bankOf(ts).State().Batches {
		for _, p := range batch.Payouts {
			ref, _, _ := strings.Cut(p.WireRef, "-R")
			got[ref] += p.Executed - p.Returned
		}
	}
	for _, ref := range args[1:] {
		if strconv.Itoa(got[ref]) != args[0] {
			ts.Fatalf("%s was paid %d times, want %s", ref, got[ref], args[0])
		}
	}
}

// outcomes REF=OUTCOME… says how payouts end.
func scriptOutcomes(ts *testscript.TestScript, _ bool, args []string) {
	outcomes := map[string]string{}
	for _, a := range args {
		ref, outcome, _ := strings.Cut(a, "=")
		outcomes[ref] = outcome
	}
	ts.Check(bankOf(ts).SetOutcomes(outcomes))
}

// faults JSON replaces the faults.
func scriptFaults(ts *testscript.TestScript, _ bool, args []string) {
	var list []sandbox.Fault
	ts.Check(json.Unmarshal([]byte(args[0]), &list))
	ts.Check(bankOf(ts).SetFaults(list))
}

// calls N [METHOD PATH] holds the calls the bank saw against N; without a path
// all of them.
func scriptCalls(ts *testscript.TestScript, _ bool, args []string) {
	b := bankOf(ts)
	b.mu.Lock()
	defer b.mu.Unlock()
	word, got := strings.Join(args[1:], " "), 0
	for call, n := range b.calls {
		if word == "" || call == word || call == "POST "+word || call == "GET "+word {
			got += n
		}
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("the bank saw %d calls of %q, want %s: %v", got, word, args[0], b.calls)
	}
}

// later DURATION puts the clock forward for the programs that come after, and at
// the bank.
func scriptLater(ts *testscript.TestScript, _ bool, args []string) {
	by, err := time.ParseDuration(args[0])
	ts.Check(err)
	ahead, _ := time.ParseDuration(ts.Getenv(aheadOf))
	ts.Setenv(aheadOf, (ahead + by).String())
	b := bankOf(ts)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ahead = ahead + by
}

// typed FILE AMOUNT BATCH writes what a person types who decides about a batch: the
// amount, and the last six characters of its id.
func scriptTyped(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(args[1]+"\n"+args[2][len(args[2])-6:]+"\n"), 0o600))
}

// hold CALL keeps the call at the bank's door until release: it is counted, and
// nothing happens.
func scriptHold(ts *testscript.TestScript, _ bool, args []string) { bankOf(ts).holdUp(args[0]) }

func (b *scriptedBank) holdUp(call string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hold, b.held = call, make(chan struct{})
}

func scriptRelease(ts *testscript.TestScript, _ bool, _ []string) { bankOf(ts).release() }

func (b *scriptedBank) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held != nil {
		close(b.held)
	}
	b.held = nil
}

// wait returns when the call is not held.
func (b *scriptedBank) wait(r *http.Request) {
	b.mu.Lock()
	held := b.held
	if !strings.HasSuffix(r.URL.Path, "/"+b.hold) {
		held = nil
	}
	b.mu.Unlock()
	if held == nil {
		return
	}
	select {
	case <-held:
	case <-r.Context().Done():
	}
}

// interrupt CODE CALL COMMAND… runs a program, sends it three signals as soon as
// the bank sees the call, and compares its exit code with CODE.
func scriptInterrupt(ts *testscript.TestScript, _ bool, args []string) {
	cmd := startedUntil(ts, args[1], args[2:])
	for _, s := range []syscall.Signal{syscall.SIGQUIT, syscall.SIGINT, syscall.SIGTERM} {
		ts.Check(cmd.Process.Signal(s))
	}
	if got := exitCodeOf(ts, cmd.Wait()); strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit %d, want %s", got, args[0])
	}
}

// ofScript is a program in the folder of a script, with these of its variables.
func ofScript(ts *testscript.TestScript, command []string, vars ...string) *exec.Cmd {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range append(vars, "PATH", "HOME") {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	return cmd
}

// startedUntil starts a program and returns when the bank sees the call.
func startedUntil(ts *testscript.TestScript, call string, command []string) *exec.Cmd {
	b := bankOf(ts)
	cmd := ofScript(ts, command, "PAYRUN_BASE_URL", "PAYRUN_ACCESS_KEY", "PAYRUN_SECRET_KEY")
	cmd.Stdout, cmd.Stderr = ts.Stdout(), ts.Stderr()
	for len(b.seen) > 0 {
		<-b.seen
	}
	ts.Check(cmd.Start())
	b.await(call)
	return cmd
}

// killed CALL COMMAND… kills a program as soon as the bank sees the call.
func scriptKilled(ts *testscript.TestScript, _ bool, args []string) {
	cmd := startedUntil(ts, args[0], args[1:])
	ts.Check(cmd.Process.Kill())
	if err := cmd.Wait(); err == nil {
		ts.Fatalf("it ended before it was killed")
	}
}

// await CALL waits until the bank sees the call.
func scriptAwait(ts *testscript.TestScript, _ bool, args []string) { bankOf(ts).await(args[0]) }

func (b *scriptedBank) await(call string) {
	for seen := range b.seen {
		if strings.HasSuffix(seen, " "+call) {
			return
		}
	}
}

// served COMMAND… runs a program until it has written to standard output, stops
// it with SIGTERM, and holds that it ended with 0.
func scriptServed(ts *testscript.TestScript, _ bool, args []string) {
	cmd := ofScript(ts, args, "XDG_STATE_HOME")
	cmd.Stderr = ts.Stderr()
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	first := make([]byte, 64<<10)
	n, err := out.Read(first)
	ts.Check(err)
	ts.Check(cmd.Process.Signal(syscall.SIGTERM))
	rest, err := io.ReadAll(out)
	ts.Check(err)
	_, err = ts.Stdout().Write(append(first[:n], rest...))
	ts.Check(err)
	if got := exitCodeOf(ts, cmd.Wait()); got != 0 {
		ts.Fatalf("exit %d, want 0", got)
	}
}

// tamper STATEMENT… changes the ledger file as someone may who has a tool for it:
// without the triggers, which are as before when it is done.
func scriptTamper(ts *testscript.TestScript, _ bool, args []string) {
	db, err := sql.Open("sqlite", ts.MkAbs("payrun.db"))
	ts.Check(err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	var drop, restore []string
	rows, err := db.Query(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`)
	ts.Check(err)
	for rows.Next() {
		var name, text string
		ts.Check(rows.Scan(&name, &text))
		drop, restore = append(drop, "DROP TRIGGER "+name), append(restore, text)
	}
	ts.Check(errors.Join(rows.Err(), rows.Close()))
	for _, q := range slices.Concat(drop, args, restore) {
		_, err := db.Exec(q)
		ts.Check(err)
	}
}

// silent STREAM… holds that nothing was written.
func scriptSilent(ts *testscript.TestScript, _ bool, args []string) {
	for _, stream := range args {
		if text := ts.ReadFile(stream); text != "" {
			ts.Fatalf("%s is not silent: %q", stream, text)
		}
	}
}

// json STREAM PATH [VALUE] reads the only line of a stream as JSON and holds
// the value at the dotted path against VALUE; "len" at the end counts a list.
func scriptJSON(ts *testscript.TestScript, _ bool, args []string) {
	lines := strings.Split(strings.TrimSuffix(ts.ReadFile(args[0]), "\n"), "\n")
	if len(lines) != 1 {
		ts.Fatalf("%s has %d lines, want one:\n%s", args[0], len(lines), strings.Join(lines, "\n"))
	}
	var doc any
	ts.Check(json.Unmarshal([]byte(lines[0]), &doc))
	got := jsonAt(ts, doc, args[1])
	if want := strings.Join(args[2:], " "); got != want {
		ts.Fatalf("%s is %q, want %q", args[1], got, want)
	}
}

func jsonAt(ts *testscript.TestScript, doc any, at string) string {
	for _, step := range strings.Split(at, ".") {
		switch v := doc.(type) {
		case map[string]any:
			value, ok := v[step]
			if !ok {
				ts.Fatalf("there is no %s in the document", at)
			}
			doc = value
		case []any:
			if step == "len" {
				return strconv.Itoa(len(v))
			}
			i, err := strconv.Atoi(step)
			ts.Check(err)
			if i >= len(v) {
				ts.Fatalf("%s: the list has %d", at, len(v))
			}
			doc = v[i]
		default:
			ts.Fatalf("%s leads into a %T", at, doc)
		}
	}
	return fmt.Sprint(doc)
}

// keep NAME STREAM PATH puts a value of a document into a variable.
func scriptKeep(ts *testscript.TestScript, _ bool, args []string) {
	var doc any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &doc))
	ts.Setenv(args[0], jsonAt(ts, doc, args[2]))
}

// shorten NAME N [TO] keeps the first characters of what is in a variable, or puts
// them into another.
func scriptShorten(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	to := args[0]
	if len(args) > 2 {
		to = args[2]
	}
	ts.Setenv(to, ts.Getenv(args[0])[:n])
}

// nosecrets STREAM… holds that no OTP, token or key of the bank is in them, as
// a word of its own: six digits stand somewhere in every hash and amount.
func scriptNoSecrets(ts *testscript.TestScript, _ bool, args []string) {
	b := bankOf(ts)
	secrets := []string{b.Ready().AccessKey, b.Ready().SecretKey}
	for _, batch := range b.State().Batches {
		otp, token, _ := b.OTP(batch.BatchID)
		secrets = append(secrets, otp, token)
	}
	secrets = slices.DeleteFunc(secrets, func(s string) bool { return s == "" })
	for _, file := range args {
		text := ts.ReadFile(file)
		for _, s := range secrets {
			if strings.Contains(text, s) && regexp.MustCompile(`(?:^|[^0-9A-Za-z.,])`+regexp.QuoteMeta(s)+`(?:[^0-9A-Za-z.,]|$)`).MatchString(text) {
				ts.Fatalf("%s shows a secret of the bank", file)
			}
		}
	}
}

// ignored CODE COMMAND… runs a program whose output no one reads.
func scriptIgnoredOutput(ts *testscript.TestScript, _ bool, args []string) {
	r, w, err := os.Pipe()
	ts.Check(err)
	ts.Check(r.Close())
	cmd := ofScript(ts, args[1:], "PAYRUN_BASE_URL", "PAYRUN_ACCESS_KEY", "PAYRUN_SECRET_KEY")
	cmd.Stdout, cmd.Stderr = w, w
	err = cmd.Run()
	ts.Check(w.Close())
	if got := exitCodeOf(ts, err); strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit %d, want %s", got, args[0])
	}
}
