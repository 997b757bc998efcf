/** One token of a JSON text, with the mistake inside it, if there is one. */
export type JsonToken =
  | { readonly type: "open" | "close"; readonly char: string; readonly at: number; readonly end: number }
  | {
      readonly type: "string" | "number" | "literal" | "colon" | "comma" | "end";
      readonly at: number;
      readonly end: number;
    }
  /** `text` is absent if no token begins with the character: only the caller knows what it expected. */
  | { readonly type: "problem"; readonly at: number; readonly text?: string };

const endOfInput = "unexpected end of JSON input";

export function tokenAt(text: string, from: number): JsonToken {
  let at = from;
  while (at < text.length && " \t\n\r".includes(text.charAt(at))) at++;
  if (at >= text.length) return { type: "end", at, end: at };
  const char = text.charAt(at);
  switch (char) {
    case "{":
    case "[":
      return { type: "open", char, at, end: at + 1 };
    case "}":
    case "]":
      return { type: "close", char, at, end: at + 1 };
    case ":":
      return { type: "colon", at, end: at + 1 };
    case ",":
      return { type: "comma", at, end: at + 1 };
    case '"':
      return stringAt(text, at);
    case "t":
      return literalAt(text, at, "true");
    case "f":
      return literalAt(text, at, "false");
    case "n":
      return literalAt(text, at, "null");
    default:
      return char === "-" || isDigit(char) ? numberAt(text, at) : { type: "problem", at };
  }
}

const isDigit = (char: string): boolean => char >= "0" && char <= "9" && char.length === 1;

/** The character at an index as error texts quote it: `'b'`, `'\n'`, `'\''`. */
export function shownChar(text: string, at: number): string {
  const char = String.fromCodePoint(text.codePointAt(at) ?? 0xfffd);
  if (char === "'") return "'\\''";
  return `'${char === '"' ? char : JSON.stringify(char).slice(1, -1)}'`;
}

function unexpected(text: string, at: number, where: string): JsonToken {
  if (at >= text.length) return { type: "problem", at, text: endOfInput };
  return { type: "problem", at, text: `invalid character ${shownChar(text, at)} ${where}` };
}

function literalAt(text: string, at: number, word: string): JsonToken {
  for (let i = 1; i < word.length; i++) {
    if (text[at + i] !== word[i]) return unexpected(text, at + i, `in literal ${word} (expecting '${word.charAt(i)}')`);
  }
  return { type: "literal", at, end: at + word.length };
}

function stringAt(text: string, at: number): JsonToken {
  for (let i = at + 1; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === '"') return { type: "string", at, end: i + 1 };
    if (char < " ") return unexpected(text, i, "in string literal");
    if (char !== "\\") continue;
    i++;
    const escaped = text.charAt(i);
    if (escaped === "u") {
      for (let n = 0; n < 4; n++) {
        if (!/[0-9a-fA-F]/.test(text.charAt(++i))) return unexpected(text, i, "in \\u hexadecimal character escape");
      }
    } else if (!'"\\/bfnrt'.includes(escaped) || escaped === "") {
      return unexpected(text, i, "in string escape code");
    }
  }
  return { type: "problem", at: text.length, text: endOfInput };
}

function numberAt(text: string, at: number): JsonToken {
  let i = at;
  if (text[i] === "-") i++;
  if (!isDigit(text.charAt(i))) return unexpected(text, i, "in numeric literal");
  if (text[i] === "0") i++;
  else i = skipDigits(text, i);
  if (text[i] === ".") {
    if (!isDigit(text.charAt(++i))) return unexpected(text, i, "after decimal point in numeric literal");
    i = skipDigits(text, i);
  }
  if (text[i] === "e" || text[i] === "E") {
    i++;
    if (text[i] === "+" || text[i] === "-") i++;
    if (!isDigit(text.charAt(i))) return unexpected(text, i, "in exponent of numeric literal");
    i = skipDigits(text, i);
  }
  return { type: "number", at, end: i };
}

function skipDigits(text: string, i: number): number {
  while (isDigit(text.charAt(i))) i++;
  return i;
}
