/* The writing room: every field is saved by the server while one types. What cannot be sent is kept on this device and
   sent later; a newer text from another tab is shown beside one's own, to choose. The server makes the checks. */

import { between, readDraft, dropDraft, keepDraft } from "./drafts.js";

const form = document.querySelector("form.write");
const bar = form.querySelector(".savebar");
const state = bar.querySelector("[data-state]");
const words = bar.dataset;
const PAUSE = 800;
const AGAIN = [2_000, 4_000, 8_000, 16_000, 30_000];

let saving = null; // the promise of what is being sent
let tries = 0;
let retry = 0;
let over = false; // the set is closed: nothing more is sent

const slots = [...form.querySelectorAll(".slot")].map((element) => {
  const key = element.dataset.slot;
  return {
    key,
    element,
    field: element.querySelector("textarea"),
    version: element.querySelector(`[name=version_${key}]`),
    one: element.querySelector(`[name=one_${key}]`),
    tags: [...element.querySelectorAll(`[name=tags_${key}]`)],
    lines: element.querySelector(".checks"),
    counter: element.querySelector(".counter"),
    dirty: false,
    conflict: false,
    timer: 0,
  };
});

function say(text, unsaved = false) {
  state.textContent = text;
  state.classList.toggle("savebar__state--unsaved", unsaved);
}

function contentOf(slot) {
  const tags = slot.tags.filter((tag) => tag.checked).map((tag) => tag.value);
  return { text: slot.field.value, one: slot.one.checked, tags, version: slot.version.value };
}

function fill(slot, content) {
  slot.field.value = content.text;
  slot.one.checked = content.one;
  slot.tags.forEach((tag) => { tag.checked = content.tags.includes(tag.value); });
  show(slot);
}

/* --- what stands on the page besides the text --- */

function show(slot) {
  const n = [...slot.field.value].length;
  slot.counter.hidden = n === 0;
  slot.counter.textContent = between(words.characters, { n });
  slot.one.closest("label").hidden = !slot.one.checked && !slot.lines.querySelector("[data-check=several_sentences]");
  const chips = slot.element.querySelector("[data-chosen]");
  if (chips) chips.replaceChildren(...contentOf(slot).tags.map((code) => Object.assign(document.createElement("span"), { className: "tag", textContent: code })));
  const written = slots.filter((one) => one.field.value.trim()).length;
  bar.querySelector("[data-count]").textContent = between(words.written, { n: written, total: slots.length });
}

function list(into, lines) {
  const same = [...into.children].map((line) => line.textContent).join("\n") === lines.map((line) => line.words).join("\n");
  if (same) return;
  into.replaceChildren(...lines.map((line) => {
    const element = Object.assign(document.createElement("li"), { className: `check-line check-line--${line.level}`, textContent: line.words });
    element.dataset.check = line.check;
    return element;
  }));
}

function showChecks(answer) {
  for (const slot of slots) {
    const lines = answer.lines[slot.key] || [];
    list(slot.lines, lines);
    slot.field.toggleAttribute("aria-invalid", false);
    if (lines.some((line) => line.level === "block")) slot.field.setAttribute("aria-invalid", "true");
    show(slot);
  }
  list(document.getElementById("whole-lines"), answer.whole);
}

/* --- saving --- */

async function send(slot) {
  const sent = contentOf(slot);
  const body = new URLSearchParams({ [`text_${slot.key}`]: sent.text, version: sent.version });
  if (sent.one) body.set(`one_${slot.key}`, "on");
  sent.tags.forEach((tag) => body.append(`tags_${slot.key}`, tag));
  const headers = { "X-CSRFToken": form.elements.csrfmiddlewaretoken.value };
  say(words.saving);
  let answer;
  try {
    answer = await fetch(form.dataset.save.replace("SLOT", slot.key), { method: "POST", body, headers, redirect: "manual" });
  } catch {
    return later();
  }
  if (answer.type === "opaqueredirect" || answer.status === 403) return refused();
  if (answer.status >= 500 || answer.status === 429) return later();
  if (answer.status === 404) return refused();
  const data = await answer.json();
  tries = 0;
  if (answer.ok) return saved(slot, sent, data);
  if (data.other) return choose(slot, data);
  over = answer.status === 409;
  slot.dirty = false;
  say(data.words, true);
}

