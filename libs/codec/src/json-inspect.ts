import { pathText } from "@orch/schema/decode.js";
import type { Floats } from "@orch/schema/floats.js";
import { readJson } from "@orch/status/read-json.js";
import { type JsonToken, shownChar, tokenAt } from "./json-token.js";
import { createMending } from "./number-mending.js";
import { createRepeatedKeys } from "./repeated-keys.js";

/**
 * The slow, exact reading of a JSON text: finds its first mistake, the paths of repeated keys, and numbers that would lose
 * digits. It runs only if the fast path found something wrong. One walk, no recursion.
 */
export interface Inspection {
  /** `invalid character 'b' looking for beginning of object key string`; absent in a sound text. */
  readonly problem?: string;
  readonly duplicates: readonly string[];
  /** The tree with its integers exact. */
  readonly value: unknown;
  readonly floats: Floats | undefined;
}

interface Frame {
  /** The keys of an object so far, and whether the last one was reported as repeated; absent in a list. */
  readonly keys: Map<string, boolean> | undefined;
  /** The value at this place in the tree; for a repeated key, the last one. */
  readonly node: unknown;
  key: string;
  index: number;
}

type Expect = "value" | "first item" | "first key" | "key" | "colon" | "comma";

/** `tree` is what JSON.parse made of the text; its rounded integers are corrected. Absent for an invalid text. */
export function inspectJson(text: string, tree?: unknown): Inspection {
  const stack: Frame[] = [];
  const repeated = createRepeatedKeys();
  const mending = createMending(tree);
  const inspected = (): Inspection => ({
    duplicates: repeated.paths(),
    value: mending.tree(),
    floats: mending.floats(),
  });
  const failed = (problem: string): Inspection => ({ ...inspected(), problem });
  let expect: Expect = "value";
  let at = 0;
  for (;;) {
    const token = tokenAt(text, at);
    if (token.type === "problem") return failed(token.text ?? misplaced(text, token.at, wanted(expect, stack)));
    const top = stack.at(-1);
    if (token.type === "end") {
      if (top === undefined && expect === "comma") return inspected();
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
        const told = top.keys.get(top.key);
        if (told === false) repeated.add(() => pathOf(stack));
        top.keys.set(top.key, told !== undefined);
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
      const node = top === undefined ? tree : mending.at(top.node, stepOf(top));
      stack.push({ keys: isObject ? new Map() : undefined, node, key: "", index: 0 });
      expect = isObject ? "first key" : "first item";
    } else {
      if (token.type === "number") {
        const lost = mending.number(text.slice(token.at, token.end), top?.node, top && stepOf(top));
        if (lost !== undefined) return failed(stack.length === 0 ? lost : `${lost} (${pathOf(stack)})`);
      }
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
  return raw.includes("\\") ? String(readJson(`"${raw}"`)) : raw;
}

const stepOf = ({ keys, key, index }: Frame): string | number => (keys === undefined ? index : key);

function pathOf(stack: readonly Frame[]): string {
  return pathText(stack.map((frame) => (frame.keys === undefined ? frame.index : frame.key)));
}
