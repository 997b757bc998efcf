import type { TokenKind } from "./tokens.js";

/**
 * The grammar as the network of states that the reference's generated parser walks. Its syntax errors follow from the
 * states: which tokens may come next, and where a rule goes on after one that may not.
 */
export interface State {
  readonly id: number;
  readonly kind: "basic" | "block" | "starEntry" | "starBack" | "plusBlock" | "plusBack" | "stop";
  readonly edges: Edge[];
}

export type Edge =
  | { readonly kind: "epsilon"; readonly to: State }
  | { readonly kind: "tokens"; readonly tokens: ReadonlySet<TokenKind>; readonly to: State }
  | { readonly kind: "rule"; readonly rule: RuleName; readonly precedence: number; readonly to: State }
  /** Passed if the rule was called for a precedence that is not higher. */
  | { readonly kind: "precedence"; readonly precedence: number; readonly to: State };

export type RuleName =
  | "start"
  | "expr"
  | "conditionalOr"
  | "conditionalAnd"
  | "relation"
  | "calc"
  | "unary"
  | "member"
  | "primary"
  | "exprList"
  | "listInit"
  | "fieldInitializerList"
  | "optField"
  | "mapInitializerList"
  | "optExpr"
  | "literal";

/** A part of a rule: what is executed, and the states at which it decides. `label`: where the tree keeps it. */
export type Part =
  | { readonly kind: "token"; readonly state: State; readonly tokens: readonly TokenKind[]; readonly label: string }
  | {
      readonly kind: "call";
      readonly state: State;
      readonly rule: RuleName;
      readonly precedence: number;
      readonly label: string;
    }
  | { readonly kind: "optional"; readonly state: State; readonly body: Sequence; readonly looks: "one" | "far" }
  | {
      readonly kind: "star";
      readonly state: State;
      readonly back: State;
      readonly body: Sequence;
      readonly looks: "one" | "far";
    }
  | {
      readonly kind: "plus";
      readonly state: State;
      readonly back: State;
      readonly body: Sequence;
      readonly looks: "one" | "far";
    }
  | { readonly kind: "choice"; readonly state: State; readonly alternatives: readonly Sequence[] }
  /** What a rule that begins with itself does: `tails` extend what was read, as long as there is one. */
  | {
      readonly kind: "extend";
      readonly state: State;
      readonly back: State;
      readonly choice: State;
      readonly tails: readonly Tail[];
    };

export interface Sequence {
  readonly first: State;
  readonly parts: readonly Part[];
}

export interface Tail {
  readonly precedence: number;
  readonly body: Sequence;
}

export interface Rule {
  readonly name: RuleName;
  readonly first: State;
  readonly stop: State;
  readonly body: Sequence;
}

/** Tokens in the order in which messages list them. */
export const tokenOrder: readonly TokenKind[] =
  "== != in < <= >= > && || [ ] { } ( ) . , - ! ? : + * / % true false null NUM_FLOAT NUM_INT NUM_UINT STRING BYTES IDENTIFIER".split(
    " ",
  ) as TokenKind[];

/** `end`: where the block ends in which the part is the last; a call or a token leads there at once. */
type Maker = (from: State, end?: State) => { readonly part: Part; readonly to: State };

let states = 0;

function state(kind: State["kind"] = "basic"): State {
  states += 1;
  return { id: states, kind, edges: [] };
}

const link = (from: State, to: State): void => {
  from.edges.push({ kind: "epsilon", to });
};

function token(tokens: TokenKind | readonly TokenKind[], label = ""): Maker {
  const list = typeof tokens === "string" ? [tokens] : tokens;
  return (from, to = state()) => {
    from.edges.push({ kind: "tokens", tokens: new Set(list), to });
    return { part: { kind: "token", state: from, tokens: list, label }, to };
  };
}

function call(rule: RuleName, label = "", precedence = 0): Maker {
  return (from, to = state()) => {
    from.edges.push({ kind: "rule", rule, precedence, to });
    return { part: { kind: "call", state: from, rule, precedence, label }, to };
  };
}

/** The parts one after the other, from a state of their own to the given one. */
function sequence(makers: readonly Maker[], end: State): Sequence {
  const first = state();
  let at = first;
  const parts = makers.map((make, i) => {
    const { part, to } = i === makers.length - 1 ? make(at, end) : make(at);
    at = to;
    return part;
  });
  if (at !== end) link(at, end);
  return { first, parts };
}

