import { Abandoned } from "./builder.js";
import { type Call, type Expected, expectedAt, recoverySet } from "./expectations.js";
import { nextTokens, type Part, type RuleName, rules, type Sequence, type State, tokenOrder } from "./network.js";
import { predict } from "./prediction.js";
import { listed, noAlternative, shown } from "./recovery-texts.js";
import { type Issue, type Location, locate, nowhere } from "./source.js";
import type { Token, Tokens } from "./tokens.js";

/** A part of a text as the grammar reads it: what a label of the rule stands for. Errors leave labels empty. */
export interface Tree {
  readonly rule: RuleName;
  /** Of a rule with a choice, from 1; 0 where none was made. */
  alternative: number;
  readonly first: Token;
  /** By their labels; undefined while there are none: most parts only pass on what is below them. */
  tokens: Map<string, Token[]> | undefined;
  trees: Map<string, Tree[]> | undefined;
  /** What a rule that begins with itself extends. */
  readonly left: Tree | undefined;
}

export interface Recovered {
  readonly tree: Tree;
  readonly issues: readonly Issue[];
}

const recoveryLimit = 30;
const issueLimit = 100;
const depthLimit = 250;
const consumeLimit = 256;

type ParseError =
  | { readonly kind: "mismatch"; readonly expected: Expected }
  | { readonly kind: "noAlternative"; readonly from: number; readonly at: number };

/**
 * Reads tokens that make no expression as the reference's generated parser does: each error is told once, a token is
 * passed over or thought of where that mends it, and else tokens are skipped to one that some open rule goes on with.
 *
 * @throws Abandoned with all errors, at a limit of the reference
 */
