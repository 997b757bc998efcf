import { isUtf8 } from "node:buffer";
import { jsonText } from "@orch/status/json-text.js";
import { Composer, type CST, type Document, isScalar, Lexer, LineCounter, Parser, Scalar } from "yaml";
import { type Decoded, maxDepth, noDuplicates, unreadable } from "../decoded.js";
import { parseJson } from "../json.js";
import { blockYaml } from "../rewrite/block-yaml.js";
import { rewritten } from "../rewrite/rewriter.js";
import { toTree } from "./tree.js";

/** How many constructs the parser may hold open at once; a map in a list opens two. */
const maxParserStack = 2 * maxDepth;

/**
 * The library takes some 2 to 10 µs a token, so that a full body of tokens would hold the process for seconds. An
 * object small enough to be stored has fewer than this unless it was made to have more; JSON has no such limit.
 */
const maxTokens = 300_000;

type Composed =
  | { readonly document: Document.Parsed; readonly lineOf: (offset: number) => number }
  | { readonly problem: string };

/**
 * Reads one YAML document as the reference's clients do: see {@link toTree} and `yaml-scalar.ts` for the
 * dialect. JSON, which is YAML too, takes the fast path of {@link parseJson}. Several documents, unknown tags,
 * deep nesting and aliases that multiply the text are refused; repeated keys are named.
 */
export function parseYaml(bytes: Buffer): Decoded {
  if (!isUtf8(bytes)) return unreadable("yaml", "yaml: invalid UTF-8 in body", bytes);
  if (looksLikeJson(bytes)) {
    const read = parseJson(bytes);
    // YAML does not distinguish a whole float from an integer, and neither does the reference. It names repeated keys by line.
    if (read.ok && read.duplicates.length === 0) return { ...readPlainly, value: read.value };
  }
  const composed = compose(bytes.toString("utf8"));
  if ("problem" in composed) return unreadable("yaml", `yaml: ${composed.problem}`, bytes);
  const { document, lineOf } = composed;
  const tree = toTree(document.contents, lineOf);
  return tree.ok ? tree : unreadable("yaml", `yaml: ${tree.problem}`, bytes);
}

const readPlainly = { ok: true, duplicates: noDuplicates, repeatedLines: [] } as const;

function looksLikeJson(bytes: Buffer): boolean {
  const first = bytes.find((byte) => byte > 0x20);
  return first === 0x7b || first === 0x5b;
}

function compose(text: string): Composed {
  const lines = new LineCounter();
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  // The parser is driven by hand because its stack must not outgrow the composer's, which recurses.
  lines.addNewLine(0);
  let count = 0;
  let before = "";
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      if (token.type === "error") return { problem: at(lines, token.offset, token.message) };
      tokens.push(token);
    }
    if (parser.stack.length > maxParserStack) return { problem: `exceeded max depth of ${maxDepth}` };
    if (++count > maxTokens) return { problem: `more than ${maxTokens} tokens: send such an object as JSON` };
    // The composer reports every superfluous comma, at 10 µs each.
    if (lexeme === "," && before === ",") return { problem: at(lines, parser.offset, "unexpected ,") };
    if (lexeme.trim() !== "") before = lexeme;
  }
  for (const token of parser.end()) tokens.push(token);
  const composer = new Composer({ schema: "failsafe", version: "1.1", uniqueKeys: false, lineCounter: lines });
  let first: Document.Parsed | undefined;
  for (const document of composer.compose(tokens, true, text.length)) {
    const error = document.errors[0];
    if (error !== undefined) {
      return { problem: at(lines, error.pos[0], error.message) };
    }
    if (isEmpty(document.contents)) continue;
    if (first !== undefined) return { problem: "more than one document in the body" };
    first = document;
  }
  return first === undefined
    ? { problem: "the body holds no document" }
    : { document: first, lineOf: (o) => lines.linePos(o).line };
}

/** An empty document, without even an empty string in quotes. */
const isEmpty = (node: unknown): boolean =>
  node === null || (isScalar(node) && node.source === "" && node.type === Scalar.PLAIN);

/** `line 3: …`: the library's message without the excerpt of the text that follows its first line. */
function at(lines: LineCounter, offset: number, message: string): string {
  const plain = (message.split("\n", 1)[0] ?? "").replace(/ at line \d+, column \d+:?$/, "");
  return `line ${lines.linePos(offset).line}: ${plain}`;
}

/** A JSON value as YAML text; strings that a reader of `yaml-scalar.ts` would take for something else are quoted. */
export function printYaml(value: unknown): string {
  return rewritten(blockYaml(), Buffer.from(`${jsonText(value)}\n`)).toString("utf8");
}
