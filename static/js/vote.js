/* The voting room. The answer to a vote is the next card (htmx puts it there); this file moves the focus to it, keeps
   a ballot that could not be sent and sends it again, and tells the server that somebody is still typing. */

import { ask } from "./offline.js";

const words = document.getElementById("vote-words").dataset;
const told = document.getElementById("status");
const { slower, failed } = told.dataset;
const STAY_EVERY = 60_000;
const AGAIN = [2_000, 4_000, 8_000, 16_000, 30_000];

let said = "";
let waiting = null; // the button whose sending failed
let tries = 0;
let timer = 0;
let stayed = 0;

const card = () => document.getElementById("card");
const form = () => document.querySelector("#card form.vote");
const TICKED = "[type=radio], [type=checkbox]";
const kept = (token) => `mufakat-ballot:${token}`;

/* --- what happened to a Send, said beside it, and read out from the line that stays when cards change --- */

// Whether the answer that is being sent is kept on this device: kept.js knows.
let safe = true;
export const isSafe = (is = safe) => (safe = is);
export const unsent = () => status("offline", safe ? words.unsent : words.unsentNotKept);
export const signedOut = () => status("signed-out", safe ? words.signedOut : words.signedOutNotKept);

// Kinds: busy, offline, signed-out, failed, sent, and "" for nothing to say.
export function status(kind, words = "") {
  const text = kind ? words : "";
  told.textContent = text;
  told.classList.toggle("status--said", text !== "");
  const beside = document.querySelector("#card [data-state]");
  if (!beside) return;
  beside.hidden = text === "";
  beside.dataset.state = kind;
  beside.querySelector("[data-words]").textContent = text;
  const signIn = beside.querySelector("[data-sign-in]");
  signIn.hidden = kind !== "signed-out";
  signIn.search = new URLSearchParams({ next: location.pathname });
}

/* --- a ballot is kept in this tab until it has been answered --- */

const fields = (of) => [...of.elements].filter((field) => field.name && !["assignment", "csrfmiddlewaretoken", "client_id", "version"].includes(field.name));

function keep() {
  const now = form();
  if (!now) return;
  const values = fields(now).map((field) => (field.matches(TICKED) ? [field.name, field.value, field.checked] : [field.name, "", field.value]));
  store(() => sessionStorage.setItem(kept(now.elements.assignment.value), JSON.stringify(values)));
}

function bringBack() {
  const now = form();
  const text = now && store(() => sessionStorage.getItem(kept(now.elements.assignment.value)));
  if (!text) return;
  const seen = {};
  for (const [name, value, content] of JSON.parse(text)) {
    const ticked = typeof content === "boolean";
    const place = ticked ? 0 : (seen[name] = (seen[name] ?? -1) + 1);
    const found = () => fields(now).filter((one) => one.name === name && one.matches(TICKED) === ticked && (!ticked || one.value === value))[place];
    // A row that a script added: answers.js adds it again.
    if (!found() && place) document.dispatchEvent(new CustomEvent("row:missing", { detail: name }));
    const field = found();
    if (!field) continue;
    if (typeof content === "boolean") field.checked = content;
    else field.value = content;
    const more = field.closest("details");
    if (more && content !== (typeof content === "boolean" ? field.defaultChecked : field.defaultValue)) more.open = true;
  }
  if (now.querySelector("[data-asks]:checked")) askWhy();
  document.dispatchEvent(new CustomEvent("ballot:back"));
}

function forgetOthers() {
  const here = kept(card().dataset.token);
  store(() => Object.keys(sessionStorage).filter((key) => key.startsWith(kept("")) && key !== here).forEach((key) => sessionStorage.removeItem(key)));
}

/* Storage may be switched off: then nothing is kept, and voting goes on. */
function store(use) {
  try {
    return use();
  } catch {
    return null;
  }
}

function typed(now) {
  return [...now.querySelectorAll("textarea, input[name=words]")].some((field) => field.value !== field.defaultValue);
}

/* --- a reason: its box opens where something is marked, and a letter is put into it where the cursor stands --- */

function askWhy() {
  const reason = form().querySelector("[data-reason]");
  if (reason) reason.open = true;
}

