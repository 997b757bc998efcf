import { nextTokens, type RuleName, type State } from "./network.js";
import type { TokenKind } from "./tokens.js";

export type Expected = ReadonlySet<TokenKind>;

/** A rule that is being read. */
export interface Call {
  readonly rule: RuleName;
  /** The state of the call and where it returns to. */
  readonly from: State | undefined;
  readonly returns: State | undefined;
  readonly below: Call | undefined;
}

/** What may come at a state, and after the rules that may end there. */
export function expectedAt(state: State | undefined, calls: Call | undefined): Expected {
  if (state === undefined) return new Set();
  let next = nextTokens(state);
  const expected = new Set(next.tokens);
  for (let call = calls; call?.returns !== undefined && next.epsilon; call = call.below) {
    next = nextTokens(call.returns);
    for (const kind of next.tokens) expected.add(kind);
  }
  if (next.epsilon) expected.add("EOF");
  return expected;
}

/** What any of the open rules goes on with. */
export function recoverySet(calls: Call | undefined): Expected {
  const set = new Set<TokenKind>();
  for (let call = calls; call?.returns !== undefined; call = call.below) {
    for (const kind of nextTokens(call.returns).tokens) set.add(kind);
  }
  return set;
}
