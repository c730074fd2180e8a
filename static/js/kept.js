/* The voting room keeps an answer on this device before it is sent and until it is answered: vote.js sends it again while
   the page is open, offline.js on whatever page comes after it. One answer has one id, a changed one another.

   The next card is fetched while one reads: Send shows it at once, and the answer goes its way behind it. What the
   server then says against it stands in place of the card. A card that was fetched and not shown is given back. */

import { ask, drop, held, keep, kept, newId, PATIENCE, stored } from "./offline.js";
import { isSafe, signedOut, status, unsent } from "./vote.js";

const PLAIN = ["csrfmiddlewaretoken", "assignment", "client_id"];
const words = document.getElementById("vote-words").dataset;
const token = () => document.getElementById("card")?.dataset.token;
let last = null; // { id, said } of the card that is shown
let next = null; // the card that follows: an element that is not shown
let until = ""; // until when it is assigned: fetched again by another page, it is that one's
let sending = null; // the answer that goes its way behind the card

const isSending = (path) => path === document.querySelector("#card form.vote")?.getAttribute("action");

function idOf(form, said) {
  if (last && form.elements.client_id?.value === last.id) {
    if (last.said === said) return last.id;
    held.delete(last.id);
    drop(last.id);
  }
  const field = form.elements.client_id || form.appendChild(Object.assign(document.createElement("input"), { type: "hidden", name: "client_id" }));
  field.value = newId();
  last = { id: field.value, said };
  return last.id;
}

/* Whatever could be refused for what it says waits for the server: then nothing typed leaves the screen. */
const asks = (form) => form.dataset.corrects || form.querySelector("[data-asks]:checked")
  || [...form.querySelectorAll("textarea")].some((field) => field.value !== field.defaultValue);

document.body.addEventListener("htmx:confirm", async (event) => {
  const { elt: form, path, issueRequest, triggeringEvent } = event.detail;
  if (!form.closest("#card")) return;
  const by = triggeringEvent?.submitter;
  const vote = form.matches("form.vote") && isSending(path) && !by?.hasAttribute("formaction");
  if (vote && !form.checkValidity()) return;
  const back = path === words.backUrl;
  if (!vote && !back && !sending) return;
  event.preventDefault();
  if (form.dataset.going) return;
  form.dataset.going = "1";
  // One after the other: what is taken back, skipped or answered next follows what is on its way.
  await sending;
  delete form.dataset.going;
  if (!form.isConnected) return;
  if (!vote) return back && (await waits()) ? unsent() : issueRequest(true);
  const same = [...form.querySelectorAll("textarea[data-as-shown]")].filter((field) => field.value === field.defaultValue).map((field) => field.name);
  const fields = [...new FormData(form)].filter(([name]) => !PLAIN.includes(name) && !same.includes(name));
  const entry = { id: idOf(form, JSON.stringify(fields)), url: path, token: form.elements.assignment.value, fields };
  held.add(entry.id);
  form.dataset.going = "1";
  const safe = await keep(entry);
  delete form.dataset.going;
  isSafe(safe);
  if (!safe || !next || asks(form)) return issueRequest(true);
  const csrf = form.elements.csrfmiddlewaretoken.value;
  const following = next;
  sending = send(entry, following.dataset.token, csrf).finally(() => {
    sending = null;
    fetchNext();
  });
  show(following);
  status("busy", words.busy);
});

const waits = async () => (await kept()).some((entry) => !entry.refused);

async function send(entry, following, csrf) {
  const body = new URLSearchParams([...entry.fields, ["client_id", entry.id], ["next", following]]);
  const headers = { "X-CSRFToken": csrf, "HX-Request": "true" };
  const answer = await ask(entry.url, { method: "POST", body, headers, patience: PATIENCE });
  const said = answer && (answer.ok || answer.status === 409 || answer.status === 422);
  if (said) await drop(entry.id);
  held.delete(entry.id);
  if (said && (answer.status === 202 || answer.status === 204)) {
    status("sent", words.next);
    took(answer.status === 202 && cardIn(answer.text), answer.headers);
  } else if (said) {
    // Refused, or the card that was fetched is no longer this person's: what the server says stands here.
    const before = document.getElementById("card");
    show(cardIn(answer.text));
    if (answer.status === 422) next = before;
  } else {
    // It is kept, and sent again.
    if (!answer) unsent();
    else if (answer.type === "opaqueredirect" || answer.status === 403) signedOut();
    else status("failed", words.later);
    document.dispatchEvent(new CustomEvent("outbox:send"));
  }
}

