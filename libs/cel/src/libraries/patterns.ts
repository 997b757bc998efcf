import { RE2JS, RE2JSException } from "re2js";
import { CelError } from "../values/value.js";

/** A compiled pattern; linear in the text, whatever the pattern. */
export interface Pattern {
  test(text: string): boolean;
  /** What each match is, leftmost first; at most `limit` where that is not negative. */
  matches(text: string, limit: number): readonly string[];
  first(text: string): string | undefined;
}

/** Patterns of values that were met last: a rule meets the same one with each object. */
const kept = 256;
const known = new Map<string, Pattern | CelError>();

/** The pattern in the reference's syntax, or the error that it is none. */
export function matcher(pattern: string): Pattern | CelError {
  const before = known.get(pattern);
  if (before !== undefined) return before;
  const made = compilePattern(pattern);
  if (known.size >= kept) known.delete(known.keys().next().value ?? "");
  known.set(pattern, made);
  return made;
}

function compilePattern(pattern: string): Pattern | CelError {
  try {
    const re = RE2JS.compile(pattern);
    return {
      test: (text) => re.matcher(text).find(),
      matches: (text, limit) => allMatches(re, text, limit),
      first: (text) => {
        const m = re.matcher(text);
        return m.find() ? (m.group() ?? "") : undefined;
      },
    };
  } catch (thrown) {
    if (thrown instanceof RE2JSException) return new CelError(thrown.message);
    throw thrown;
  }
}

/** An empty match right after the one before it does not count. */
function allMatches(re: RE2JS, text: string, limit: number): readonly string[] {
  const found: string[] = [];
  const m = re.matcher(text);
  let end = -1;
  while ((limit < 0 || found.length < limit) && m.find()) {
    const start = m.start();
    const empty = m.end() === start;
    if (!(empty && start === end)) found.push(m.group() ?? "");
    end = m.end();
  }
  return found;
}