export function recoverTree(text: string, { list, errors }: Tokens): Recovered {
  const issues: Issue[] = [];
  const depths = new Map<RuleName, number>();
  let at = 0;
  let state: State | undefined;
  let calls: Call | undefined;
  let recovering = false;
  let attempts = 0;
  let lastIndex = -1;
  let lastStates = new Set<State>();
  let failure: ParseError | undefined;
  const precedences: number[] = [0];

  const end = list[list.length - 1] ?? { kind: "EOF", text: "<EOF>", start: text.length };
  const look = (ahead = 1): Token => list[Math.min(at + ahead - 1, list.length - 1)] ?? end;
  const consume = (): void => {
    if (look().kind !== "EOF") at += 1;
  };

  const notify = (token: Token, message: string): void => {
    if (issues.length >= issueLimit) {
      const more = { at: placeOf(text, token.start), message: `Syntax error: More than ${issueLimit} syntax errors` };
      throw new Abandoned([...issues, more]);
    }
    issues.push({ at: placeOf(text, token.start), message: `Syntax error: ${message}` });
  };
  for (const error of errors) {
    const token: Token = { kind: "EOF", text: "", start: error.offset };
    notify(token, `token recognition error at: '${error.text}'`);
  }

  const expectedHere = (): Expected => expectedAt(state, calls);

  const reportOnce = (token: Token, message: () => string): void => {
    if (recovering) return;
    recovering = true;
    notify(token, message());
  };
  const reportUnwanted = (): void =>
    reportOnce(look(), () => `extraneous input ${shown(look())} expecting ${listed(expectedHere())}`);
  const matched = (): void => {
    recovering = false;
    lastStates = new Set();
    lastIndex = -1;
  };

  const countAttempt = (): void => {
    if (attempts === recoveryLimit) {
      notify(look(), `error recovery attempt limit exceeded: ${recoveryLimit}`);
      throw new Abandoned(issues);
    }
    attempts += 1;
  };

  /** Passes over a token if the one behind it fits. */
  const deleteToken = (): Token | undefined => {
    if (!expectedHere().has(look(2).kind)) return undefined;
    reportUnwanted();
    consume();
    matched();
    return look();
  };

  const recoverInline = (): Token | undefined => {
    countAttempt();
    const fitting = deleteToken();
    if (fitting !== undefined) {
      consume();
      return fitting;
    }
    const next = state?.edges[0]?.to;
    if (next !== undefined && expectedAt(next, calls).has(look().kind)) {
      const expected = expectedHere();
      reportOnce(look(), () => `missing ${listed(expected)} at ${shown(look())}`);
      const kind = tokenOrder.find((k) => expected.has(k)) ?? "EOF";
      return { kind, text: `<missing ${kind}>`, start: look().start };
    }
    failure = { kind: "mismatch", expected: expectedHere() };
    return undefined;
  };

  const consumeUntil = (set: Expected): void => {
    let count = 0;
    while (look().kind !== "EOF" && !set.has(look().kind)) {
      if (count >= consumeLimit) {
        throw new Abandoned([
          ...issues,
          { at: nowhere, message: `error recovery token lookahead limit exceeded: ${consumeLimit}` },
        ]);
      }
      count += 1;
      consume();
    }
  };

  const sync = (s: State): void => {
    state = s;
    if (recovering) return;
    const next = nextTokens(s);
    if (next.epsilon || next.tokens.has(look().kind)) return;
    if (s.kind === "starBack" || s.kind === "plusBack") {
      reportUnwanted();
      consumeUntil(new Set([...expectedHere(), ...recoverySet(calls)]));
      return;
    }
    if (s.kind === "basic" || s.kind === "stop" || deleteToken() !== undefined) return;
    failure = { kind: "mismatch", expected: expectedHere() };
  };

  const stackOf = (innermost: Call | undefined): readonly State[] => {
    const states: State[] = [];
    for (let call = innermost; call?.returns !== undefined; call = call.below) states.push(call.returns);
    return states;
  };

  /** The alternative to take, 0 where there is none. What a look ahead finds replaces an error found before it. */
  const decide = (starts: readonly State[]): number => {
    const found = predict({
      starts,
      tokens: list,
      at,
      precedence: precedences[precedences.length - 1] ?? 0,
      stack: () => stackOf(calls),
    });
    failure = "failed" in found ? { kind: "noAlternative", from: at, at: found.failed } : undefined;
    return "failed" in found ? 0 : found.alternative;
  };

  /** The text without the characters that no token took. */
  const readBetween = (start: number, end: number): string => {
    let out = "";
    let kept = start;
    for (const { offset, text: lost } of errors) {
      if (offset < start || offset >= end) continue;
      out += text.slice(kept, offset);
      kept = offset + lost.length;
    }
    return out + text.slice(kept, end);
  };

  const report = (error: ParseError): void => {
    if (error.kind === "mismatch") {
      reportOnce(look(), () => `mismatched input ${shown(look())} expecting ${listed(error.expected)}`);
      return;
    }
    const from = list[error.from] ?? end;
    const offending = list[error.at] ?? end;
    const until = offending.kind === "EOF" ? text.length : offending.start + offending.text.length;
    const input = from.kind === "EOF" ? "<EOF>" : readBetween(from.start, until);
    reportOnce(offending, () => noAlternative(input));
  };

  const recover = (): void => {
    countAttempt();
    if (lastIndex === at && state !== undefined && lastStates.has(state)) consume();
    lastIndex = at;
    if (state !== undefined) lastStates.add(state);
    consumeUntil(recoverySet(calls));
  };

  const match = (part: Part & { readonly kind: "token" }, into: Tree): boolean => {
    state = part.state;
    const token = look();
    if (part.tokens.includes(token.kind)) {
      matched();
      consume();
      keepToken(into, part.label, token);
      return true;
    }
    const found = recoverInline();
    if (found === undefined) return false;
    keepToken(into, part.label, found);
    return true;
  };

  const entered = (body: Sequence, looks: "one" | "far", exit: State): boolean | undefined => {
    if (looks === "one") return failure === undefined ? nextTokens(body.first).tokens.has(look().kind) : undefined;
    const alternative = decide([body.first, exit]);
    return failure === undefined ? alternative === 1 : undefined;
  };

  const runLoop = (part: Part & { readonly kind: "star" | "plus" }, into: Tree): boolean => {
    sync(part.state);
    if (failure !== undefined) return false;
    let again: boolean | undefined = part.kind === "plus" ? true : entered(part.body, part.looks, exitOf(part.state));
    while (again === true) {
      if (!runSequence(part.body, into)) return false;
      sync(part.back);
      if (part.looks === "one" && failure !== undefined) return false;
      again = entered(part.body, part.looks, exitOf(part.kind === "plus" ? part.back : part.state));
    }
    return again === false;
  };

  const runPart = (part: Part, into: Tree): boolean => {
    switch (part.kind) {
      case "token":
        return match(part, into);
      case "call": {
        state = part.state;
        const below = runRule(part.rule, part);
        into.trees ??= new Map();
        keep(into.trees, part.label, below);
        return true;
      }
      case "optional": {
        sync(part.state);
        const inside = entered(part.body, part.looks, exitOf(part.state));
        if (inside === undefined) return false;
        return !inside || runSequence(part.body, into);
      }
      case "choice": {
        sync(part.state);
        if (failure !== undefined) return false;
        const alternative = decide(part.alternatives.map((body) => body.first));
        into.alternative = alternative;
        const body = part.alternatives[alternative - 1];
        return body !== undefined && runSequence(body, into);
      }
      case "extend":
        return true;
      default:
        return runLoop(part, into);
    }
  };

  const runSequence = (body: Sequence, into: Tree): boolean => {
    for (const part of body.parts) if (!runPart(part, into)) return false;
    return true;
  };

  const plant = (rule: RuleName, left?: Tree): Tree => ({
    rule,
    alternative: 0,
    first: left?.first ?? look(),
    tokens: undefined,
    trees: undefined,
    left,
  });

  /** Reads what extends `tree` as often as there is more of it; gives the whole, and whether it ended without an error. */
  const runExtensions = (part: Part & { readonly kind: "extend" }, start: Tree): { tree: Tree; ok: boolean } => {
    let tree = start;
    sync(part.state);
    if (failure !== undefined) return { tree, ok: false };
    const starts = [part.choice, exitOf(part.state)];
    let alternative = decide(starts);
    while (failure === undefined && alternative === 1) {
      let tail = part.tails[0];
      let number = 1;
      if (part.tails.length > 1) {
        sync(part.choice);
        if (failure !== undefined) return { tree, ok: false };
        number = decide(part.choice.edges.map((edge) => edge.to));
        tail = part.tails[number - 1];
      }
      if (tail === undefined || failure !== undefined) return { tree, ok: false };
      tree = plant(start.rule, tree);
      tree.alternative = number;
      if (!runSequence(tail.body, tree)) return { tree, ok: false };
      sync(part.back);
      if (failure !== undefined) return { tree, ok: false };
      alternative = decide(starts);
    }
    return { tree, ok: failure === undefined };
  };

  const runRule = (name: RuleName, from?: Part & { readonly kind: "call" }): Tree => {
    const rule = rules.get(name);
    const outer = calls;
    calls = { rule: name, from: from?.state, returns: from?.state.edges[0]?.to, below: outer };
    const depth = (depths.get(name) ?? 0) + 1;
    depths.set(name, depth);
    if (depth > depthLimit) throw tooDeep(issues);
    precedences.push(from?.precedence ?? 0);
    let tree = plant(name);
    let ok = true;
    for (const part of rule?.body.parts ?? []) {
      if (!ok) break;
      if (part.kind === "extend") {
        const extended = runExtensions(part, tree);
        tree = extended.tree;
        ok = extended.ok;
      } else ok = runPart(part, tree);
    }
    if (failure !== undefined) {
      report(failure);
      recover();
      failure = undefined;
    }
    precedences.pop();
    depths.set(name, depth - 1);
    state = from?.state;
    calls = outer;
    return tree;
  };

  return { tree: withinStack(() => runRule("start"), issues), issues };
}

/** Texts that nest deep without ever closing take more of the stack than there may be. @throws Abandoned */
function withinStack(read: () => Tree, issues: readonly Issue[]): Tree {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof RangeError) throw tooDeep(issues);
    throw thrown;
  }
}

function tooDeep(issues: readonly Issue[]): Abandoned {
  return new Abandoned([...issues, { at: nowhere, message: `expression recursion limit exceeded: ${depthLimit}` }]);
}

/** Of an empty text the reference tells the column before the first. */
function placeOf(text: string, offset: number): Location {
  return text === "" ? { line: 1, column: -1 } : locate(text, offset);
}

function keepToken(into: Tree, label: string, token: Token): void {
  into.tokens ??= new Map();
  keep(into.tokens, label, token);
}

function keep<T>(into: Map<string, T[]>, label: string, value: T): void {
  const known = into.get(label);
  if (known === undefined) into.set(label, [value]);
  else known.push(value);
}

/** Where a decision goes on without its body: the last of its edges. */
function exitOf(decision: State): State {
  return decision.edges[decision.edges.length - 1]?.to ?? decision;
}