/* --- the card that follows --- */

function cardIn(text) {
  const made = document.createElement("template");
  made.innerHTML = text;
  return made.content.querySelector("#card");
}

function show(card) {
  next = null;
  document.getElementById("card").replaceWith(card);
  window.htmx.process(card);
  card.dispatchEvent(new CustomEvent("htmx:load", { bubbles: true, detail: { elt: card } }));
}

function took(card, headers) {
  if (!card || card.dataset.token === token()) return;
  next = card;
  until = headers.get("Assigned-Until");
  document.getElementById("card").dataset.ahead = card.dataset.token;
}

let asked = "";
async function fetchNext() {
  const shown = token();
  if (!words.nextUrl || !shown || next || sending || asked === shown) return;
  asked = shown;
  const form = document.querySelector("#card form.vote");
  const headers = { "X-CSRFToken": form.elements.csrfmiddlewaretoken.value, "HX-Request": "true" };
  const answer = await ask(words.nextUrl, { method: "POST", body: new URLSearchParams({ shown }), headers });
  // Where none came Send waits for it.
  if (answer?.status === 200 && !next && token() === shown) took(cardIn(answer.text), answer.headers);
  if (asked === shown) asked = "";
}

function giveBack() {
  if (!next) return;
  const form = next.querySelector("form.vote");
  const body = new URLSearchParams({ csrfmiddlewaretoken: form.elements.csrfmiddlewaretoken.value, until });
  ask(words.returnUrl.replace("TOKEN", next.dataset.token), { method: "POST", body, keepalive: true });
  next = null;
}

document.body.addEventListener("htmx:configRequest", (event) => {
  if (next && isSending(event.detail.path)) event.detail.parameters.next = next.dataset.token;
});

document.body.addEventListener("htmx:afterRequest", (event) => {
  const { xhr, requestConfig } = event.detail;
  const { client_id: id, next: following } = requestConfig.parameters;
  // Whoever is signed out is led to another page: that is no answer to a vote.
  const here = !xhr.responseURL || new URL(xhr.responseURL).pathname === new URL(event.detail.pathInfo.requestPath, location).pathname;
  const answered = here && xhr.status && (xhr.status < 300 || xhr.status === 409 || xhr.status === 422);
  if (id && answered) drop(id).then(() => held.delete(id));
  if (xhr.status !== 202 && xhr.status !== 204) return;
  if (next && following === next.dataset.token) show(next);
  if (xhr.status === 202) took(cardIn(xhr.responseText), { get: (name) => xhr.getResponseHeader(name) });
});

document.body.addEventListener("htmx:load", (event) => {
  if (event.detail.elt.id !== "card") return;
  if (next?.dataset.token === token()) next = null;
  if (!sending) fetchNext();
});

addEventListener("pagehide", giveBack);
addEventListener("pageshow", fetchNext);

/* What this or another tab has sent meanwhile. Where the card that stands here is among it the next one is asked for;
   where this page says that something is not sent it says so no longer than that is true. */
async function goOn(event) {
  if (stored.has(token())) return location.reload();
  if (await waits()) return;
  const state = document.querySelector("#card [data-state]")?.dataset.state;
  const saysUnsent = isSafe() && ["offline", "signed-out"].includes(state);
  const here = stored.size && event?.type !== "outbox:changed" && !event?.detail.elsewhere;
  if (saysUnsent || here) status(stored.size ? "sent" : "", words.next);
}

document.addEventListener("outbox:stored", goOn);
document.addEventListener("outbox:changed", goOn);
goOn();
