import type { BootstrapToken } from "@orch/component-config/bootstrapper/bootstrapper-shapes.js";
import { formatMs } from "@orch/schema/formats/duration.js";
import type { Given } from "../command-line.js";
import { kindsOf, readFileOf, refuseMixed } from "../configuration/read-file.js";
import type { Tools } from "../world.js";
import type { createFlags } from "./flags.js";

type Wanted = Given<typeof createFlags>;

/** The tokens that a command line asks for, whole and right; at least one. @throws Error with what is wrong */
export function newTokens(
  { values, given, words }: Wanted,
  tools: Tools,
): readonly [BootstrapToken, ...BootstrapToken[]] {
  const [token = "", ...others] = words;
  if (others.length > 0) throw new Error(`accepts at most 1 arg, received ${words.length}`);
  const tokens = values.config === "" ? [fromFlags(token, values)] : fromFile({ values, given, words }, tools);
  const kinds = kindsOf(tools);
  const { bootstrapTokens } = kinds.init.fill({ ...kinds.init.defaults(), bootstrapTokens: tokens });
  const problems = kinds.init
    .check({ ...kinds.init.defaults(), bootstrapTokens })
    .filter((problem) => problem.startsWith("bootstrapTokens"));
  if (problems.length > 0) throw new Error(problems.join("\n"));
  const [first, ...rest] = bootstrapTokens;
  if (first === undefined) throw new Error("the configuration names no bootstrap token");
  return [first, ...rest];
}

function fromFlags(token: string, { ttl, usages, groups, description }: Wanted["values"]): object {
  return {
    ...{ token, description, ttl: formatMs(ttl) },
    ...(usages.length === 0 ? {} : { usages }),
    ...(groups.length === 0 ? {} : { groups }),
  };
}

function fromFile({ values, given, words }: Wanted, tools: Tools): readonly object[] {
  refuseMixed(given);
  const { init } = kindsOf(tools);
  const [document] = readFileOf(values.config, [init], tools);
  const bootstrapTokens = (document === undefined ? undefined : init.from(document))?.bootstrapTokens;
  if (bootstrapTokens === undefined) throw new Error(`no InitConfiguration was found in ${values.config}`);
  const [token = ""] = words;
  return token === "" ? bootstrapTokens : bootstrapTokens.map((each, i) => (i === 0 ? { ...each, token } : each));
}