function saved(slot, sent, data) {
  slot.version.value = data.version;
  const now = contentOf(slot);
  slot.dirty = now.text !== sent.text || now.one !== sent.one || now.tags.join() !== sent.tags.join();
  if (!slot.dirty) dropDraft(form.dataset.share, slot.key);
  else keepDraft(form.dataset.share, slot.key, now);
  showChecks(data);
  const time = new Date(data.saved_at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  say(between(words.saved, { time }));
}

function later() {
  say(words.kept, true);
  clearTimeout(retry);
  retry = setTimeout(flush, AGAIN[Math.min(tries, AGAIN.length - 1)]);
  tries += 1;
  return "stop";
}

function refused() {
  say(words.refused, true);
  return "stop";
}

/* Sends what is unsaved, one field after the other; resolves when nothing is left or nothing more can be sent. */
function flush() {
  slots.forEach((slot) => clearTimeout(slot.timer));
  saving ??= (async () => {
    for (let slot; !over && (slot = slots.find((one) => one.dirty && !one.conflict)); ) {
      if ((await send(slot)) === "stop") break;
    }
  })().finally(() => { saving = null; });
  return saving;
}

function changed(slot) {
  slot.dirty = true;
  keepDraft(form.dataset.share, slot.key, contentOf(slot));
  show(slot);
  clearTimeout(slot.timer);
  slot.timer = setTimeout(flush, PAUSE);
}

/* --- a newer text from another tab: both are shown, one is chosen --- */

function choose(slot, data) {
  slot.conflict = true;
  say(words.conflict, true);
  const note = Object.assign(document.createElement("div"), { className: "note note--warn other" });
  const title = Object.assign(document.createElement("p"), { textContent: words.other });
  const text = Object.assign(document.createElement("p"), { className: "text text--small", lang: slot.field.lang, dir: "auto", textContent: data.other.text || "–" });
  const row = Object.assign(document.createElement("p"), { className: "cluster" });
  const decide = (name, mine) => {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "btn", textContent: name });
    button.addEventListener("click", () => {
      slot.conflict = false;
      slot.version.value = data.version;
      note.remove();
      slot.field.focus();
      if (mine) {
        changed(slot);
        flush();
        return;
      }
      slot.dirty = false;
      dropDraft(form.dataset.share, slot.key);
      fill(slot, { text: data.other.text, one: data.other.one_sentence, tags: data.other.tags });
      say("");
    });
    return button;
  };
  row.append(decide(words.mine, true), decide(words.theirs, false));
  note.append(title, text, row);
  slot.element.querySelector(".other")?.remove();
  slot.element.append(note);
}

/* --- events --- */

form.addEventListener("input", (event) => {
  const slot = slots.find((one) => one.element.contains(event.target));
  if (slot && !event.target.name.startsWith("take_")) changed(slot);
});

form.addEventListener("keydown", (event) => {
  if (!event.altKey || event.isComposing || !["ArrowUp", "ArrowDown"].includes(event.key)) return;
  const place = slots.findIndex((slot) => slot.field === document.activeElement);
  const next = slots[place + (event.key === "ArrowDown" ? 1 : -1)] ?? (place < 0 ? slots[0] : null);
  event.preventDefault();
  next?.field.focus();
});

let sure = false;
form.addEventListener("submit", async (event) => {
  const button = event.submitter;
  const saveOnly = button?.name === "save";
  if (sure || (!saveOnly && !saving && !slots.some((slot) => slot.dirty))) return;
  event.preventDefault();
  await flush();
  if (slots.some((slot) => slot.dirty)) await flush();
  form.querySelector(".other button")?.focus();
  if (saveOnly || (!over && slots.some((slot) => slot.dirty))) return;
  sure = true;
  form.requestSubmit(button);
});

addEventListener("online", flush);
addEventListener("pagehide", () => { sure = false; });

for (const slot of slots) {
  show(slot);
  const draft = readDraft(form.dataset.share, slot.key);
  if (!draft) continue;
  const now = contentOf(slot);
  if (draft.text === now.text && draft.one === now.one && draft.tags.join() === now.tags.join()) {
    dropDraft(form.dataset.share, slot.key);
    continue;
  }
  slot.version.value = draft.version;
  fill(slot, draft);
  slot.dirty = true;
  say(words.restored, true);
}
const time = state.querySelector("time");
if (time) time.textContent = new Date(time.dateTime).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
if (slots.some((slot) => slot.dirty)) flush();
(slots.find((slot) => !slot.field.value) ?? slots[0]).field.focus({ preventScroll: true });
