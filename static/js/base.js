/* What every page needs: light or dark by hand, the menu that closes, and words when an answer does not arrive. */
(() => {
  "use strict";

  const root = document.documentElement;
  const status = document.getElementById("status");

  // Below the floor (docs/browsers.md) forms are sent as forms: nothing takes their place half-way.
  try {
    document.querySelector(":not(a, b)");
    if (!Promise.any) throw new Error();
  } catch (old) {
    root.setAttribute("hx-disable", "");
  }

  // Safari below 15.4 does not say by which button a form is sent.
  if (!window.SubmitEvent || !("submitter" in SubmitEvent.prototype)) {
    let pressed = null;
    document.addEventListener("click", (event) => { pressed = event.target.closest("button"); }, true);
    Object.defineProperty(Event.prototype, "submitter", { get() { return pressed && pressed.form === this.target ? pressed : null; } });
  }

  function isDark() {
    return (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  }

  document.querySelectorAll("[data-theme-switch]").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      document.cookie = `theme=${root.dataset.theme}; path=/; max-age=31536000; samesite=lax`;
    });
  });

  document.addEventListener("click", (event) => {
    document.querySelectorAll("details.menu[open]").forEach((menu) => {
      if (!menu.contains(event.target)) menu.open = false;
    });
  });

  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && document.querySelector("details.menu[open]");
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });

  /* What the browser refuses in a closed part of a form could not be seen. */
  document.addEventListener("invalid", (event) => {
    const closed = event.target.closest("details:not([open])");
    if (closed) closed.open = true;
  }, true);

  // Times are shown as this clock has them, from the next page on.
  const zone = `zone=${encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone)}`;
  if (!document.cookie.split("; ").includes(zone)) document.cookie = `${zone}; path=/; max-age=31536000; samesite=lax`;

  if (!status) return;
  const say = (words) => {
    status.textContent = words;
    status.classList.toggle("status--said", words !== "");
  };
  document.body.addEventListener("htmx:sendError", () => say(status.dataset.unsent));
  document.body.addEventListener("htmx:timeout", () => say(status.dataset.unsent));
  document.body.addEventListener("htmx:responseError", (event) => {
    const code = event.detail.xhr.status;
    say(code === 401 || code === 403 ? status.dataset.refused : code === 429 ? status.dataset.slower : status.dataset.failed);
  });
  // Before the answer stands: what its card has to say comes after.
  document.body.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.xhr.status < 400) say("");
  });
})();
