import { maxDuplicates } from "./decoded.js";
import { type JsonToken, shownChar, tokenAt } from "./json-token.js";
import { outOfRange, rounded } from "./number-loss.js";

/**
 * The slow, exact look at a JSON text: names its first mistake, the paths of repeated keys, and numbers that
 * would not survive. Runs only where the fast path found something amiss. One walk, no recursion.
 */
export interface Inspection {
  /** `invalid character 'b' looking for beginning of object key string`; absent in a sound text. */
  readonly problem?: string;
  readonly duplicates: readonly string[];
}

interface Frame {
  /** Keys seen, in an object; absent in a list. */
  readonly keys: Set<string> | undefined;
  key: string;
  index: number;
}

type Expect = "value" | "first item" | "first key" | "key" | "colon" | "comma";

export function inspectJson(text: string): Inspection {
  const stack: Frame[] = [];
  const duplicates = new Set<string>();
  const failed = (problem: string): Inspection => ({ problem, duplicates: [...duplicates] });
  let expect: Expect = "value";
  let at = 0;
  for (;;) {
    const token = tokenAt(text, at);
    if (token.type === "problem") return failed(token.text ?? misplaced(text, token.at, wanted(expect, stack)));
    const top = stack.at(-1);
    if (token.type === "end") {
      if (top === undefined && expect === "comma") return { duplicates: [...duplicates] };
      return failed("unexpected end of JSON input");
    }
    if (!fits(token, expect, top)) return failed(misplaced(text, token.at, wanted(expect, stack)));
    at = token.end;
    if (expect === "first key" || expect === "key") {
      if (token.type === "close") {
        stack.pop();
        expect = "comma";
      } else if (top?.keys !== undefined) {
        top.key = stringValue(text, token.at, token.end);
        if (top.keys.has(top.key) && duplicates.size < maxDuplicates) duplicates.add(pathOf(stack));
        top.keys.add(top.key);
        expect = "colon";
      }
    } else if (token.type === "close") {
      stack.pop();
      expect = "comma";
    } else if (expect === "colon") {
      expect = "value";
    } else if (expect === "comma") {
      if (top !== undefined) top.index++;
      expect = top?.keys === undefined ? "value" : "key";
    } else if (token.type === "open") {
      const isObject = token.char === "{";
      stack.push({ keys: isObject ? new Set() : undefined, key: "", index: 0 });
      expect = isObject ? "first key" : "first item";
    } else {
      const lost = token.type === "number" ? lossOf(text.slice(token.at, token.end)) : undefined;
      if (lost !== undefined) return failed(stack.length === 0 ? lost : `${lost} (${pathOf(stack)})`);
      expect = "comma";
    }
  }
}

function fits(token: JsonToken, expect: Expect, top: Frame | undefined): boolean {
  const closes = token.type === "close" && top !== undefined && (token.char === "}") === (top.keys !== undefined);
  switch (expect) {
    case "value":
      return token.type === "string" || token.type === "number" || token.type === "literal" || token.type === "open";
    case "first item":
      return closes || fits(token, "value", top);
    case "first key":
      return closes || token.type === "string";
    case "key":
      return token.type === "string";
    case "colon":
      return token.type === "colon";
    case "comma":
      return closes || (token.type === "comma" && top !== undefined);
  }
}

function wanted(expect: Expect, stack: readonly Frame[]): string {
  switch (expect) {
    case "value":
    case "first item":
      return "looking for beginning of value";
    case "first key":
    case "key":
      return "looking for beginning of object key string";
    case "colon":
      return "after object key";
    case "comma": {
      const top = stack.at(-1);
      if (top === undefined) return "after top-level value";
      return top.keys === undefined ? "after array element" : "after object key:value pair";
    }
  }
}

function misplaced(text: string, at: number, where: string): string {
  return `invalid character ${shownChar(text, at)} ${where}`;
}

/** A key or string as its value: `"a\u0062"` → `ab`. */
function stringValue(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end - 1);
  return raw.includes("\\") ? String(JSON.parse(`"${raw}"`)) : raw;
}

/** Why a JSON number can not be kept exactly; undefined where it can. */
function lossOf(number: string): string | undefined {
  const value = Number(number);
  if (!Number.isFinite(value)) return outOfRange(number);
  return /^-?\d+$/.test(number) && !Number.isSafeInteger(value) ? rounded(number) : undefined;
}

function pathOf(stack: readonly Frame[]): string {
  let path = "";
  for (const frame of stack) {
    if (frame.keys === undefined) path += `[${frame.index}]`;
    else path += path === "" ? frame.key : `.${frame.key}`;
  }
  return path;
}
