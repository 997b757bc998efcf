import { bootstrapperConfigurations, type Machine } from "@orch/component-config/bootstrapper/bootstrapper.js";
import { type CommandNode, command, group } from "../command-line.js";
import { componentKinds } from "../configuration/read-file.js";
import type { Tools } from "../world.js";
import { printFlags } from "./flags.js";

/** What stands where a secret, or something of the machine's own would: for whoever fills it in. */
const example = { token: "abcdef.0123456789abcdef", advertiseAddress: "1.2.3.4", node: "node" } as const;

function exampleKinds({ naming, version }: Tools) {
  const machine: Machine = {
    ...{ hostname: example.node, advertiseAddress: example.advertiseAddress, version },
    newToken: () => example.token,
    exists: () => false,
  };
  return bootstrapperConfigurations(naming, machine);
}

export type Defaults = "init" | "join" | "reset" | "upgrade";

/** The documents that say nothing but defaults. */
export function defaultDocuments(of: Defaults, tools: Tools): readonly string[] {
  const kinds = exampleKinds(tools);
  switch (of) {
    case "init":
      return [kinds.init.print(kinds.init.defaults()), kinds.cluster.print(kinds.cluster.defaults())];
    case "join":
      return [kinds.join.print(kinds.join.fill(exampleJoin(tools)))];
    case "reset":
      return [kinds.reset.print(kinds.reset.defaults())];
    case "upgrade":
      return [kinds.upgrade.print(kinds.upgrade.defaults())];
  }
}

/** Where to a machine joins has no default. */
const exampleJoin = ({ naming }: Tools) => ({
  discovery: {
    bootstrapToken: {
      ...{ token: example.token, apiServerEndpoint: `${naming.systemName("apiserver")}:6443` },
      unsafeSkipCAVerification: true,
    },
  },
});

/** Defaults of components by the names of their kinds. @throws Error for a kind that is none */
function componentDocuments(wanted: readonly string[], tools: Tools): readonly string[] {
  const { agent, proxy } = componentKinds(tools);
  const known = [
    { kind: agent.kind, text: () => agent.print(agent.defaults()) },
    { kind: proxy.kind, text: () => proxy.print(proxy.defaults()) },
  ];
  return wanted.map((kind) => {
    const found = known.find((one) => one.kind === kind);
    if (found !== undefined) return found.text();
    const names = known.map((one) => one.kind).join(", ");
    throw new Error(`--component-configs: ${JSON.stringify(kind.slice(0, 100))} is none of ${names}`);
  });
}

const described = (of: Defaults) => ({
  word: `${of}-defaults`,
  description: `Prints the defaults of ${of}; tokens, names and addresses in it are examples`,
});

const plain = (of: Defaults): CommandNode =>
  command({
    ...described(of),
    flags: {},
    async run(_line, tools) {
      tools.print(defaultDocuments(of, tools).join("---\n"));
      return 0;
    },
  });

const withComponents = (of: Defaults): CommandNode =>
  command({
    ...described(of),
    flags: printFlags,
    async run({ values }, tools) {
      const documents = [...defaultDocuments(of, tools), ...componentDocuments(values["component-configs"], tools)];
      tools.print(documents.join("---\n"));
      return 0;
    },
  });

export const printCommand = group({
  word: "print",
  description: "Prints configurations of defaults",
  commands: [withComponents("init"), withComponents("join"), plain("reset"), plain("upgrade")],
});
