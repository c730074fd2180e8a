{% autoescape off %}/* The service worker: pages from the network first, hashed files from what is kept. It keeps no page of anybody but
   whoever the last page from the network was for, and nothing of them once they sign out. */
const FILES = "mufakat-files-{{ release }}";
const PAGES = "mufakat-pages";
const OFFLINE = "{{ offline }}";
const STATIC = "{{ static }}";
const KEPT = [OFFLINE{% for path in kept %}, "{{ path }}"{% endfor %}];
const TO_WORK = [{% for path in to_work %}"{{ path }}"{% if not forloop.last %}, {% endif %}{% endfor %}];
// The pages that work without a connection: cards taken along, and sets that are being written.
const WORKS = /^\/p\/[^/]+\/(ahead\/|write\/[^/]+\/)$/;

addEventListener("install", (event) => {
  skipWaiting();
  // Pages that were taken along before go on to work with the files of this release.
  const fill = async (files) => files.addAll((await caches.has(PAGES)) ? [...KEPT, ...TO_WORK] : KEPT);
  event.waitUntil(caches.open(FILES).then(fill));
});

addEventListener("activate", (event) => {
  const old = (name) => name.startsWith("mufakat-files-") && name !== FILES;
  const drop = async () => Promise.all((await caches.keys()).filter(old).map((name) => caches.delete(name)));
  event.waitUntil(drop().then(() => clients.claim()));
});

/* Whose the kept pages are is kept beside them: a worker is ended and started at any time. */
const owner = async (pages) => (await (await pages.match("/person"))?.text()) ?? "";

async function keepPage(request, answer) {
  if (!answer.ok || !answer.headers.get("Content-Type")?.startsWith("text/html")) return;
  const person = answer.headers.get("X-Person") ?? "";
  const known = await caches.has(PAGES);
  if (!person && !known) return;
  const mine = known && (await owner(await caches.open(PAGES))) === person;
  if (known && !mine) await caches.delete(PAGES);
  if (!person) return;
  const pages = await caches.open(PAGES);
  if (!mine) await pages.put("/person", new Response(person));
  if (!answer.redirected && request.method === "GET" && WORKS.test(new URL(request.url).pathname)) {
    const files = await caches.open(FILES);
    await Promise.all(TO_WORK.map(async (path) => (await files.match(path)) || files.add(path)));
    await pages.put(request.url, answer);
  }
}

/* What stands in for a page says what is kept on this device for whom the kept pages are, and of a form that was sent
   that it did not arrive. */
async function standIn(isRead) {
  const kept = await caches.match(OFFLINE);
  if (!kept) return null;
  const person = (await caches.has(PAGES)) ? await owner(await caches.open(PAGES)) : "";
  const text = (await kept.text()).replace('data-person=""', `data-person="${person}"`);
  return new Response(isRead ? text : text.replace("data-posted hidden", "data-posted"), kept);
}

async function page(event) {
  const { request } = event;
  const isRead = request.method === "GET";
  let answer;
  try {
    answer = await fetch(request);
  } catch (fault) {
    return (isRead && (await caches.match(request.url, { cacheName: PAGES }))) || (await standIn(isRead)) || Promise.reject(fault);
  }
  event.waitUntil(keepPage(request, answer.clone()));
  return answer;
}

async function file(request) {
  const kept = await caches.match(request, { cacheName: FILES });
  if (kept && /\.[0-9a-f]{12}\./.test(request.url)) return kept;
  try {
    return await fetch(request);
  } catch (fault) {
    if (kept) return kept;
    throw fault;
  }
}

addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (url.origin !== location.origin) return;
  if (event.request.mode === "navigate") event.respondWith(page(event));
  else if (event.request.method === "GET" && url.pathname.startsWith(STATIC)) event.respondWith(file(event.request));
});
{% endautoescape %}