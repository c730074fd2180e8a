/* On every page of somebody who is signed in: what is kept on this device is sent as soon as that works, what could not
   be counted is said, and who signs out with something unsent is asked. Everything here is an addition: without it the
   page works as before.

   Answers that are not with the server yet are kept on this device (IndexedDB) until it has answered each. An entry is
   bound to a person, to its assignment (the address) and to what its card showed (`version` among the fields), and has
   an id that the server keeps unique: sent twice, from two tabs or after a crash, it is one vote.

   Where the browser keeps nothing (private mode, storage refused), `keep` answers false and pages go on without. */

const NAME = "mufakat";
const STORE = "answers";
const LOCK = "mufakat-outbox";
const PATIENCE = 20_000;

/* Ids that this page sends itself: they are nobody's business here until it is gone. */
export const held = new Set();

/* Tokens of the assignments whose answers this page has sent: a card of one may stand here that came before. */
export const stored = new Set();

export const person = document.body.dataset.person || "";

let opening = null;
function database() {
  opening ??= new Promise((resolve, reject) => {
    const asked = indexedDB.open(NAME, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(STORE, { keyPath: "n", autoIncrement: true }).createIndex("id", "id", { unique: true });
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = asked.onblocked = () => reject(asked.error);
  });
  return opening;
}

/* One transaction; resolves with what `use` asked for once it is on the disk. */
async function store(mode, use) {
  const transaction = (await database()).transaction(STORE, mode, { durability: "strict" });
  const asked = use(transaction.objectStore(STORE));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(asked?.result);
    transaction.onerror = transaction.onabort = () => reject(transaction.error);
  });
}

/* crypto.randomUUID is there on secure origins alone. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const changed = () => document.dispatchEvent(new CustomEvent("outbox:changed"));

/* Whether the entry is kept: { id, url, token, fields: [[name, value]], about }. The same id again replaces it. */
export async function keep(entry) {
  if (!person) return false;
  try {
    await store("readwrite", (answers) => {
      const asked = answers.index("id").getKey(entry.id);
      asked.onsuccess = () => answers.put({ ...entry, person, ...(asked.result === undefined ? {} : { n: asked.result }) });
    });
  } catch {
    return false;
  }
  changed();
  return true;
}

/* What this person has here, the oldest first; `refused` says why the server took it for no vote. */
export async function kept() {
  try {
    return (await store("readonly", (answers) => answers.getAll())).filter((entry) => entry.person === person);
  } catch {
    return [];
  }
}

export async function drop(id) {
  try {
    await store("readwrite", (answers) => {
      const asked = answers.index("id").getKey(id);
      asked.onsuccess = () => asked.result !== undefined && answers.delete(asked.result);
    });
  } catch {
    return; // It is sent once more, and is the same vote.
  }
  changed();
}

/* The cookie is newer than the page where somebody signed in again meanwhile. */
function csrf() {
  const cookie = /(?:^|; )(?:__Host-)?csrftoken=([^;]+)/.exec(document.cookie);
  return cookie ? cookie[1] : JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRFToken"];
}

/* "stored", "offline", "signed-out", or why it is no vote: { words }. */
async function send(entry) {
  const headers = { "X-CSRFToken": csrf(), "X-Queued-By": entry.person };
  const body = new URLSearchParams([...entry.fields, ["client_id", entry.id]]);
  let answer;
  try {
    answer = await fetch(entry.url, { method: "POST", body, headers, redirect: "manual", signal: AbortSignal.timeout(PATIENCE) });
    if (answer.type === "opaqueredirect" || answer.status === 401 || answer.status === 403) return "signed-out";
    if (answer.status >= 500 || answer.status === 429) return "offline";
    return answer.ok ? "stored" : { words: (await answer.json()).words };
  } catch {
    return "offline";
  }
}

async function sendAll() {
  let state = "empty";
  for (const entry of await kept()) {
    if (entry.refused || held.has(entry.id)) continue;
    state = await send(entry);
    if (state === "offline" || state === "signed-out") return state;
    if (state === "stored") {
      stored.add(entry.token);
      await drop(entry.id);
      document.dispatchEvent(new CustomEvent("outbox:stored", { detail: entry }));
      continue;
    }
    await keep({ ...entry, refused: state.words });
  }
  return state === "empty" ? state : "done";
}

/* Send what is kept, one tab at a time, the oldest first: "empty", "done", "offline" or "signed-out". */
export function flush() {
  if (!person) return Promise.resolve("empty");
  return navigator.locks ? navigator.locks.request(LOCK, sendAll) : sendAll();
}

/* --- on the page --- */

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
