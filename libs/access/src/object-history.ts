import type { Parsed } from "@orch/auth/parsed.js";
import { parseYaml } from "@orch/codec/yaml/yaml.js";
import { type HistoryPolicy, parseRules, usualPolicy } from "@orch/history/rules.js";
import { historyGroup, type Naming } from "@orch/naming/naming.js";
import { stringFlag } from "@orch/runtime/flags/flag-types.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";
import { messageOf } from "@orch/status/message-of.js";

const help =
  "whose past is kept, to be read, compared and restored: off, on (all but leases and events: 100 states of an object, 7 days, 256 MiB), or a file of rules";

/** The flag of whoever writes objects or answers what they were; `usual` differs by program. */
export function historyFlags(usual: "off" | "on") {
  return { "object-history": stringFlag(usual, { group: "API", word: "off|on|file", help }) } as const;
}

export interface HistoryFileDeps {
  readonly naming: Naming;
  /** Gives a file's text. */
  readonly read: (path: string) => string;
}

/** Undefined where nothing is kept. */
export function historyPolicy(
  values: FlagValues<ReturnType<typeof historyFlags>>,
  { naming, read }: HistoryFileDeps,
): Parsed<HistoryPolicy | undefined> {
  const given = values["object-history"];
  if (given === "off" || given === "") return { ok: true, value: undefined };
  if (given === "on") return { ok: true, value: usualPolicy(naming.group) };
  const refused = (why: string): Parsed<undefined> => ({ ok: false, problems: [`--object-history: ${why}`] });
  let text: string;
  try {
    text = read(given);
  } catch (error) {
    return refused(`neither on nor off, and no file that can be read: ${messageOf(error)}`);
  }
  const decoded = parseYaml(Buffer.from(text));
  if (!decoded.ok) return refused(`${given}: ${decoded.problem}`);
  const parsed = parseRules(decoded.value, `${historyGroup}/v1alpha1`);
  return parsed.ok
    ? parsed
    : { ok: false, problems: parsed.problems.map((why) => `--object-history: ${given}: ${why}`) };
}
