/** The words of a label selector. */
export type TokenKind = "identifier" | "in" | "notin" | "=" | "==" | "!=" | "!" | ">" | "<" | "(" | ")" | "," | "end";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

// Anything between blanks and the special characters is a word; what a word may be is checked later.
const token = /\s*(?:(==|!=|[=!><(),])|([^\s=!><(),]+))/y;

/** Cuts a selector into tokens; the end is not one of them. */
export function lex(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const scanner = new RegExp(token);
  for (let match = scanner.exec(text); match !== null; match = scanner.exec(text)) {
    tokens.push(tokenOf(match[1], match[2]));
  }
  return tokens;
}

function tokenOf(special: string | undefined, word = ""): Token {
  switch (special) {
    case "=":
    case "==":
    case "!=":
    case "!":
    case ">":
    case "<":
    case "(":
    case ")":
    case ",":
      return { kind: special, text: special };
    default:
      return word === "in" || word === "notin" ? { kind: word, text: word } : { kind: "identifier", text: word };
  }
}
