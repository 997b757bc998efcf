/** What a kernel makes of commands of ours, as strict as the real one where that matters. */
export interface NftKernel {
  /** Takes a transaction whole or throws. @throws Error that names the command */
  load(text: string): void;
  /** All of it in one order. */
  dump(): readonly string[];
}

interface Table {
  readonly chains: Map<string, string[]>;
  readonly sets: Map<string, { readonly definition: string; readonly elements: Map<string, string> }>;
}

const emptyTable = (): Table => ({ chains: new Map(), sets: new Map() });

const copyOf = ({ chains, sets }: Table): Table => ({
  chains: new Map([...chains].map(([name, rules]) => [name, [...rules]])),
  sets: new Map(
    [...sets].map(([name, { definition, elements }]) => [name, { definition, elements: new Map(elements) }]),
  ),
});

export function createNftKernel(): NftKernel {
  let table: Table = emptyTable();
  return {
    load(text) {
      const next = copyOf(table);
      for (const line of text.split("\n").filter((each) => each !== "")) run(next, line);
      checkReferences(next);
      table = next;
    },
    dump: () => dumpOf(table),
  };
}

function run(table: Table, line: string): void {
  const fail = (why: string): never => {
    throw new Error(`${why}: ${line}`);
  };
  const [verb = "", what = "", , , name = "", ...rest] = line.split(" ");
  const body = rest.join(" ");
  const chain = () => table.chains.get(name) ?? fail("no such chain");
  const set = () => table.sets.get(name) ?? fail("no such set");
  const addSet = (): void => {
    const known = table.sets.get(name);
    if (known !== undefined && known.definition !== body) fail("the set is another");
    if (known === undefined) table.sets.set(name, { definition: body, elements: new Map() });
  };
  const commands: Readonly<Record<string, () => unknown>> = {
    "add table": () => table,
    "delete table"() {
      table.chains.clear();
      table.sets.clear();
    },
    "add chain": () => table.chains.has(name) || table.chains.set(name, []),
    "flush chain": () => chain().splice(0),
    "delete chain": () => (chain().length > 0 ? fail("the chain has rules") : table.chains.delete(name)),
    "add rule": () => chain().push(body),
    "add set": addSet,
    "add map": addSet,
    "delete set": () => set() && table.sets.delete(name),
    "add element": () => changeElements(set().elements, { verb, body, fail }),
    "delete element": () => changeElements(set().elements, { verb, body, fail }),
  };
  const command = commands[`${verb} ${what}`] ?? (() => fail("no such command"));
  command();
}

function changeElements(
  elements: Map<string, string>,
  { verb, body, fail }: { readonly verb: string; readonly body: string; readonly fail: (why: string) => never },
): void {
  for (const element of body.slice(2, -2).split(", ")) {
    const end = [element.indexOf(" comment "), element.indexOf(" : ")].filter((at) => at >= 0);
    const at = end.length === 0 ? element.length : Math.min(...end);
    const [key, value] = [element.slice(0, at), element.slice(at)];
    const known = elements.get(key);
    if (verb === "delete") {
      if (!elements.delete(key)) fail("no such element");
    } else {
      if (known !== undefined && known !== value) fail("the element is another");
      elements.set(key, value);
    }
  }
}

/** Whatever a rule or an element names has to be there. */
function checkReferences({ chains, sets }: Table): void {
  const texts = [...chains.values()]
    .flat()
    .concat([...sets.values()].flatMap(({ elements }) => [...elements.values()]));
  for (const text of texts) {
    for (const [, chain = ""] of text.matchAll(/(?:goto|jump) (\S+)/g)) {
      if (!chains.has(chain)) throw new Error(`no chain ${chain} for: ${text}`);
    }
    for (const [, set = ""] of text.matchAll(/@(\S+)/g)) {
      if (!sets.has(set) && !text.includes("comment")) throw new Error(`no set ${set} for: ${text}`);
    }
  }
}

function dumpOf({ chains, sets }: Table): readonly string[] {
  const ofChains = [...chains].map(([name, rules]) => `chain ${name}\n  ${rules.join("\n  ")}`);
  const ofSets = [...sets].map(([name, { definition, elements }]) => {
    return `set ${name} ${definition}\n  ${[...elements]
      .map((each) => each.join(""))
      .sort()
      .join("\n  ")}`;
  });
  return [...ofChains, ...ofSets].sort();
}
