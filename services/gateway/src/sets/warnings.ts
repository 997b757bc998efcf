import { readJson } from "@orch/status/read-json.js";

/** What the writes of members warn of, each text once. */
export interface GatheredWarnings {
  /** The header of an answer. */
  add(header: string | readonly string[] | undefined): void;
  readonly all: readonly string[];
}

/** More than an answer carries. */
const mostWarnings = 200;
const mostCharacters = 64 << 10;

export function gatherWarnings(): GatheredWarnings {
  const texts = new Set<string>();
  let characters = 0;
  return {
    add(header) {
      if (header === undefined) return;
      for (const text of warningTexts([header].flat().join(", "))) {
        if (texts.has(text) || texts.size >= mostWarnings || characters + text.length > mostCharacters) continue;
        texts.add(text);
        characters += text.length;
      }
    },
    get all() {
      return [...texts];
    },
  };
}

const before = '299 - "';

/** The texts of a header that `warning-headers.ts` made, or of several that were joined. */
export function warningTexts(header: string): readonly string[] {
  const texts: string[] = [];
  for (let at = header.indexOf(before); at >= 0; ) {
    const start = at + before.length - 1;
    let end = start + 1;
    while (end < header.length && header[end] !== '"') end += header[end] === "\\" ? 2 : 1;
    if (end >= header.length) break;
    const text: unknown = readJson(header.slice(start, end + 1));
    texts.push(Buffer.from(String(text), "latin1").toString("utf8"));
    at = header.indexOf(before, end + 1);
  }
  return texts;
}
