import { followers, operatorChoices, ruleOfStop, rules, type State } from "./network.js";
import type { Token, TokenKind } from "./tokens.js";

/** A stack that is one and the same value wherever it comes up in one look-ahead: its number tells it from others. */
class Known {
  private readonly pushed = new Map<number, Known>();
  private constructor(
    private readonly numbers: { last: number },
    readonly number: number,
    readonly state: State | undefined,
    readonly below: Known | undefined,
  ) {}
  static empty(): Known {
    return new Known({ last: 0 }, 0, undefined, undefined);
  }
  push(state: State): Known {
    const known = this.pushed.get(state.id);
    if (known !== undefined) return known;
    this.numbers.last += 1;
    const made = new Known(this.numbers, this.numbers.last, state, this);
    this.pushed.set(state.id, made);
    return made;
  }
}

interface Config {
  readonly state: State;
  readonly alternative: number;
  readonly stack: Known;
  /** Whether the rule of the decision was left. */
  readonly outside: boolean;
  /** Whether it was left to where it was called without a precedence. */
  readonly outermost: boolean;
}

export interface Decision {
  /** Where each alternative begins, the first one first. */
  readonly starts: readonly State[];
  readonly tokens: readonly Token[];
  /** Index of the token to decide at. */
  readonly at: number;
  readonly precedence: number;
  /** The states to which the calls around return, the innermost first: for what the rule itself does not decide. */
  readonly stack: () => readonly State[];
}

export type Prediction =
  | { readonly alternative: number }
  /** No alternative goes on with the token of the index. */
  | { readonly failed: number };

/**
 * Chooses an alternative by looking ahead as far as is needed: first whatever is around the rule, then, if that leaves
 * several, with the calls that are open. Of alternatives that read the same, the first is taken.
 */
export function predict(decision: Decision): Prediction {
  const loose = lookLoosely(decision);
  if (loose !== "conflict") return loose;
  const exact = lookExactly(decision);
  return exact === "conflict" ? { alternative: 1 } : exact;
}

type Outcome = Prediction | "conflict";

/** What is known after some tokens: the answer, or where each alternative may stand. */
interface Position {
  readonly answer: Outcome | undefined;
  readonly configs: readonly Config[];
}

function lookExactly(decision: Decision): Outcome {
  const stack = decision.stack().reduceRight((below, state) => below.push(state), Known.empty());
  let position = begin(decision, stack, true);
  for (let at = decision.at; ; at++) {
    if (position.answer !== undefined) return position.answer;
    const kind = decision.tokens[at]?.kind;
    const next = kind === undefined ? undefined : advance(position, kind, true);
    if (next === undefined) return finished(position.configs) ?? { failed: kind === undefined ? at - 1 : at };
    position = next;
  }
}

/**
 * Without the calls around, what follows some tokens depends on them alone: each position is worked out once and kept, as
 * long as there are not too many.
 */
interface Visited extends Position {
  /** By the kind of the next token; none: nothing goes on with it. */
  readonly next: Map<TokenKind, Visited | undefined>;
}

interface Memory {
  readonly empty: Known;
  /** By where the alternatives begin, and the precedence. */
  readonly begun: Map<number, Visited>;
  readonly positions: Map<string, Visited>;
}

const mostPositions = 2000;
const createMemory = (): Memory => ({ empty: Known.empty(), begun: new Map(), positions: new Map() });
let memory = createMemory();

function lookLoosely(decision: Decision): Outcome {
  const { tokens } = decision;
  if (memory.positions.size + memory.begun.size > mostPositions) memory = createMemory();
  // What was begun with is gone on with.
  const known = memory;
  let position = firstOf(known, decision);
  for (let at = decision.at; ; at++) {
    if (position.answer !== undefined) return position.answer;
    const kind = tokens[at]?.kind;
    const next: Visited | undefined = kind === undefined ? undefined : follow(known, position, kind);
    if (next === undefined) return finished(position.configs) ?? { failed: kind === undefined ? at - 1 : at };
    position = next;
  }
}

function firstOf({ begun, empty }: Memory, decision: Decision): Visited {
  // No two decisions begin with the same two states.
  const [first, second] = decision.starts;
  const key = (decision.precedence * stateCount + (first?.id ?? 0)) * stateCount + (second?.id ?? 0);
  const known = begun.get(key) ?? { ...begin(decision, empty, false), next: new Map() };
  begun.set(key, known);
  return known;
}

function follow({ positions }: Memory, position: Visited, kind: TokenKind): Visited | undefined {
  const { next } = position;
  if (next.has(kind)) return next.get(kind);
  const made = advance(position, kind, false);
  const key = made && `${String(made.answer !== undefined)}${made.configs.map(numberOf).sort().join()}`;
  let visited = key === undefined ? undefined : positions.get(key);
  if (made !== undefined && key !== undefined && visited === undefined) {
    visited = { ...made, next: new Map() };
    positions.set(key, visited);
  }
  next.set(kind, visited);
  return visited;
}

function begin({ starts, precedence }: Decision, stack: Known, exact: boolean): Position {
  const first = starts.map((state, i) => ({ state, alternative: i + 1, stack, outside: false, outermost: false }));
  const configs = inLoop(starts, closure(first, { exact, precedence }));
  const only = single(configs);
  return { configs, answer: only === undefined ? undefined : { alternative: only } };
}

