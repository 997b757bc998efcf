import type { Grammar } from "./parser.js";
import type { Issue } from "./source.js";
import { locate } from "./source.js";
import type { Tokens } from "./tokens.js";

/** All errors of a text that is no expression. */
export function recover(text: string, tokens: Tokens, _grammar: Grammar): readonly Issue[] {
  return tokens.errors.map((e) => ({
    at: locate(text, e.offset),
    message: `Syntax error: token recognition error at: '${e.text}'`,
  }));
}
