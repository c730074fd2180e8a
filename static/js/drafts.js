/* Texts that are not saved yet, kept on this device; and words with places to fill: "{n} of {total}". */

const name = (share, slot) => `mufakat-draft:${share}:${slot}`;

/* Storage may be full or switched off: the page goes on, and says itself that a text is not saved. */
function attempt(use) {
  try {
    return use();
  } catch {
    return null;
  }
}

export function keepDraft(share, slot, content) {
  attempt(() => localStorage.setItem(name(share, slot), JSON.stringify(content)));
}

export function readDraft(share, slot) {
  return attempt(() => JSON.parse(localStorage.getItem(name(share, slot))));
}

export function dropDraft(share, slot) {
  attempt(() => localStorage.removeItem(name(share, slot)));
}

export function between(words, values) {
  return words.replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");
}
