import { RE2JS } from "re2js";

/** A regular expression of a schema, in RE2's syntax: no text makes it slow. */
export interface Pattern {
  /** Why it is none; undefined for nothing. */
  problem(): string | undefined;
  /** Whether it matches anywhere in a text; what is no expression matches nothing. */
  test(text: string): boolean;
}

/** Compiled when it is first asked: a schema may have thousands that no value ever meets. */
export function createPattern(source: string): Pattern {
  let compiled: RE2JS | string | undefined;
  const known = (): RE2JS | string => {
    compiled ??= compile(source);
    return compiled;
  };
  return {
    problem() {
      const found = known();
      return typeof found === "string" ? found : undefined;
    },
    test(text) {
      const found = known();
      return typeof found !== "string" && found.test(text);
    },
  };
}

function compile(source: string): RE2JS | string {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
