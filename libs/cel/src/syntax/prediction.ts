import { followers, ruleOfStop, rules, type State } from "./network.js";
import type { Token } from "./tokens.js";

/** The states to which the calls around a decision return, the innermost first. */
export type Stack = { readonly state: State; readonly below: Stack | undefined };

interface Config {
  readonly state: State;
  readonly alternative: number;
  readonly stack: Stack | undefined;
  /** Whether the rule of the decision was left. */
  readonly outside: boolean;
}

export interface Decision {
  /** Where each alternative begins, the first one first. */
  readonly starts: readonly State[];
  readonly tokens: readonly Token[];
  /** Index of the token to decide at. */
  readonly at: number;
  readonly precedence: number;
  /** The states around, for what the rule itself does not decide. */
  readonly stack: Stack | undefined;
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
  const loose = run(decision, undefined, false);
  if (loose !== "conflict") return loose;
  const exact = run(decision, decision.stack, true);
  return exact === "conflict" ? { alternative: 1 } : exact;
}

function run(decision: Decision, stack: Stack | undefined, exact: boolean): Prediction | "conflict" {
  const { tokens, starts, precedence } = decision;
  let configs = closure(
    starts.map((state, i) => ({ state, alternative: i + 1, stack, outside: false })),
    { exact, precedence },
  );
  let at = decision.at;
  for (;;) {
    const only = single(configs);
    if (only !== undefined) return { alternative: only };
    const token = tokens[at];
    if (token === undefined) return finished(configs) ?? { failed: at - 1 };
    const moved = move(configs, token);
    if (moved.length === 0) return finished(configs) ?? { failed: at };
    const next = closure(moved, { exact, precedence: undefined });
    const one = single(next);
    if (one !== undefined) return { alternative: one };
    const same = conflicting(next);
    if (same !== undefined) return exact ? { alternative: same } : "conflict";
    if (token.kind === "EOF") return exact ? { alternative: lowest(next) } : "conflict";
    configs = next;
    at += 1;
  }
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

function move(configs: readonly Config[], token: Token): readonly Config[] {
  const moved: Config[] = [];
  for (const config of configs) {
    if (config.state.kind === "stop" && token.kind === "EOF") moved.push(config);
    for (const edge of config.state.edges) {
      if (edge.kind === "tokens" && edge.tokens.has(token.kind)) moved.push({ ...config, state: edge.to });
    }
  }
  return moved;
}

/** If every place is reached by the same alternatives, more tokens tell nothing: the first of them. */
function conflicting(configs: readonly Config[]): number | undefined {
  const places = new Map<string, Set<number>>();
  for (const config of configs) {
    const key = placeOf(config);
    const known = places.get(key) ?? new Set();
    known.add(config.alternative);
    places.set(key, known);
  }
  const sets = [...places.values()];
  return sets.every((set) => set.size > 1) ? Math.min(...sets.flatMap((set) => [...set])) : undefined;
}

function placeOf({ state, stack }: Config): string {
  let key = String(state.id);
  for (let s = stack; s !== undefined; s = s.below) key += `,${s.state.id}`;
  return key;
}

interface ClosureOptions {
  readonly exact: boolean;
  /** Of the rule of the decision; undefined once a token was read. */
  readonly precedence: number | undefined;
}

function closure(configs: readonly Config[], options: ClosureOptions): readonly Config[] {
  const found = new Map<string, Config>();
  const visit = (config: Config, depth: number): void => {
    const key = `${config.alternative}|${config.outside}|${placeOf(config)}`;
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
        visit({ ...config, state: first, stack: { state: edge.to, below: config.stack } }, depth + 1);
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
  const { stack } = config;
  if (stack !== undefined) {
    visit({ ...config, state: stack.state, stack: stack.below });
    return;
  }
  if (exact) return;
  const rule = ruleOfStop.get(config.state);
  for (const state of (rule && followers.get(rule)) ?? []) visit({ ...config, state, outside: true });
}