function optional(makers: readonly Maker[], looks: "one" | "far" = "one"): Maker {
  return (from) => {
    const decision = state("block");
    const end = state();
    link(from, decision);
    const body = sequence(makers, end);
    link(decision, body.first);
    link(decision, end);
    return { part: { kind: "optional", state: decision, body, looks }, to: end };
  };
}

function star(makers: readonly Maker[], looks: "one" | "far" = "one"): Maker {
  return (from) => {
    const entry = state("starEntry");
    const back = state("starBack");
    const end = state();
    link(from, entry);
    const body = sequence(makers, back);
    link(entry, body.first);
    link(entry, end);
    link(back, entry);
    return { part: { kind: "star", state: entry, back, body, looks }, to: end };
  };
}

function plus(makers: readonly Maker[], looks: "one" | "far" = "one"): Maker {
  return (from) => {
    const block = state("plusBlock");
    const back = state("plusBack");
    const end = state();
    link(from, block);
    const body = sequence(makers, back);
    link(block, body.first);
    link(back, block);
    link(back, end);
    return { part: { kind: "plus", state: block, back, body, looks }, to: end };
  };
}

function choice(alternatives: readonly (readonly Maker[])[]): Maker {
  return (from) => {
    const decision = state("block");
    const end = state();
    link(from, decision);
    const made = alternatives.map((makers) => {
      const body = sequence(makers, end);
      link(decision, body.first);
      return body;
    });
    return { part: { kind: "choice", state: decision, alternatives: made }, to: end };
  };
}

function extend(tails: readonly { readonly precedence: number; readonly makers: readonly Maker[] }[]): Maker {
  return (from) => {
    const entry = state("starEntry");
    const back = state("starBack");
    const decision = state("block");
    const end = state();
    link(from, entry);
    link(entry, decision);
    link(entry, end);
    link(back, entry);
    const made = tails.map(({ precedence, makers }) => {
      const gate = state();
      link(decision, gate);
      const body = sequence(makers, back);
      gate.edges.push({ kind: "precedence", precedence, to: body.first });
      return { precedence, body };
    });
    return { part: { kind: "extend", state: entry, back, choice: decision, tails: made }, to: end };
  };
}

function rule(name: RuleName, ...makers: readonly Maker[]): Rule {
  const first = state();
  const stop = state("stop");
  const end = state();
  const body = sequence(makers, end);
  link(first, body.first);
  link(end, stop);
  return { name, first, stop, body };
}

const sign = optional([token("-", "sign")]);
const list = (item: RuleName, looks: "one" | "far"): readonly Maker[] => [
  call(item, "items"),
  star([token(","), call(item, "items")], looks),
];

export const rules: ReadonlyMap<RuleName, Rule> = new Map(
  [
    rule("start", call("expr", "e"), token("EOF")),
    rule(
      "expr",
      call("conditionalOr", "e"),
      optional([token("?", "op"), call("conditionalOr", "e1"), token(":"), call("expr", "e2")]),
    ),
    rule("conditionalOr", call("conditionalAnd", "e"), star([token("||", "ops"), call("conditionalAnd", "e1")])),
    rule("conditionalAnd", call("relation", "e"), star([token("&&", "ops"), call("relation", "e1")])),
    rule(
      "relation",
      call("calc", "e"),
      extend([
        {
          precedence: 1,
          makers: [token(["<", "<=", ">=", ">", "==", "!=", "in"], "op"), call("relation", "right", 2)],
        },
      ]),
    ),
    rule(
      "calc",
      call("unary", "e"),
      extend([
        { precedence: 2, makers: [token(["*", "/", "%"], "op"), call("calc", "right", 3)] },
        { precedence: 1, makers: [token(["+", "-"], "op"), call("calc", "right", 2)] },
      ]),
    ),
    rule(
      "unary",
      choice([
        [call("member", "member")],
        [plus([token("!", "ops")]), call("member", "member")],
        [plus([token("-", "ops")], "far"), call("member", "member")],
      ]),
    ),
    rule(
      "member",
      call("primary", "e"),
      extend([
        { precedence: 3, makers: [token(".", "op"), optional([token("?", "opt")]), token("IDENTIFIER", "id")] },
        {
          precedence: 2,
          makers: [
            token(".", "op"),
            token("IDENTIFIER", "id"),
            token("(", "open"),
            optional([call("exprList", "args")]),
            token(")"),
          ],
        },
        {
          precedence: 1,
          makers: [token("[", "op"), optional([token("?", "opt")]), call("expr", "index"), token("]")],
        },
      ]),
    ),
    rule(
      "primary",
      choice([
        [
          optional([token(".", "leadingDot")]),
          token("IDENTIFIER", "id"),
          optional([token("(", "op"), optional([call("exprList", "args")]), token(")")], "far"),
        ],
        [token("("), call("expr", "e"), token(")")],
        [token("[", "op"), optional([call("listInit", "elems")]), optional([token(",")]), token("]")],
        [token("{", "op"), optional([call("mapInitializerList", "entries")]), optional([token(",")]), token("}")],
        [
          optional([token(".", "leadingDot")]),
          token("IDENTIFIER", "ids"),
          star([token(".", "ops"), token("IDENTIFIER", "ids")]),
          token("{", "op"),
          optional([call("fieldInitializerList", "entries")]),
          optional([token(",")]),
          token("}"),
        ],
        [call("literal", "e")],
      ]),
    ),
    rule("exprList", ...list("expr", "one")),
    rule("listInit", ...list("optExpr", "far")),
    rule(
      "fieldInitializerList",
      call("optField", "fields"),
      token(":", "cols"),
      call("expr", "values"),
      star([token(","), call("optField", "fields"), token(":", "cols"), call("expr", "values")], "far"),
    ),
    rule("optField", optional([token("?", "opt")]), token("IDENTIFIER", "id")),
    rule(
      "mapInitializerList",
      call("optExpr", "keys"),
      token(":", "cols"),
      call("expr", "values"),
      star([token(","), call("optExpr", "keys"), token(":", "cols"), call("expr", "values")], "far"),
    ),
    rule("optExpr", optional([token("?", "opt")]), call("expr", "e")),
    rule(
      "literal",
      choice([
        [sign, token("NUM_INT", "tok")],
        [token("NUM_UINT", "tok")],
        [sign, token("NUM_FLOAT", "tok")],
        [token("STRING", "tok")],
        [token("BYTES", "tok")],
        [token("true", "tok")],
        [token("false", "tok")],
        [token("null", "tok")],
      ]),
    ),
  ].map((made) => [made.name, made]),
);

