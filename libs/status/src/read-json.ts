/**
 * `JSON.parse`, but right about keys with escapes.
 *
 * V8 since 12.8 (Node 24 and 26) takes an escaped key for another one that it has seen before, where the raw text begins
 * with that key: after `{"\\":1}` the text `{"\"":1}` gives the key `\`. So whoever sends the first text changes the keys of
 * others. A key that is wrong ends where an escape began: it always has a backslash. Trees without one are right; the few
 * texts whose tree has one are read again, by {@link exactly}.
 *
 * @throws SyntaxError as JSON.parse does
 */
export const readJson: typeof JSON.parse = (text, reviver) => {
  const value: unknown = JSON.parse(text, reviver);
  return reviver === undefined && text.includes("\\") && hasBackslashKey(value) ? exactly(text) : value;
};

/** Without recursion: a text can be nested deeper than the stack is. */
function hasBackslashKey(root: unknown): boolean {
  const waiting: unknown[] = [root];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== "object" || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value) if (typeof item === "object" && item !== null) waiting.push(item);
      continue;
    }
    for (const [key, below] of Object.entries(value)) {
      if (key.includes("\\")) return true;
      if (typeof below === "object" && below !== null) waiting.push(below);
    }
  }
  return false;
}

type Container = { readonly list: unknown[] } | { readonly object: object; key: string | undefined };

/** The value of a text that JSON.parse accepts, token by token; strings, which are not keys to V8, it reads alone. */
export function exactly(text: string): unknown {
  const open: Container[] = [];
  let result: unknown;
  const put = (value: unknown): void => {
    const top = open.at(-1);
    if (top === undefined) result = value;
    else if ("list" in top) top.list.push(value);
    else {
      // An own property whatever its name: an assignment to __proto__ would set the prototype.
      Object.defineProperty(top.object, top.key ?? "", { value, writable: true, enumerable: true, configurable: true });
      top.key = undefined;
    }
  };
  for (let at = 0; at < text.length; ) {
    const char = text[at];
    const end = char === '"' ? endOfString(text, at) : endOfScalar(text, at);
    if (end === at) {
      at++;
      if (char === "{") {
        const object = {};
        put(object);
        open.push({ object, key: undefined });
      } else if (char === "[") {
        const list: unknown[] = [];
        put(list);
        open.push({ list });
      } else if (char === "}" || char === "]") open.pop();
      continue;
    }
    const value: unknown = JSON.parse(text.slice(at, end));
    const top = open.at(-1);
    if (top !== undefined && "object" in top && top.key === undefined) top.key = String(value);
    else put(value);
    at = end;
  }
  return result;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

const betweenScalars = new Set("{}[],: \t\r\n");

/** The start itself where no number or literal begins there. */
function endOfScalar(text: string, start: number): number {
  let at = start;
  while (at < text.length && !betweenScalars.has(text[at] ?? "")) at++;
  return at;
}