/** Of a loop over operators, what going on and leaving have in common is what going on does. */
function inLoop([first]: readonly State[], configs: readonly Config[]): readonly Config[] {
  if (first === undefined || !operatorChoices.has(first)) return configs;
  const placeOf = ({ stack, state }: Config): number => stack.number * stateCount + state.id;
  const inside = new Set(configs.filter((c) => c.alternative === 1).map(placeOf));
  return configs.filter((c) => c.alternative === 1 || c.outermost || !inside.has(placeOf(c)));
}

/** Undefined where no alternative goes on with the token. */
function advance({ configs }: Position, kind: TokenKind, exact: boolean): Position | undefined {
  const moved = move(configs, kind);
  if (moved.length === 0) return undefined;
  const next = closure(moved, { exact, precedence: undefined });
  return { configs: next, answer: answerOf(next, kind, exact) };
}

function answerOf(configs: readonly Config[], kind: TokenKind, exact: boolean): Outcome | undefined {
  const one = single(configs);
  if (one !== undefined) return { alternative: one };
  const same = conflicting(configs);
  if (same !== undefined) return exact ? { alternative: same } : "conflict";
  if (kind === "EOF") return exact ? { alternative: lowest(configs) } : "conflict";
  return undefined;
}

function single(configs: readonly Config[]): number | undefined {
  const [first] = configs;
  if (first === undefined) return undefined;
  return configs.every((c) => c.alternative === first.alternative) ? first.alternative : undefined;
}

function lowest(configs: readonly Config[]): number {
  return Math.min(...configs.map((c) => c.alternative));
}

/** The first alternative with which the decision's rule was read to its end before the token that did not fit. */
function finished(configs: readonly Config[]): Prediction | undefined {
  const ended = configs.filter((c) => c.outside || c.state.kind === "stop");
  return ended.length === 0 ? undefined : { alternative: lowest(ended) };
}

function move(configs: readonly Config[], kind: TokenKind): readonly Config[] {
  const moved: Config[] = [];
  for (const config of configs) {
    if (config.state.kind === "stop" && kind === "EOF") moved.push(config);
    for (const edge of config.state.edges) {
      if (edge.kind === "tokens" && edge.tokens.has(kind)) moved.push({ ...config, state: edge.to });
    }
  }
  return moved;
}

/** If every place is reached by the same alternatives, more tokens tell nothing: the first of them. */
function conflicting(configs: readonly Config[]): number | undefined {
  const places = new Map<number, Set<number>>();
  for (const config of configs) {
    const place = config.stack.number * stateCount + config.state.id;
    const known = places.get(place);
    if (known === undefined) places.set(place, new Set([config.alternative]));
    else known.add(config.alternative);
  }
  const sets = [...places.values()];
  return sets.every((set) => set.size > 1) ? Math.min(...sets.flatMap((set) => [...set])) : undefined;
}

/** Above the numbers of all states and of all alternatives. */
const stateCount = 4096;
const alternativeCount = 64;

/** Tells configurations of one look-ahead apart. */
function numberOf({ state, alternative, stack, outside, outermost }: Config): number {
  const flags = (outside ? 1 : 0) + (outermost ? 2 : 0);
  return ((stack.number * stateCount + state.id) * alternativeCount + alternative) * 4 + flags;
}

interface ClosureOptions {
  readonly exact: boolean;
  /** Of the rule of the decision; undefined once a token was read. */
  readonly precedence: number | undefined;
}

function closure(configs: readonly Config[], options: ClosureOptions): readonly Config[] {
  const found = new Map<number, Config>();
  const visit = (config: Config, depth: number): void => {
    const key = numberOf(config);
    if (found.has(key)) return;
    found.set(key, config);
    if (config.state.kind === "stop") {
      leave(config, options.exact, (next) => visit(next, depth - 1));
      return;
    }
    for (const edge of config.state.edges) {
      if (edge.kind === "epsilon") visit({ ...config, state: edge.to }, depth);
      else if (edge.kind === "rule") {
        const first = rules.get(edge.rule)?.first ?? edge.to;
        visit({ ...config, state: first, stack: config.stack.push(edge.to) }, depth + 1);
      } else if (edge.kind === "precedence" && passes(edge.precedence, depth, options)) {
        visit({ ...config, state: edge.to }, depth);
      }
    }
  };
  for (const config of configs) visit(config, 0);
  return [...found.values()].filter(
    ({ state }) => state.kind === "stop" || state.edges.some((edge) => edge.kind === "tokens"),
  );
}

/** Precedence counts where the decision is made; inside of other calls every operator may come. */
function passes(precedence: number, depth: number, options: ClosureOptions): boolean {
  return options.precedence === undefined || depth !== 0 || precedence >= options.precedence;
}

function leave(config: Config, exact: boolean, visit: (config: Config) => void): void {
  const { state, below } = config.stack;
  if (state !== undefined && below !== undefined) {
    visit({ ...config, state, stack: below });
    return;
  }
  if (exact) return;
  const rule = ruleOfStop.get(config.state);
  for (const { state, outermost } of (rule && followers.get(rule)) ?? []) {
    visit({ ...config, state, outside: true, outermost: config.outermost || outermost });
  }
}