export interface Follower {
  readonly state: State;
  /** The call is one of a rule that begins with itself, and names no precedence. */
  readonly outermost: boolean;
}

const beginsWithItself: ReadonlySet<RuleName> = new Set(
  [...rules.values()].filter((r) => r.body.parts.some((part) => part.kind === "extend")).map((r) => r.name),
);

/** The states after each call of a rule: what may follow it anywhere. */
export const followers: ReadonlyMap<RuleName, readonly Follower[]> = findFollowers();

function findFollowers(): ReadonlyMap<RuleName, readonly Follower[]> {
  const found = new Map<RuleName, Follower[]>();
  const seen = new Set<State>();
  const visit = (at: State): void => {
    if (seen.has(at)) return;
    seen.add(at);
    for (const edge of at.edges) {
      if (edge.kind === "rule") {
        const outermost = edge.precedence === 0 && beginsWithItself.has(edge.rule);
        found.set(edge.rule, [...(found.get(edge.rule) ?? []), { state: edge.to, outermost }]);
      }
      visit(edge.to);
    }
  };
  for (const { first } of rules.values()) visit(first);
  return found;
}

/** Where the operators of a rule that begins with itself are chosen from. */
export const operatorChoices: ReadonlySet<State> = new Set(
  [...rules.values()].flatMap((r) => r.body.parts.flatMap((part) => (part.kind === "extend" ? [part.choice] : []))),
);

/** The rule that ends at a state. */
export const ruleOfStop: ReadonlyMap<State, RuleName> = new Map([...rules.values()].map((r) => [r.stop, r.name]));

/** What may come at a state; `epsilon`: the rule may also end there. */
export interface Next {
  readonly tokens: ReadonlySet<TokenKind>;
  readonly epsilon: boolean;
}

const nextCache = new Map<State, Next>();

/** Within the rule of the state alone. */
export function nextTokens(at: State): Next {
  const known = nextCache.get(at);
  if (known !== undefined) return known;
  const tokens = new Set<TokenKind>();
  let epsilon = false;
  const seen = new Set<State>();
  const visit = (s: State): void => {
    if (seen.has(s)) return;
    seen.add(s);
    if (s.kind === "stop") epsilon = true;
    for (const edge of s.edges) {
      if (edge.kind === "tokens") for (const kind of edge.tokens) tokens.add(kind);
      else if (edge.kind !== "rule") visit(edge.to);
      else {
        const inner = nextTokens(rules.get(edge.rule)?.first ?? s);
        for (const kind of inner.tokens) tokens.add(kind);
        if (inner.epsilon) visit(edge.to);
      }
    }
  };
  visit(at);
  const next = { tokens, epsilon };
  nextCache.set(at, next);
  return next;
}
