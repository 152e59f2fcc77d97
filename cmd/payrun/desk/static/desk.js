// Every page works without this script. With it, a page shows changes of the ledger
// without a reload by hand.
"use strict";
const ask = (path) => fetch(path, { headers: { Accept: "text/html" }, redirect: "manual" }).catch(() => null);
const mayNotify = () => window.Notification?.permission === "granted";
const isOut = (answer) => answer?.type === "opaqueredirect" || answer?.status === 401;

// the browser's Back shows a page as it was left; its person may be signed out since
addEventListener("pageshow", async (e) => { if (e.persisted && isOut(await ask("/proof"))) location.reload(); });

(() => {
  if (!("live" in document.body.dataset) || !window.EventSource) return;
  let stream = null, waiting = 0, again = false;

  // a page with a decision on it is never replaced; a line at its top names the change
  const tell = (main) => {
    if (document.getElementById("changed")) return;
    const words = document.createElement("p"), link = document.createElement("a");
    words.id = "changed"; words.className = "notice todo"; words.setAttribute("role", "status");
    link.href = location.pathname + location.search; link.textContent = "Something changed since this page was opened. Reload.";
    words.append(link); main.prepend(words);
  };
  const typing = () => document.activeElement?.matches("main input, main select, main textarea");
  // an input with unsent changes
  const begun = (e) => e.type === "file" ? e.files.length > 0 : e.matches("input[type=checkbox]") ? e.checked !== e.defaultChecked :
    e.matches("select") ? e.selectedOptions[0] !== ([...e.options].find((o) => o.defaultSelected) ?? e.options[0]) : e.value !== e.defaultValue;

  // refresh replaces the content, unless its person is typing
  const refresh = async () => {
    waiting = 0;
    if (!("live" in document.body.dataset)) return;
    if (document.body.dataset.live === "again") { location.reload(); return; } // its own Refresh would come later and lose what was typed
    const main = document.querySelector("main");
    if (main.querySelector(".proof") || [...main.querySelectorAll("input, select, textarea")].some(begun)) { tell(main); return; }
    if (typing()) { waiting = setTimeout(refresh, 2000); return; }
    const answer = await ask(location.href);
    if (isOut(answer)) { location.reload(); return; }
    if (!answer?.ok) return;
    const next = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
    if (typing()) { waiting = setTimeout(refresh, 2000); return; } // during the request
    const links = [...main.querySelectorAll("a")], focused = links.indexOf(document.activeElement);
    main.replaceWith(next);
    if (focused >= 0) next.querySelectorAll("a")[focused]?.focus({ preventScroll: true });
  };
  // A page that no one sees notifies its person of new tasks, in the words of Home and without names.
  let tasks = null;
  const notify = async () => {
    const answer = await ask("/");
    if (!answer?.ok) return;
    const home = new DOMParser().parseFromString(await answer.text(), "text/html"), before = tasks;
    tasks = [...home.querySelectorAll(`section[aria-label="For you"] .state`)].map((e) => e.textContent.trim());
    if (!before || !tasks.length || String(tasks) === String(before)) return;
    const notice = new Notification("payrun", { body: `${home.querySelector("h1").textContent}: ${[...new Set(tasks)].join(", ")}`, tag: "payrun" });
    notice.onclick = () => { window.focus(); location.assign("/"); };
  };
  // every page hears of a change at once; the delay spreads their requests
  const soon = () => {
    if (document.hidden && mayNotify()) notify();
    if (!waiting) waiting = setTimeout(refresh, 200 + 600 * Math.random());
  };

  // The desk ended the stream. Either the person was signed out: the page reloads and shows
  // nothing more. Or the desk stopped, or too many pages follow it: try again later.
  const ended = async () => {
    close();
    const answer = await ask("/proof");
    if (isOut(answer)) { location.reload(); return; }
    setTimeout(() => { if (!document.hidden) open(); }, answer ? 30000 : 3000);
  };
  const open = () => {
    if (stream) return;
    stream = new EventSource(again ? "/live" : `/live?from=${document.body.dataset.from}`); // changes since the page was made count
    stream.addEventListener("error", () => { if (stream?.readyState === EventSource.CLOSED) ended(); });
    stream.addEventListener("hello", () => { if (again) soon(); again = true; });
    for (const kind of ["batch", "sheet", "people"]) stream.addEventListener(kind, soon);
    stream.addEventListener("reload", () => location.reload());
    stream.addEventListener("out", ended);
  };
  const close = () => { if (stream) { stream.close(); stream = null; } };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden && mayNotify()) { tasks = null; notify(); open(); } else if (document.hidden) close(); else open();
  });
  addEventListener("pagehide", close);
  addEventListener("pageshow", (e) => { if (e.persisted && !document.hidden) open(); }); // the browser's Back
  if (!document.hidden) open();
})();

// Your account: the browser asks for the permission and keeps it.
(() => {
  const box = document.getElementById("notify");
  if (!box || !window.Notification) return;
  const button = box.querySelector("button"), words = box.querySelector("[role=status]");
  const show = () => {
    button.hidden = Notification.permission !== "default";
    words.textContent = { granted: "This browser notifies you.", denied: "This browser is set to show no notifications of the desk." }[Notification.permission] ?? "";
  };
  button.addEventListener("click", async () => { await Notification.requestPermission(); show(); });
  box.hidden = false; show();
})();

