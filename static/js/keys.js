/* Keys: an element with data-key="1 a" is pressed by those keys. `?` lists them, `Esc` leaves a field.
   Single keys rest inside fields, during input methods, with a modifier held, and where <body data-keys="off">;
   combinations with Ctrl (or Cmd) and Alt work everywhere. */
(() => {
  "use strict";

  if (document.documentElement.hasAttribute("hx-disable")) return; // below the floor: base.js

  const TYPING = "textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=button], [type=submit])";
  const PRESSED_BY_ENTER = "a[href], button, summary, textarea, select";
  const ARROWS = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→" };
  const dialog = () => document.getElementById("keys-help");

  const modifiers = (event) =>
    (event.ctrlKey || event.metaKey ? "ctrl+" : "") + (event.altKey ? "alt+" : "") + (event.shiftKey ? "shift+" : "");

  // A letter or a digit of another script than Latin: there the key says which letter stands on it in Latin.
  const FOREIGN = /^(?:[^\P{L}\p{Script=Latin}\p{Script=Common}]|[^\P{Nd}0-9]|\p{M})$/u;
  const MARKS = { Comma: ",", Period: "." };

  /* The names under which this press may be written in data-key: as typed ("!"), and as held ("shift+1"). What a press
     types decides and not its place: without NumLock a number's key types none. */
  function names(event) {
    const held = modifiers(event);
    const key = event.key.toLowerCase();
    const found = [held + key];
    const printed = /^(?:Key|Digit|Numpad)(\w)$/.exec(event.code);
    if (FOREIGN.test(event.key)) found.push(held + (printed ? printed[1].toLowerCase() : MARKS[event.code] ?? key));
    else if (held && /^Digit/.test(event.code)) found.push(held + printed[1]);
    if (held === "shift+" && key.length === 1 && !/\p{L}/u.test(key)) found.push(key);
    return found;
  }

  const keysOf = (element) => element.dataset.key.toLowerCase().split(/\s+/);

  /* What stands in a closed <details> has a box too, but nobody sees it. */
  function usable(element) {
    const seen = !element.checkVisibility || element.checkVisibility();
    return !element.disabled && seen && element.getClientRects().length > 0;
  }

  function target(event) {
    const wanted = names(event);
    const scope = document.querySelector("dialog[open]") || document;
    const found = [...scope.querySelectorAll("[data-key]")].filter(
      (element) => usable(element) && keysOf(element).some((key) => wanted.includes(key)),
    );
    const form = event.target.form;
    return found.find((element) => form && element.form === form) || found[0];
  }

  function press(element) {
    if (element.matches(TYPING)) {
      element.focus();
      return;
    }
    // Where something else opened the box (data-key-into), its key goes into the field instead of closing it.
    const stands = element.matches("summary[data-key-into]") && element.parentElement.open;
    if (element.matches("input, summary")) element.focus();
    if (!stands) element.click();
    if (element.matches("summary") && element.parentElement.open) {
      const field = element.parentElement.querySelector("textarea, input:not([type=hidden]), select");
      if (field) field.focus();
    }
  }

  function words(element) {
    const named = element.dataset.keyName || element.getAttribute("aria-label");
    if (named) return named;
    const copy = (element.labels && element.labels[0] ? element.labels[0] : element).cloneNode(true);
    copy.querySelectorAll(".key, svg, .choice__mark").forEach((part) => part.remove());
    return copy.textContent.replace(/\s+/g, " ").trim();
  }

  function row(element) {
    const line = document.createElement("div");
    const term = document.createElement("dt");
    const meaning = document.createElement("dd");
    element.dataset.key.split(/\s+/).forEach((key, place) => {
      if (place) term.append(" ");
      const shown = document.createElement("kbd");
      shown.className = "key";
      shown.textContent = key.replace(/Arrow\w+/, (arrow) => ARROWS[arrow]);
      term.append(shown);
    });
    meaning.textContent = words(element);
    line.append(term, meaning);
    return line;
  }

  function help() {
    const list = dialog().querySelector("[data-keys-list]");
    list.replaceChildren(...[...document.querySelectorAll("main [data-key]")].filter(usable).map(row));
    // A younger thing than the oldest browser that runs this: there the list stands at the end of the page.
    if (dialog().showModal) dialog().showModal();
    else dialog().setAttribute("open", "");
  }

  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229 || event.defaultPrevented) return;
    const field = event.target.closest && event.target.closest(TYPING);
    if (event.key === "Escape") {
      if (field) field.blur();
      return;
    }
    const combined = event.ctrlKey || event.metaKey || event.altKey;
    if (!combined && (field || document.body.dataset.keys === "off")) return;
    if (event.getModifierState("AltGraph")) return;
    if (!combined && event.key === "?") {
      event.preventDefault();
      if (dialog() && !dialog().hasAttribute("open")) help();
      return;
    }
    if (event.key === "Enter" && !combined && event.target.matches(PRESSED_BY_ENTER)) return;
    const element = target(event);
    if (!element) return;
    event.preventDefault();
    if (!event.repeat) press(element);
  });

  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-keys-open]");
    if (opener && dialog()) help();
    const close = event.target.closest("#keys-help button");
    if (!close || dialog().showModal) return;
    event.preventDefault();
    dialog().removeAttribute("open");
  });

  /* Nobody without a keyboard is told of keys. A finger's device shows that it has one when a key is pressed outside
     of a field: inside, the keys may be those on its screen. */
  function showOpeners() {
    document.querySelectorAll("[data-keys-open]").forEach((opener) => {
      opener.hidden = document.body.dataset.keys === "off";
    });
  }

  if (matchMedia("(pointer: coarse) and (hover: none)").matches) {
    document.addEventListener("keydown", function seen(event) {
      if (event.isComposing || event.keyCode === 229 || event.target.closest?.(TYPING)) return;
      document.removeEventListener("keydown", seen);
      document.documentElement.dataset.keyboard = "";
      showOpeners();
    });
  } else {
    showOpeners();
  }
})();
