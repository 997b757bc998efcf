/** Warnings of many writes of one request. */
export interface GatheredWarnings {
  add(warnings: readonly string[]): void;
  readonly all: readonly string[];
}

/** More than anybody is shown: a gateway sends fifty, and counts the rest. */
const mostWarnings = 1000;
const mostCharacters = 64 << 10;

/** Each text once, in the order in which they came first, and no more of them than fit. */
export function gatherWarnings(): GatheredWarnings {
  const all = new Set<string>();
  let characters = 0;
  return {
    add(warnings) {
      for (const text of warnings) {
        if (all.size >= mostWarnings || characters >= mostCharacters) return;
        if (all.has(text)) continue;
        all.add(text);
        characters += text.length;
      }
    },
    get all() {
      return [...all];
    },
  };
}
