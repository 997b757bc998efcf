const words = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

const pieces: readonly (readonly [string, string])[] = [
  ["__", "__underscores__"],
  [".", "__dot__"],
  ["-", "__dash__"],
  ["/", "__slash__"],
];

function isWordCharacter(c: number): boolean {
  return (c >= 48 && c <= 57) || (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c === 95;
}

export function isReservedWord(name: string): boolean {
  return words.has(name);
}

/** The name of a property in expressions; undefined where it can have none. */
export function escapeName(name: string): string | undefined {
  const first = name.charCodeAt(0);
  if (name === "" || (first >= 48 && first <= 57)) return undefined;
  if (words.has(name)) return `__${name}__`;
  let out = "";
  let at = 0;
  while (at < name.length) {
    const piece = pieces.find(([from]) => name.startsWith(from, at));
    if (piece !== undefined) {
      out += piece[1];
      at += piece[0].length;
    } else if (isWordCharacter(name.charCodeAt(at))) {
      out += name[at];
      at += 1;
    } else return undefined;
  }
  return out;
}

const escaped = /__[^_]+__/g;

/** The property that a name of an expression stands for; undefined where it is no escaped name. */
export function unescapeName(name: string): string | undefined {
  if (!name.includes("__")) return name;
  let ok = true;
  const out = name.replace(escaped, (found) => {
    const piece = pieces.find(([, to]) => to === found);
    if (piece !== undefined) return piece[0];
    // A reserved word is escaped as a whole name alone.
    const word = found.slice(2, -2);
    ok &&= words.has(word) && found.length === name.length;
    return word;
  });
  return ok ? out : undefined;
}
