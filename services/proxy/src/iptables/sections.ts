import type { ChainNames } from "./words.js";

/** Declarations and rules of a section; a table with fewer is written in one. */
export const sectionLines = 2_000;

interface FilledChain {
  readonly declaration: string;
  readonly rules: string[];
}

/**
 * Cuts the nat table of a text for `iptables-restore --noflush` into sections of about {@link sectionLines} lines, which
 * the program commits one after the other. A chain is filled in one section, and never later than what leads to it. What
 * packets come in by is in one section after all of those, and what goes comes last.
 */
export function inSections(text: string, names: ChainNames, limit = sectionLines): string {
  const start = text.indexOf("*nat\n");
  if (start === -1) return text;
  const lines = text.slice(start).trimEnd().split("\n").slice(1, -1);
  if (lines.length <= limit) return text;
  const isEarly = (chain: string): boolean =>
    chain === names.markMasquerade || names.owned.some((each) => chain.startsWith(each));
  const gone = new Set(lines.filter((line) => line.startsWith("-X ")).map((line) => line.slice(3)));
  const early = new Map<string, FilledChain>();
  const late: FilledChain[] = [];
  const byName = new Map<string, FilledChain>();
  for (const line of lines) {
    const chain = wordAfter(line, line.startsWith(":") ? 1 : 3);
    if (line.startsWith("-A ")) byName.get(chain)?.rules.push(line);
    if (!line.startsWith(":") || gone.has(chain)) continue;
    const filled: FilledChain = { declaration: line, rules: [] };
    byName.set(chain, filled);
    if (isEarly(chain)) early.set(chain, filled);
    else late.push(filled);
  }
  const sections = [...cutBySize(targetsFirst(early), limit), late];
  const texts = sections.map((section) =>
    sectionOf("nat", [...section.map(({ declaration }) => declaration), ...section.flatMap(({ rules }) => rules)]),
  );
  return text.slice(0, start) + texts.join("") + removalOf("nat", [...gone], limit);
}

/** Removes chains that nothing else leads to: all are emptied before the first goes, since they lead to one another. */
export function removalOf(table: string, chains: readonly string[], limit: number): string {
  const flush = chains.map((chain) => `:${chain} - [0:0]`);
  const remove = chains.map((chain) => `-X ${chain}`);
  if (chains.length === 0) return "";
  if (2 * chains.length <= limit) return sectionOf(table, [...flush, ...remove]);
  return [flush, remove]
    .flatMap((lines) =>
      Array.from({ length: Math.ceil(lines.length / limit) }, (_, i) => lines.slice(i * limit, (i + 1) * limit)),
    )
    .map((lines) => sectionOf(table, lines))
    .join("");
}

const sectionOf = (table: string, lines: readonly string[]): string =>
  `${[`*${table}`, ...lines, "COMMIT"].join("\n")}\n`;

function targetsFirst(chains: ReadonlyMap<string, FilledChain>): readonly FilledChain[] {
  const ordered = new Set<FilledChain>();
  const entered = new Set<FilledChain>();
  // As deep as chains lead to one another: a handful.
  const enter = (chain: FilledChain | undefined): void => {
    if (chain === undefined || entered.has(chain)) return;
    entered.add(chain);
    for (const rule of chain.rules) {
      const jump = rule.lastIndexOf(" -j ");
      if (jump !== -1) enter(chains.get(wordAfter(rule, jump + 4)));
    }
    ordered.add(chain);
  };
  for (const chain of chains.values()) enter(chain);
  return [...ordered];
}

function cutBySize(chains: readonly FilledChain[], limit: number): readonly FilledChain[][] {
  const sections: FilledChain[][] = [];
  let size = limit;
  for (const chain of chains) {
    if (size >= limit) {
      sections.push([]);
      size = 0;
    }
    sections.at(-1)?.push(chain);
    size += 1 + chain.rules.length;
  }
  return sections;
}

function wordAfter(line: string, from: number): string {
  const space = line.indexOf(" ", from);
  return line.slice(from, space === -1 ? undefined : space);
}
