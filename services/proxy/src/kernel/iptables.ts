import type { Jump } from "../iptables/base.js";
import { inSections, removalOf, sectionLines } from "../iptables/sections.js";
import type { ChainNames } from "../iptables/words.js";
import type { Family } from "../model/family.js";
import type { KnownChains } from "../ruleset.js";
import type { Backend } from "./backend.js";
import type { ProgramResult, RunProgram } from "./programs.js";

export interface IptablesOptions {
  readonly family: Family;
  readonly names: ChainNames;
  readonly jumps: readonly Jump[];
  readonly run: RunProgram;
}

const programs: Readonly<Record<Family, string>> = { IPv4: "iptables", IPv6: "ip6tables" };
/** Seconds for which others may hold the lock. */
const patience = ["-w", "5"];
const canaryTables = ["mangle", "nat", "filter"];

export function createIptablesBackend({ family, names, jumps, run }: IptablesOptions): Backend {
  const program = programs[family];
  const iptables = (table: string, ...args: readonly string[]): Promise<ProgramResult> =>
    run(program, [...patience, "-t", table, ...args]);
  const restore = async (text: string): Promise<void> => {
    const { code, problem } = await run(`${program}-restore`, [...patience, "--noflush", "--counters"], text);
    if (code !== 0) throw new Error(`${program}-restore: ${problem === "" ? `ended with ${code}` : problem}`);
  };
  let isByNftables: boolean | undefined;
  /** What is committed at once costs the program of nf_tables the square of its lines; the legacy one, nothing more. */
  const wantsSections = async (): Promise<boolean> => {
    if (isByNftables === undefined) {
      const { code, output, problem } = await run(`${program}-restore`, ["--version"]);
      if (code !== 0) throw new Error(`${program}-restore: ${problem === "" ? `ended with ${code}` : problem}`);
      isByNftables = output.includes("nf_tables");
    }
    return isByNftables;
  };
  const sectioned = async (text: string): Promise<string> => {
    if (isByNftables === false) return text;
    const cut = inSections(text, names);
    return cut !== text && (await wantsSections()) ? cut : text;
  };
  const chains = async (): Promise<KnownChains> => {
    const { code, output, problem } = await run(`${program}-save`, []);
    if (code !== 0) throw new Error(`${program}-save: ${problem}`);
    return chainsIn(output);
  };
  const lead = async (): Promise<void> => {
    for (const { table, from, rule } of jumps) {
      const words = wordsIn(rule);
      if ((await iptables(table, "-C", from, ...words)).code === 0) continue;
      const { code, problem } = await iptables(table, "-I", from, ...words);
      if (code !== 0) throw new Error(`${program}: ${problem}`);
    }
    // It is there already where this is not the first time.
    for (const table of canaryTables) await iptables(table, "-N", names.canary);
  };
  const ours = new Set([
    ...[names.services, names.externalServices, names.nodePorts, names.proxyFirewall, names.firewall],
    ...[names.forward, names.postrouting, names.markMasquerade, names.canary],
  ]);
  const isOurs = (chain: string): boolean => ours.has(chain) || names.owned.some((each) => chain.startsWith(each));

  return {
    async problem() {
      const { code, problem } = await iptables("nat", "-S", "POSTROUTING");
      return code === 0 ? undefined : `${program} cannot be used: ${problem}`;
    },
    chains,
    async load({ text, isWhole }) {
      await restore(await sectioned(text));
      if (isWhole) await lead();
    },
    async isIntact() {
      for (const table of canaryTables) if ((await iptables(table, "-S", names.canary)).code !== 0) return false;
      return true;
    },
    async cleanUp() {
      const known = await chains();
      for (const { table, from, to, rule } of jumps) {
        if (known.get(table)?.includes(to) !== true) continue;
        // One that was inserted twice goes twice.
        for (let more = 16; more > 0; more--)
          if ((await iptables(table, "-D", from, ...wordsIn(rule))).code !== 0) break;
      }
      const own = [...known].map(([table, all]) => [table, all.filter(isOurs)] as const);
      const isLarge = own.some(([, all]) => 2 * all.length > sectionLines);
      const limit = isLarge && (await wantsSections()) ? sectionLines : Number.POSITIVE_INFINITY;
      const text = own.map(([table, all]) => removalOf(table, all, limit)).join("");
      if (text !== "") await restore(text);
    },
  };
}

/** Chains by table, in what `iptables-save` prints. */
export function chainsIn(saved: string): KnownChains {
  const tables = new Map<string, string[]>();
  let chains: string[] = [];
  for (const line of saved.split("\n")) {
    if (line.startsWith("*")) {
      chains = [];
      tables.set(line.slice(1), chains);
    } else if (line.startsWith(":")) {
      chains.push(line.slice(1).split(" ")[0] ?? "");
    }
  }
  return tables;
}

/** A rule's words as arguments: what stands in quotes is one. */
export function wordsIn(rule: string): readonly string[] {
  return rule.split('"').flatMap((part, i) => (i % 2 === 1 ? [part] : part.split(" ").filter((word) => word !== "")));
}
