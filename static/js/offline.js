/* On every page: what is kept on this device is sent as soon as that works, what could not be counted is said, and who
   signs out with something unsent is asked. Everything here is an addition: without it the page works as before. */

import { drop, flush, held, kept, person } from "./outbox.js";

const AGAIN = [3_000, 6_000, 12_000, 30_000, 60_000];
const place = document.getElementById("unsent");
const words = place.dataset;
const fill = (text, n) => text.replace("{n}", n);
let tries = 0;
let timer = 0;

const make = (name, className, textContent) => Object.assign(document.createElement(name), { className, textContent });

function refusedNote(entry) {
  const note = make("div", "note note--error", "");
  const close = make("button", "btn", words.close);
  close.type = "button";
  close.addEventListener("click", () => drop(entry.id));
  note.append(make("p", "", entry.refused));
  if (entry.about) note.append(Object.assign(make("p", "small", entry.about), { dir: "auto" }));
  note.append(close);
  return note;
}

async function show(state) {
  const entries = await kept();
  const waiting = entries.filter((entry) => !entry.refused && !held.has(entry.id)).length;
  const rows = entries.filter((entry) => entry.refused).map(refusedNote);
  if (waiting && state !== "sending") {
    const line = make("p", "note note--warn", fill(state === "signed-out" ? words.signedOut : words.waiting, waiting));
    if (state === "signed-out") line.append(" ", Object.assign(make("a", "", words.signIn), { href: `${words.login}?next=${encodeURIComponent(location.pathname)}` }));
    rows.unshift(line);
  }
  place.replaceChildren(...rows);
  return waiting;
}

let state = "empty";
async function sendKept() {
  clearTimeout(timer);
  state = await flush();
  const waiting = await show(state);
  tries = waiting ? tries + 1 : 0;
  if (waiting) timer = setTimeout(sendKept, AGAIN[Math.min(tries, AGAIN.length) - 1]);
}

/* Texts of this device that the server has not (drafts.js). */
function drafts() {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith("mufakat-draft:")).length;
  } catch {
    return 0;
  }
}

let sure = false;
document.addEventListener("submit", async (event) => {
  if (sure || !event.target.matches(`form[action="${words.logout}"]`)) return;
  event.preventDefault();
  const { target, submitter } = event;
  await flush();
  const unsent = (await kept()).filter((entry) => !entry.refused).length + drafts();
  if (unsent && !window.confirm(fill(words.leaving, unsent))) return void show(state);
  sure = true;
  target.requestSubmit(submitter);
});

/* The page that stands in for one that cannot be reached leads to those that work. */
async function listPages() {
  const list = document.querySelector("[data-ahead-pages]");
  if (!list || !window.caches || !(await caches.has("mufakat-pages"))) return;
  const pages = await (await caches.open("mufakat-pages")).keys();
  const there = pages.map((page) => new URL(page.url).pathname).filter((path) => path !== "/person");
  const rows = document.createElement("ul");
  rows.append(...there.map((path) => {
    const row = document.createElement("li");
    row.append(Object.assign(make("a", "", path), { href: path }));
    return row;
  }));
  list.append(rows);
  list.hidden = there.length === 0;
}

document.addEventListener("outbox:changed", () => show(state));
document.addEventListener("outbox:send", sendKept);
addEventListener("online", sendKept);
addEventListener("pageshow", () => { sure = false; });
if (person) sendKept();
listPages();
navigator.serviceWorker?.register(words.worker).catch(() => {});
