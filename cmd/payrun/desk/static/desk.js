// The page works without this. With it, a page that follows the ledger shows what
// changed, without being loaded by hand.
"use strict";
(() => {
  if (!("live" in document.body.dataset) || !window.EventSource) return;
  let stream = null, waiting = 0, again = false;

  // replace the content, unless somebody is typing in it
  const refresh = async () => {
    waiting = 0;
    const main = document.querySelector("main"), at = document.activeElement;
    if (at && at.matches("main input, main select, main textarea")) { waiting = setTimeout(refresh, 2000); return; }
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (answer.redirected || answer.status === 401) { location.reload(); return; } // logged out meanwhile
    if (!answer.ok) return;
    const next = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
    const links = [...main.querySelectorAll("a")], focused = links.indexOf(at);
    main.replaceWith(next);
    if (focused >= 0) next.querySelectorAll("a")[focused]?.focus({ preventScroll: true });
  };
  const soon = () => { if (!waiting) waiting = setTimeout(refresh, 300); };

  const open = () => {
    if (stream) return;
    stream = new EventSource("/live");
    stream.addEventListener("hello", () => { if (again) soon(); again = true; });
    for (const kind of ["batch", "sheet", "people"]) stream.addEventListener(kind, soon);
    stream.addEventListener("reload", () => location.reload());
  };
  const close = () => { if (stream) { stream.close(); stream = null; } };
  document.addEventListener("visibilitychange", () => document.hidden ? close() : open());
  addEventListener("pagehide", close);
  if (!document.hidden) open();
})();
