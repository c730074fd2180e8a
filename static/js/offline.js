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
const NEWS = "mufakat-news";
const LATER = [408, 425, 429, 502, 503, 504];
export const PATIENCE = 20_000;

// Below the floor (base.js says so) nothing of this runs, nor what imports it.
if (document.documentElement.hasAttribute("hx-disable")) throw new Error("This browser is older than scripts here go: forms work without.");

/* The answer with its text, or null where none came: no connection, or none in time (`patience`). All else that goes
   wrong is a fault of ours and is thrown. AbortSignal.timeout is younger than the oldest browser that runs this. */
export async function ask(url, { patience, ...options } = {}) {
  const late = new AbortController();
  const request = new Request(url, { redirect: "manual", ...options, signal: late.signal });
  const timer = patience && setTimeout(() => late.abort(), patience);
  try {
    const answer = await fetch(request);
    const { ok, status, type, headers } = answer;
    return { ok, status, type, headers, text: await answer.text() };
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/* What an answer of JSON holds; null where there is none, or a page stands in its place. */
export function jsonOf(answer) {
  try {
    return JSON.parse(answer?.text ?? null);
  } catch {
    return null;
  }
}

/* Sends a form as its button would: requestSubmit is younger too. Whether it may be sent was asked before. */
export function sendForm(form, button) {
  const pressed = Object.assign(document.createElement("input"), { type: "hidden", name: button?.name || "", value: button?.value || "" });
  form.append(pressed);
  if (button?.hasAttribute("formaction")) form.setAttribute("action", button.formAction);
  HTMLFormElement.prototype.submit.call(form);
  pressed.remove();
}

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
  if (!held.has(entry.id)) tell();
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
  tell();
}

/* The cookie is newer than the page where somebody signed in again meanwhile. */
function csrf() {
  const cookie = /(?:^|; )(?:__Host-)?csrftoken=([^;]+)/.exec(document.cookie);
  return cookie ? cookie[1] : JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRFToken"];
}

/* What becomes of an entry: "stored", "offline" (nothing arrives), "signed-out", "failed" (a fault of the server's with
   this one), why it is no vote: { refused }, or what its person does before it is sent: { waits }. A refusal without words of its own is one that no sign-in helps. */
async function send(entry) {
  const headers = { "X-CSRFToken": csrf(), "X-Queued-By": entry.person };
  const body = new URLSearchParams([...entry.fields, ["client_id", entry.id]]);
  const answer = await ask(entry.url, { method: "POST", body, headers, patience: PATIENCE });
  if (!answer || LATER.includes(answer.status)) return "offline";
  const said = jsonOf(answer);
  if (said?.waits) return { waits: said.waits };
  if (answer.type === "opaqueredirect" || answer.status === 401 || (answer.status === 403 && !said?.words)) return "signed-out";
  if (answer.status >= 500) return "failed";
  if (answer.status >= 400) return { refused: said?.words || words.refused };
  return said?.stored ? "stored" : "offline"; // a page in its place is some network's, not the server's
}

async function sendAll() {
  let end = "empty";
  for (const entry of await kept()) {
    if (entry.refused || held.has(entry.id)) continue;
    const became = await send(entry);
    if (became === "offline" || became === "signed-out") return became;
    end = "done";
    if (became === "failed") continue;
    if (became !== "stored") {
      await keep({ ...entry, ...became });
      continue;
    }
    await drop(entry.id);
    sent(entry.token);
    tell({ token: entry.token });
  }
  return end;
}

function sent(token, elsewhere = false) {
  stored.add(token);
  document.dispatchEvent(new CustomEvent("outbox:stored", { detail: { token, elsewhere } }));
}

/* Send what is kept, one tab at a time, the oldest first: "empty", "done", "offline" or "signed-out". One that is
   refused, waits or fails does not hold up the others. */
let last = Promise.resolve();
export function flush() {
  if (!person) return Promise.resolve("empty");
  if (navigator.locks) return navigator.locks.request(LOCK, sendAll);
  // One at a time in this tab, at least: one that is sent twice is one vote.
  last = last.then(sendAll, sendAll);
  return last;
}

/* --- other tabs: what is sent, refused or kept there is told here, by a value that other tabs are told of --- */

function tell(news) {
  if (!person) return;
  try {
    localStorage.setItem(NEWS, JSON.stringify({ person, state, sending: [...held], n: newId(), ...news }));
  } catch { /* Storage refused: each tab then knows what it did itself. */ }
}

let busyElsewhere = [];
addEventListener("storage", ({ key, newValue }) => {
  const news = key === NEWS && newValue && JSON.parse(newValue);
  if (!news || news.person !== person) return;
  busyElsewhere = news.sending;
  state = news.state;
  if (news.token) sent(news.token, true);
  changed();
});

/* --- on the page --- */

const AGAIN = [3_000, 6_000, 12_000, 30_000, 60_000];
const place = document.getElementById("unsent");
const words = place.dataset;
const fill = (text, n) => text.replace("{n}", n);
let state = "empty";
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

function waitingNote(text, title, href) {
  const line = make("p", "note note--warn", text);
  if (href) line.append(" ", Object.assign(make("a", "", title), { href }));
  return line;
}

async function show(state) {
  const entries = await kept();
  const waiting = entries.filter((entry) => !entry.refused && !held.has(entry.id) && !busyElsewhere.includes(entry.id));
  const rows = entries.filter((entry) => entry.refused).map(refusedNote);
  const owed = new Map(waiting.filter((entry) => entry.waits).map(({ waits }) => [waits.address, waits]));
  rows.unshift(...[...owed.values()].map((waits) => waitingNote(waits.words, waits.title, waits.address)));
  const unsent = waiting.filter((entry) => !entry.waits).length;
  if (unsent && state === "signed-out") rows.unshift(waitingNote(fill(words.signedOut, unsent), words.signIn, `${words.login}?next=${encodeURIComponent(location.pathname)}`));
  else if (unsent) rows.unshift(waitingNote(fill(words.waiting, unsent)));
  place.replaceChildren(...rows);
  return waiting.length;
}

async function sendKept() {
  clearTimeout(timer);
  busyElsewhere = [];
  const before = state;
  state = await flush();
  if (state !== before) tell();
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

document.addEventListener("submit", async (event) => {
  if (!event.target.matches(`form[action="${words.logout}"]`)) return;
  event.preventDefault();
  const { target, submitter } = event;
  await flush();
  const unsent = (await kept()).filter((entry) => !entry.refused).length + drafts();
  if (unsent && !window.confirm(fill(words.leaving, unsent))) return void show(state);
  sendForm(target, submitter);
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
// A page that comes back, or comes to the front, may have missed what happened meanwhile.
addEventListener("pageshow", ({ persisted }) => { if (persisted) sendKept(); });
document.addEventListener("visibilitychange", () => { if (!document.hidden) changed(); });
if (person) sendKept();
listPages();
navigator.serviceWorker?.register(words.worker).catch(() => {});