const clock = (ms) => {
  const s = Math.floor(ms / 1000), two = (n) => String(n).padStart(2, "0");
  return s < 3600 ? `${Math.floor(s / 60)}:${two(s % 60)}` : `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
};

// Each decision's form counts down to the moment it needs the password again, and shows
// the field in the last minute. What was typed stays.
setInterval(() => {
  for (const proof of document.querySelectorAll(".proof[data-left]")) {
    proof.until ??= Date.now() + 1000 * Number(proof.dataset.left);
    const left = proof.until - Date.now(), time = proof.querySelector("b"), field = proof.querySelector("template");
    if (field && left <= 60000) field.replaceWith(field.content);
    if (time && left > 0) time.textContent = clock(left);
    else time?.parentElement.remove();
  }
}, 1000);

// A form with a passkey is sent after the browser signed for it, unless a code was typed.
document.addEventListener("submit", async (e) => {
  const form = e.target, field = form.querySelector("input[data-passkey]");
  if (!field || field.value || form.elements.proof_code?.value || form.elements.code?.value) return;
  e.preventDefault(); e.stopImmediatePropagation();
  if (field.asked) return;
  field.asked = true;
  try {
    const asked = field.dataset.passkey || await (await fetch("/account/passkey", { method: "POST", body: new URLSearchParams({ form: form.elements.form.value }) })).text();
    const { publicKey } = JSON.parse(asked), k = PublicKeyCredential;
    const made = publicKey.rp ? await navigator.credentials.create({ publicKey: k.parseCreationOptionsFromJSON(publicKey) }) :
      await navigator.credentials.get({ publicKey: k.parseRequestOptionsFromJSON(publicKey) });
    field.value = JSON.stringify(made.toJSON());
  } catch {
    const words = form.querySelector(".nokey") ?? document.createElement("p");
    words.className = "notice notpaid nokey"; words.setAttribute("role", "alert");
    words.textContent = "Your browser gave no passkey. Try again, or use another second factor.";
    form.append(words);
    return;
  } finally { field.asked = false; }
  form.requestSubmit(e.submitter);
  setTimeout(() => { field.value = ""; }); // it is valid once
});

// OTP entry: the clock runs, keys work, and an entry is sent once.
(() => {
  const field = () => document.querySelector("form[data-otp] input[name=otp]");
  const follow = (key) => document.querySelector(`[data-key="${key}"]`);
  const tick = () => {
    const ring = document.querySelector(".ring");
    if (!ring) return;
    ring.shown ??= performance.now();
    const held = Number(ring.dataset.since) + performance.now() - ring.shown, all = Number(ring.dataset.window);
    const words = ring.querySelector("b"), left = ring.querySelector("circle:last-child");
    if (words) words.textContent = clock(Math.max(0, held));
    if (left && all > 0) left.setAttribute("stroke-dasharray", `${Math.max(0, 100 - 100 * held / all)} 100`);
  };
  if (document.querySelector(".ring")) { tick(); setInterval(tick, 1000); }

  const skip = () => { const link = follow("s"); if (link) location.assign(link.href); };
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
    const typing = e.target.matches?.("input, select, textarea"), otp = e.target === field();
    if (e.key === "?" && (!typing || otp)) {
      const keys = follow("?");
      if (keys) { keys.open = !keys.open; e.preventDefault(); }
    } else if (e.key === "s" && !typing) {
      skip();
    } else if (e.key === "s" && otp && e.target.value === "") { // an OTP may begin with s
      setTimeout(() => { if (otp && field()?.value === "s") skip(); }, 700);
    }
  });

  // several lines are no OTP; the browser would join them
  document.addEventListener("paste", (e) => {
    if (e.target !== field()) return;
    const text = (e.clipboardData?.getData("text") ?? "").trim();
    e.preventDefault();
    const several = /[\r\n]/.test(text);
    e.target.value = several ? "" : text.replace(/\s+/g, "");
    e.target.setCustomValidity(several ? "Several lines were pasted: nothing was pasted. Copy the OTP alone." : "");
    if (several) e.target.reportValidity();
  });
  document.addEventListener("input", (e) => {
    if (e.target !== field()) return;
    e.target.setCustomValidity("");
    if (e.target.value.includes("?")) e.target.value = e.target.value.replaceAll("?", ""); // ? is a key here
  });

  // A decision is sent once. Of two clicks the browser shows only the second one's answer,
  // which may not be the one that says what was done.
  document.addEventListener("submit", (e) => {
    const form = e.target;
    if (!form.querySelector(".proof")) return;
    if (form.dataset.sent) { e.preventDefault(); return; }
    form.dataset.sent = "yes";
    if (!form.matches("form[data-otp]")) { setTimeout(() => delete form.dataset.sent, 2000); return; } // its page may remain
    e.preventDefault();
    form.querySelector("button").disabled = true;
    send(form);
  });
  // by fetch: browsers keep the form of a page in their profile, and this one has an OTP
  const send = async (form) => {
    const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), headers: { Accept: "text/html" } }).catch(() => null);
    if (!answer || answer.redirected) { location.assign(answer?.url ?? "/otp"); return; } // the page of OTPs shows the state
    const main = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
    if (answer.status === 202 || !main) { location.assign(main?.querySelector("a")?.getAttribute("href") ?? "/otp"); return; }
    delete document.body.dataset.live; // the answer to this entry remains
    document.querySelector("main").replaceWith(main);
    main.querySelector("[autofocus]")?.focus();
  };
  addEventListener("pageshow", (e) => { // the browser's Back: the form is empty and can be sent again
    if (!e.persisted) return;
    for (const form of document.querySelectorAll("form[data-sent]")) {
      form.reset(); delete form.dataset.sent; form.querySelector("button").disabled = false;
    }
  });
})();
