import { tokenOrder } from "./network.js";
import type { Token, TokenKind } from "./tokens.js";

/** As messages show a token. */
export function shown(token: Token): string {
  return quoted(token.text);
}

function quoted(text: string): string {
  return `'${text.replaceAll("\t", "\\t").replaceAll("\n", "\\n").replaceAll("\r", "\\r")}'`;
}

/** A word after a dot is told as what it is. */
export function noAlternative(input: string): string {
  for (const word of ["true", "false", "null"]) {
    if (input.length === word.length + 1 && input.endsWith(word))
      return `mismatched input '${word}' expecting IDENTIFIER`;
  }
  return `no viable alternative at input ${quoted(input)}`;
}

/** As messages list the kinds of tokens that would fit. */
export function listed(expected: ReadonlySet<TokenKind>): string {
  const names = tokenOrder.filter((kind) => expected.has(kind)).map(tokenName);
  if (expected.has("EOF")) names.unshift("<EOF>");
  return names.length === 1 ? (names[0] ?? "") : `{${names.join(", ")}}`;
}

function tokenName(kind: TokenKind): string {
  return kind.length > 3 && kind === kind.toUpperCase() ? kind : `'${kind}'`;
}
