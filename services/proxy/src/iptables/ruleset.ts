import { type BalancedPort, isSameBalance } from "../model/balance.js";
import type { KnownChains, Ruleset, RulesetOptions, Surroundings } from "../ruleset.js";
import { type BaseOptions, fixedChains, nodePortRules, type Table } from "./base.js";
import { type Piece, pieceOf } from "./piece.js";
import { createSharedChains } from "./shared-chains.js";
import { chainNames } from "./words.js";

export interface IptablesRulesetOptions
  extends RulesetOptions,
    Pick<BaseOptions, "family" | "localhostNodePorts" | "isLiberal" | "isFullyRandom"> {}

type Ports = ReadonlyMap<string, BalancedPort>;

const noPorts: Ports = new Map();
const noPiece: Piece = { chains: new Map(), shared: [] };
const tables: readonly Table[] = ["filter", "nat"];
/** Beyond so many endpoints the rules of single ones say no more whose they are. */
const mostCommented = 1_000;

/** Own chains by name; undefined: the chain goes. */
type ChangedChains = Map<string, readonly string[] | undefined>;

/** Rules as `iptables-restore --noflush` takes them; a chain that is named is written whole. */
export function createIptablesRuleset(options: IptablesRulesetOptions): Ruleset {
  const prefix = options.systemName("").toUpperCase();
  const names = chainNames(prefix);
  const base: BaseOptions = { ...options, names };
  const fixed = fixedChains(base);
  const sharedOf: Readonly<Record<Table, readonly string[]>> = {
    filter: [names.nodePorts, names.services, names.externalServices, names.proxyFirewall],
    nat: [names.nodePorts, names.services],
  };
  /** By service, then by key. */
  const wanted = new Map<string, Ports>();
  const before = new Map<string, Ports>();
  let shared = createSharedChains();
  let surroundings: Surroundings | undefined;
  let isKnown = false;
  let isCommented = true;
  let endpoints = 0;
  const counts = { filter: 0, nat: 0 };

  const toPiece = (around: Surroundings) => (balanced: BalancedPort | undefined) => {
    if (balanced === undefined) return noPiece;
    const { masqueradesAll } = options;
    return pieceOf(balanced, { prefix, names, masqueradesAll, isCommented, surroundings: around });
  };
  const change = (key: string, was: Piece, is: Piece, changed: ChangedChains): void => {
    shared.put(key, was.shared, is.shared);
    for (const [chain, rules] of is.chains) {
      const old = was.chains.get(chain);
      if (old?.join("\n") === rules.join("\n")) continue;
      changed.set(chain, rules);
      counts.nat += rules.length - (old?.length ?? 0);
    }
    for (const [chain, old] of was.chains) {
      if (is.chains.has(chain)) continue;
      changed.set(chain, undefined);
      counts.nat -= old.length;
    }
  };
  const sharedRules = (around: Surroundings, table: Table, chain: string): readonly string[] => [
    ...shared.rules(table, chain),
    ...(table === "nat" && chain === names.services ? nodePortRules(base, around) : []),
  ];

  const whole = (around: Surroundings, known: KnownChains): string => {
    shared = createSharedChains();
    before.clear();
    counts.filter = 0;
    counts.nat = 0;
    const own: ChangedChains = new Map();
    const piece = toPiece(around);
    for (const ports of wanted.values()) {
      for (const [key, balanced] of ports) change(key, noPiece, piece(balanced), own);
    }
    shared.takeChanged();
    const stale = (known.get("nat") ?? []).filter(
      (chain) => !own.has(chain) && names.owned.some((each) => chain.startsWith(each)),
    );
    for (const chain of stale) own.set(chain, undefined);
    return tables
      .map((table) => {
        const all: ChangedChains = new Map(fixed[table]);
        for (const chain of sharedOf[table]) all.set(chain, sharedRules(around, table, chain));
        return tableText(table, table === "nat" ? new Map([...all, ...own]) : all);
      })
      .join("");
  };

  const partial = (around: Surroundings): string => {
    const own: ChangedChains = new Map();
    const piece = toPiece(around);
    for (const service of [...before.keys()].sort()) {
      const old = before.get(service) ?? noPorts;
      const next = wanted.get(service) ?? noPorts;
      for (const key of new Set([...old.keys(), ...next.keys()])) {
        const [was, is] = [old.get(key), next.get(key)];
        if (was !== undefined && is !== undefined && isSameBalance(was, is)) continue;
        change(key, piece(was), piece(is), own);
      }
    }
    before.clear();
    const changed = shared.takeChanged();
    return tables
      .map((table) => {
        const all: ChangedChains = new Map();
        for (const chain of sharedOf[table]) {
          if (changed.has(`${table} ${chain}`)) all.set(chain, sharedRules(around, table, chain));
        }
        return tableText(table, table === "nat" ? new Map([...all, ...own]) : all);
      })
      .join("");
  };

  return {
    put(service, ports) {
      const old = wanted.get(service) ?? noPorts;
      if (isKnown && !before.has(service)) before.set(service, old);
      for (const { reachable } of old.values()) endpoints -= reachable.length;
      for (const { reachable } of ports) endpoints += reachable.length;
      if (ports.length === 0) wanted.delete(service);
      else wanted.set(service, new Map(ports.map((balanced) => [balanced.port.key, balanced])));
    },
    surround(next) {
      if (JSON.stringify(next) === JSON.stringify(surroundings)) return;
      surroundings = next;
      isKnown = false;
    },
    get isKnown() {
      return isKnown && isCommented === endpoints <= mostCommented;
    },
    forget() {
      isKnown = false;
    },
    write(_now, chains = new Map()) {
      if (surroundings === undefined) throw new Error("the ruleset knows nothing of its node yet");
      const isWhole = !this.isKnown;
      isCommented = endpoints <= mostCommented;
      const text = isWhole ? whole(surroundings, chains) : partial(surroundings);
      isKnown = true;
      return { text, isWhole, againAfter: undefined };
    },
    get sizes() {
      if (surroundings === undefined) return { filter: 0, nat: 0 };
      const around = surroundings;
      const countOf = (table: Table): number =>
        [...fixed[table].values(), ...sharedOf[table].map((chain) => sharedRules(around, table, chain))].flat().length;
      return { filter: countOf("filter"), nat: countOf("nat") + counts.nat };
    },
  };
}

/** One table's part of the text; "" where nothing changes. */
function tableText(table: Table, chains: ChangedChains): string {
  if (chains.size === 0) return "";
  const lines = [
    `*${table}`,
    // Flushes the chain where it is there already.
    ...[...chains.keys()].map((chain) => `:${chain} - [0:0]`),
    ...[...chains].flatMap(([chain, rules = []]) => rules.map((rule) => `-A ${chain} ${rule}`)),
    ...[...chains].filter(([, rules]) => rules === undefined).map(([chain]) => `-X ${chain}`),
    "COMMIT",
  ];
  return `${lines.join("\n")}\n`;
}
