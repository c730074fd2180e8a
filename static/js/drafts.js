/* Texts that are not saved yet, kept on this device; and words with places to fill: "{n} of {total}". */

const name = (allocation, slot) => `mufakat-draft:${allocation}:${slot}`;

/* Storage may be full or switched off: the page goes on, and says itself that a text is not saved. */
function attempt(use) {
  try {
    return use();
  } catch {
    return null;
  }
}

/* Whether it is kept. */
export function keepDraft(allocation, slot, content) {
  return attempt(() => {
    localStorage.setItem(name(allocation, slot), JSON.stringify(content));
    return true;
  });
}

export function readDraft(allocation, slot) {
  return attempt(() => JSON.parse(localStorage.getItem(name(allocation, slot))));
}

export function dropDraft(allocation, slot) {
  attempt(() => localStorage.removeItem(name(allocation, slot)));
}

export function between(words, values) {
  return words.replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");
}
