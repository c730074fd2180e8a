/* Answers that are not with the server yet, kept on this device (IndexedDB) until it has answered each. An entry is
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
