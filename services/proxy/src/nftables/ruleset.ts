import { createClaims } from "../claims.js";
import { type BalancedPort, isSameBalance } from "../model/balance.js";
import type { Family } from "../model/family.js";
import type { Ruleset, RulesetOptions, Surroundings } from "../ruleset.js";
import { baseCommands } from "./base.js";
import { createCommands } from "./commands.js";
import { type Piece, pieceOf } from "./piece.js";
import { wordsOf } from "./words.js";

export interface NftRulesetOptions extends RulesetOptions {
  readonly family: Family;
  /** {@link mostChains} where absent. */
  readonly chainsOfPart?: number;
}

type Ports = ReadonlyMap<string, BalancedPort>;

const noPorts: Ports = new Map();
const noPiece: Piece = { chains: new Map(), sets: new Map(), elements: [] };
/** A chain that maps have led to is used for a moment after the maps have changed. */
const deleteAfterMs = 1_000;
/** Chains of services and endpoints in one transaction, about: for each map of a rule the kernel walks all of the transaction. */
export const mostChains = 10_000;

/** Rules as `nft -f` takes them: one table, each writing one transaction; a large whole one can be several. */
export function createNftRuleset(options: NftRulesetOptions): Ruleset {
  const { family, mark, masqueradesAll, chainsOfPart = mostChains } = options;
  const table = options.systemName("proxy");
  const at = `${wordsOf[family].ip} ${table}`;
  /** By service, then by key. */
  const wanted = new Map<string, Ports>();
  /** What the kernel has of services that have changed since. */
  const before = new Map<string, Ports>();
  /** Chains that are flushed, and since when. */
  const unused = new Map<string, number>();
  let claims = createClaims();
  let surroundings: Surroundings | undefined;
  let isKnown = false;
  let rules = 0;

  const pieceIn = (around: Surroundings) => (balanced: BalancedPort) =>
    pieceOf(balanced, { family, masqueradesAll, surroundings: around });

  /** By transactions: what is the same for all services, with the first of them; then the others, service by service. */
  const whole = (around: Surroundings): readonly (readonly string[])[] => {
    claims = createClaims();
    before.clear();
    unused.clear();
    rules = 0;
    const toPiece = pieceIn(around);
    const parts: (readonly string[])[] = [];
    let commands = createCommands(at, claims);
    let chains = 0;
    const endPart = (): void => {
      const own = commands.take();
      rules += own.rules;
      parts.push(own.lines);
      commands = createCommands(at, claims);
      chains = 0;
    };
    for (const ports of wanted.values()) {
      if (chains >= chainsOfPart) endPart();
      for (const [key, balanced] of ports) {
        const piece = toPiece(balanced);
        chains += piece.chains.size;
        commands.change(key, noPiece, piece);
      }
    }
    endPart();
    const base = baseCommands({ family, table, mark }, around);
    // In one transaction: there is no moment without rules.
    const [first = [], ...others] = parts;
    return [[`add table ${at}`, `delete table ${at}`, ...base].concat(first), ...others];
  };

  const partial = (now: number, around: Surroundings): readonly string[] => {
    const toPiece = pieceIn(around);
    const commands = createCommands(at, claims);
    for (const [service, old] of [...before].sort(byName)) {
      const next = wanted.get(service) ?? noPorts;
      for (const key of new Set([...old.keys(), ...next.keys()])) {
        const [was, is] = [old.get(key), next.get(key)];
        if (was !== undefined && is !== undefined && isSameBalance(was, is)) continue;
        commands.change(key, was ? toPiece(was) : noPiece, is ? toPiece(is) : noPiece);
      }
    }
    before.clear();
    const own = commands.take();
    rules += own.rules;
    for (const chain of own.used) unused.delete(chain);
    const due = [...unused].filter(([, since]) => now - since >= deleteAfterMs).map(([chain]) => chain);
    for (const chain of due) unused.delete(chain);
    for (const chain of own.unused) unused.set(chain, now);
    return [...own.lines, ...due.map((chain) => `delete chain ${at} ${chain}`)];
  };

  return {
    put(service, ports) {
      const old = wanted.get(service) ?? noPorts;
      if (isKnown && !before.has(service)) before.set(service, old);
      if (ports.length === 0) wanted.delete(service);
      else wanted.set(service, new Map(ports.map((balanced) => [balanced.port.key, balanced])));
    },
    surround(next) {
      if (JSON.stringify(next) === JSON.stringify(surroundings)) return;
      surroundings = next;
      isKnown = false;
    },
    get isKnown() {
      return isKnown;
    },
    forget() {
      isKnown = false;
    },
    write(now) {
      if (surroundings === undefined) throw new Error("the ruleset knows nothing of its node yet");
      const isWhole = !isKnown;
      const parts = (isWhole ? whole(surroundings) : [partial(now, surroundings)]).map(textOf);
      isKnown = true;
      const oldest = Math.min(...unused.values());
      return {
        text: parts.join(""),
        isWhole,
        ...(parts.length === 1 ? {} : { parts }),
        againAfter: unused.size === 0 ? undefined : Math.max(0, oldest + deleteAfterMs - now),
      };
    },
    get sizes() {
      return { [table]: rules };
    },
  };
}

const textOf = (lines: readonly string[]): string => (lines.length === 0 ? "" : `${lines.join("\n")}\n`);

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);
