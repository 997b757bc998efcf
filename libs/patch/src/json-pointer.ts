/**
 * The names of a JSON Pointer (RFC 6901): `/a~1b/0` → `["a/b", "0"]`, `` → `[]`; undefined where the text is none.
 * A `~` that escapes nothing stands for itself.
 */
export function pointerTokens(pointer: string): readonly string[] | undefined {
  if (pointer === "") return [];
  if (!pointer.startsWith("/")) return undefined;
  const tokens = pointer.slice(1).split("/");
  return pointer.includes("~") ? tokens.map(unescaped) : tokens;
}

function unescaped(token: string): string {
  return token.replace(/~[01]/g, (pair) => (pair === "~1" ? "/" : "~"));
}

const integer = /^(?:0|-?[1-9][0-9]*)$/;

/**
 * The place in a list that a token names; undefined where it names none below `end`. Negative ones count from the
 * end, as the reference has it: `-1` of `end` 3 is 2.
 */
export function indexOf(token: string, end: number): number | undefined {
  if (!integer.test(token)) return undefined;
  const given = Number(token);
  const index = given < 0 ? given + end : given;
  return index >= 0 && index < end ? index : undefined;
}
