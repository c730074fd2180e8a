/* The writing room: every field is saved by the server while one types. What cannot be sent is kept on this device and
   sent later; a newer text from another tab is shown beside one's own, to choose. The server makes the checks. */

import { between, readDraft, dropDraft, keepDraft } from "./drafts.js";
import { moveOptions } from "./moves.js";
import { ask, jsonOf, sendForm } from "./offline.js";
import { contentOf, fieldsOf, fill, filledIn, firstEmpty, isSame, list, moveWithKeys, show, showChanges, showLines, slotsIn } from "./slots.js";

const form = document.querySelector("form.write");
const bar = form.querySelector(".savebar");
const state = bar.querySelector("[data-state]");
const words = bar.dataset;
const PAUSE = 800;
const AGAIN = [2_000, 4_000, 8_000, 16_000, 30_000];

let saving = null; // the promise of what is being sent
let tries = 0;
let retry = 0;
let offline = false; // the last that was sent did not arrive
let unsubmitted = false; // Submit was pressed and nothing came of it
let over = false; // the set is closed: nothing more is sent
let safe = true; // what is typed is kept on this device

const slots = slotsIn(form);

/* In the page's language, not the browser's; Sundanese and Javanese as the server has them, as Indonesian. */
const clock = (moment) => {
  const { lang } = document.documentElement;
  const like = ["su", "jv"].includes(lang) ? "id" : lang;
  return new Date(moment).toLocaleTimeString(like, { hour: "2-digit", minute: "2-digit" });
};

function say(text, unsaved = false) {
  state.textContent = text;
  state.classList.toggle("savebar__state--unsaved", unsaved);
}

function shown(slot) {
  show(slot, words.characters);
  const n = slots.reduce((sum, one) => sum + filledIn(one), 0);
  bar.querySelector("[data-count]").textContent = between(words.written, { n, total: bar.querySelector("[data-count]").dataset.total });
}

function showChecks(answer) {
  for (const slot of slots) {
    showLines(slot, answer.lines[slot.key] || []);
    showChanges(slot, answer.changes[slot.key] || {});
    shown(slot);
  }
  list(document.getElementById("whole-lines"), answer.whole);
}

/* --- saving --- */

async function send(slot) {
  const sent = contentOf(slot);
  const body = fieldsOf(slot, sent);
  body.set("version", sent.version);
  const headers = { "X-CSRFToken": form.elements.csrfmiddlewaretoken.value };
  say(words.saving);
  const answer = await ask(form.dataset.save.replace("SLOT", slot.key), { method: "POST", body, headers });
  if (!answer) return later();
  if (answer.type === "opaqueredirect" || answer.status === 403) return refused();
  if (answer.status >= 500 || answer.status === 429) return later();
  if (answer.status === 404) return refused();
  const data = jsonOf(answer);
  if (!data) return later();
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
  slot.dirty = !isSame(now, sent);
  if (!slot.dirty) dropDraft(form.dataset.allocation, slot.key);
  else keepDraft(form.dataset.allocation, slot.key, now);
  showChecks(data);
  const time = clock(data.saved_at);
  offline = false;
  say(between(unsubmitted ? words.savedOnly : words.saved, { time }), unsubmitted);
}

function later() {
  offline = true;
  say(safe ? words.kept : words.notKept, true);
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
  safe = keepDraft(form.dataset.allocation, slot.key, contentOf(slot));
  shown(slot);
  clearTimeout(slot.timer);
  slot.timer = setTimeout(flush, PAUSE);
}

/* --- a newer text from another tab: both are shown, one is chosen --- */

/* As templates/annotation/writing/partials/reading.html draws it. */
function reading(read, lang) {
  const make = (name, className, textContent) => Object.assign(document.createElement(name), { className, textContent });
  const judged = (element) => Object.assign(element, { lang, dir: "auto" });
  const rows = document.createElement("ul");
  rows.className = "reading";
  rows.append(...read.rows.map((row) => {
    const line = document.createElement("li");
    line.append(make("span", "reading__name", row.name), judged(make("bdi", "reading__text", row.text || "–")));
    line.append(...row.roles.map((role) => make("span", "tag tag--new", role)));
    return line;
  }));
  const text = read.bare ? [] : [judged(make("p", "text text--small", read.text || "–"))];
  return [...text, ...(read.rows.length ? [rows] : [])];
}

function choose(slot, data) {
  slot.conflict = true;
  say(words.conflict, true);
  const note = Object.assign(document.createElement("div"), { className: "note note--warn other" });
  const title = Object.assign(document.createElement("p"), { textContent: words.other });
  const row = Object.assign(document.createElement("p"), { className: "cluster" });
  const decide = (name, mine) => {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "btn", textContent: name });
    button.addEventListener("click", () => {
      slot.conflict = false;
      slot.version.value = data.version;
      note.remove();
      slot.first.focus();
      if (mine) {
        changed(slot);
        flush();
        return;
      }
      slot.dirty = false;
      dropDraft(form.dataset.allocation, slot.key);
      fill(slot, { text: data.other.text, one: data.other.one_sentence, tags: data.other.tags, more: data.other.more });
      shown(slot);
      say("");
    });
    return button;
  };
  row.append(decide(words.mine, true), decide(words.theirs, false));
  note.append(title, ...reading(data.reading, slot.first.lang), row);
  slot.element.querySelector(".other")?.remove();
  slot.element.append(note);
}

/* --- events --- */

form.addEventListener("input", (event) => {
  const slot = slots.find((one) => one.element.contains(event.target));
  if (slot && !event.target.name.startsWith("take_")) changed(slot);
});

moveWithKeys(form, slots);
moveOptions(form);

const isReached = async () => (await ask(words.reached, { method: "HEAD", cache: "no-store" }))?.status < 500;

form.addEventListener("submit", async (event) => {
  const button = event.submitter;
  const saveOnly = button?.name === "save";
  event.preventDefault();
  const clean = !saving && !slots.some((slot) => slot.dirty);
  await flush();
  if (slots.some((slot) => slot.dirty)) await flush();
  form.querySelector(".other button")?.focus();
  if (saveOnly) return;
  // A page that the browser puts in the place of this one would say nothing about the set.
  if (clean ? !(await isReached()) : offline) {
    unsubmitted = true;
    say(clean || safe ? words.notSubmitted : words.notKept, true);
    return;
  }
  if (!over && slots.some((slot) => slot.dirty)) return;
  sendForm(form, button);
});

addEventListener("online", flush);

for (const slot of slots) {
  shown(slot);
  const draft = readDraft(form.dataset.allocation, slot.key);
  if (!draft) continue;
  if (isSame(draft, contentOf(slot))) {
    dropDraft(form.dataset.allocation, slot.key);
    continue;
  }
  slot.version.value = draft.version;
  fill(slot, draft);
  shown(slot);
  slot.dirty = true;
  say(words.restored, true);
}
const time = state.querySelector("time");
if (time) time.textContent = clock(time.dateTime);
if (slots.some((slot) => slot.dirty)) flush();
// The field that is typed into stands above the bar, not under it; where something was refused the page stays at its top,
// where the reason is.
const first = firstEmpty(slots);
first.focus({ preventScroll: true });
const reason = document.querySelector("main [role=alert][autofocus]");
if (!reason && first.getBoundingClientRect().bottom > document.querySelector(".savebar").getBoundingClientRect().top) {
  first.scrollIntoView({ block: "nearest" });
}
