/** What a kernel makes of texts for `iptables-restore --noflush`, as strict as the real one where that matters. */
export interface IptablesKernel {
  /** @throws Error that names the line */
  restore(text: string): void;
  /** Rules by `table chain`. */
  readonly chains: ReadonlyMap<string, readonly string[]>;
  /** Chains of a table. */
  known(): ReadonlyMap<string, readonly string[]>;
}

export function createIptablesKernel(): IptablesKernel {
  let chains: ReadonlyMap<string, readonly string[]> = new Map();
  const known = () =>
    new Map(
      ["filter", "nat"].map((table) => [
        table,
        [...chains.keys()].filter((key) => key.startsWith(`${table} `)).map((key) => key.slice(table.length + 1)),
      ]),
    );
  return {
    restore(text) {
      const next = new Map([...chains].map(([key, rules]) => [key, [...rules]]));
      let table = "";
      for (const line of text.split("\n").filter((each) => each !== "")) {
        const at = (chain = ""): string[] => {
          const rules = next.get(`${table} ${chain}`);
          if (rules === undefined) throw new Error(`no such chain: ${line}`);
          return rules;
        };
        const [first = "", chain = "", ...rest] = line.split(" ");
        if (first.startsWith("*")) table = first.slice(1);
        else if (first.startsWith(":")) next.set(`${table} ${first.slice(1)}`, []);
        else if (first === "-A") at(chain).push(rest.join(" "));
        else if (first === "-X" && at(chain).length === 0) next.delete(`${table} ${chain}`);
        else if (line !== "COMMIT") throw new Error(`cannot be done: ${line}`);
      }
      checkTargets(next);
      chains = next;
    },
    get chains() {
      return chains;
    },
    known,
  };
}

const builtIn = ["ACCEPT", "DROP", "REJECT", "RETURN", "MARK", "MASQUERADE", "DNAT"];

function checkTargets(chains: ReadonlyMap<string, readonly string[]>): void {
  for (const [key, rules] of chains) {
    const [table] = key.split(" ");
    for (const rule of rules) {
      const target = / -j (\S+)/.exec(` ${rule}`)?.[1] ?? "ACCEPT";
      if (!builtIn.includes(target) && !chains.has(`${table} ${target}`))
        throw new Error(`no target in ${table}: ${rule}`);
    }
  }
}