function putLetter(button) {
  const field = form().elements.comment;
  field.focus();
  field.setRangeText(button.dataset.letter, field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

function showLetters() {
  document.querySelectorAll("#card [data-letters]").forEach((letters) => {
    letters.hidden = false;
  });
}

document.addEventListener("change", (event) => {
  if (event.target.matches("#card [data-asks]") && event.target.checked) askWhy();
  if (event.target.matches("#card [name=label]")) choose(event.target.value);
});

/* --- a review: correcting opens the fields under the texts, sending back asks why --- */

const correctable = () => [...document.querySelectorAll("#card .review__correction")];

function openCorrections(but = null) {
  correctable().filter((field) => field !== but).forEach((field) => {
    field.open = true;
  });
}

function choose(label) {
  const { corrects: correct, saysWhy } = form().dataset;
  if (correct && label === correct) openCorrections();
  if (saysWhy && label === saysWhy) askWhy();
}

/* Whoever changes a text corrects, unless they send it back. */
function corrects(field) {
  const now = form();
  if (!now.dataset.corrects || field.value === field.defaultValue) return;
  const chosen = now.elements.label.value;
  if (chosen === "" || chosen !== now.dataset.saysWhy) now.elements.label.value = now.dataset.corrects;
}

document.addEventListener("click", (event) => {
  const letter = event.target.closest("#card [data-letter]");
  if (letter) putLetter(letter);
  const correct = event.target.closest("#card .review__correction > summary");
  // A key opens all of them, a pointer the one under it, which opens by itself.
  if (correct && event.detail === 0 && !correct.parentElement.open) openCorrections(correct.parentElement);
});

/* --- a finger's tap on a choice sends it, where somebody set so; never where more may have to be said --- */

document.addEventListener("click", (event) => {
  const choice = event.target.closest("#card [name=label]");
  if (!("tapSends" in words) || !choice || event.detail === 0 || form().dataset.corrects) return;
  document.querySelector("#card .vote__send .btn--primary").click();
});

/* --- sending, and sending again --- */

function sendAgain(button) {
  waiting = button;
  clearTimeout(timer);
  timer = setTimeout(again, AGAIN[Math.min(tries, AGAIN.length - 1)]);
  tries += 1;
  unsent();
}

function again() {
  clearTimeout(timer);
  if (waiting && waiting.isConnected) waiting.click();
}

let pressed = null;
document.addEventListener("click", (event) => {
  const button = event.target.closest("#card button");
  if (!button || button.type !== "submit") return;
  const now = form();
  if (button.matches("[data-key=Backspace]") && now && typed(now) && !window.confirm(words.leave)) {
    event.preventDefault();
    event.stopPropagation();
    return;
  }
  pressed = button;
}, true);

document.body.addEventListener("htmx:configRequest", (event) => {
  const now = form();
  const path = event.detail.path;
  said = path.endsWith("/back/") ? words.back : words.next;
  if (!now) return;
  for (const field of now.querySelectorAll("textarea[data-as-shown]")) {
    if (field.value === field.defaultValue) delete event.detail.parameters[field.name];
  }
});

for (const name of ["htmx:sendError", "htmx:timeout"]) {
  document.body.addEventListener(name, () => pressed && sendAgain(pressed));
}
document.body.addEventListener("htmx:responseError", (event) => {
  const code = event.detail.xhr.status;
  if ([502, 503, 504].includes(code) && pressed) sendAgain(pressed);
  else if ([401, 403].includes(code)) signedOut();
  else status("failed", code === 429 ? slower : failed);
});
// Whoever is signed out is led to another page, which is no card: what they answered stays where it is.
document.body.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr, pathInfo } = event.detail;
  if (!xhr.responseURL || new URL(xhr.responseURL).pathname === new URL(pathInfo.requestPath, location).pathname) return;
  event.detail.shouldSwap = false;
  signedOut();
});
document.body.addEventListener("htmx:beforeRequest", () => status("busy", words.busy));
addEventListener("online", again);

document.body.addEventListener("htmx:load", (event) => {
  if (event.detail.elt.id !== "card") return;
  // Most cards ask for a label and no more: who votes on those does not load it.
  if (card().querySelector("[data-question]")) import("./answers.js");
  waiting = null;
  tries = 0;
  clearTimeout(timer);
  forgetOthers();
  status(document.getElementById("card-problem") ? "" : "sent", form() ? said : words.none);
  showLetters();
  card().focus({ preventScroll: true });
  scrollTo(0, 0);
  const next = card().querySelector("[data-next]");
  if (next) next.focus();
});

/* --- somebody is still typing: the assignment gets its full time again, at most once a minute --- */

async function stay() {
  const now = form();
  if (!now?.dataset.stay || Date.now() - stayed < STAY_EVERY) return;
  stayed = Date.now();
  const headers = { "X-CSRFToken": now.elements.csrfmiddlewaretoken.value };
  const answer = await ask(now.dataset.stay, { method: "POST", headers });
  if (!answer) stayed = 0;
  else if (answer.status === 409 && form() === now) status("failed", words.over);
}

document.addEventListener("input", (event) => {
  if (!event.target.closest("#card form.vote")) return;
  if (event.target.matches("[data-correct]")) corrects(event.target);
  keep();
  if (event.target.matches("textarea, input[name=words]")) stay();
});

if (form()) {
  showLetters();
  bringBack();
  forgetOthers();
}
