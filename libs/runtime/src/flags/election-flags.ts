import type { Naming } from "@orch/naming/naming.js";
import { boolFlag, durationFlag, stringFlag } from "./flag-types.js";
import type { FlagValues } from "./flags.js";

/** How one of several processes is chosen. */
export interface Election {
  /** Of this process. */
  readonly identity: string;
  /** Of the lease. */
  readonly namespace: string;
  readonly name: string;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

const group = "Leader election";

/** Flags of the election of one process among several; the reference's names. */
export const electionFlags = ({ does, is }: { readonly does: string; readonly is: string }) =>
  ({
    "leader-elect": boolFlag(true, { group, help: `whether one of several processes is chosen to ${does}` }),
    "leader-elect-lease-duration": durationFlag(15_000, {
      group,
      help: "how long the others wait after the leader's last renewal",
    }),
    "leader-elect-renew-deadline": durationFlag(10_000, {
      group,
      help: "how long the leader tries to renew before it gives up; at most the lease's duration",
    }),
    "leader-elect-retry-period": durationFlag(2_000, { group, help: "time between attempts" }),
    "leader-elect-resource-name": stringFlag("", {
      group,
      word: "name",
      help: `name of the lease; the ${is}'s name in the dialect when empty`,
    }),
    "leader-elect-resource-namespace": stringFlag("", {
      group,
      word: "namespace",
      help: "namespace of the lease; the system's namespace when empty",
    }),
  }) as const;

export type ElectionValues = FlagValues<ReturnType<typeof electionFlags>>;

export type ReadElection =
  /** Undefined: nobody is chosen. */
  { readonly ok: true; readonly election: Election | undefined } | { readonly ok: false; readonly problem: string };

const jitter = 1.2;

/** `part`: what the process is, whose name the lease has where no flag names it. */
export function readElection(
  values: ElectionValues,
  { naming, part, identity }: { readonly naming: Naming; readonly part: string; readonly identity: string },
): ReadElection {
  const refused = (problem: string): ReadElection => ({ ok: false, problem });
  if (!values["leader-elect"]) return { ok: true, election: undefined };
  const leaseDurationMs = values["leader-elect-lease-duration"];
  const renewDeadlineMs = values["leader-elect-renew-deadline"];
  const retryPeriodMs = values["leader-elect-retry-period"];
  if (leaseDurationMs < 1_000) return refused("--leader-elect-lease-duration must be at least 1s");
  if (renewDeadlineMs > leaseDurationMs) {
    return refused("--leader-elect-renew-deadline must be at most --leader-elect-lease-duration");
  }
  if (retryPeriodMs === 0) return refused("--leader-elect-retry-period must be greater than zero");
  if (renewDeadlineMs <= jitter * retryPeriodMs) {
    return refused(`--leader-elect-renew-deadline must be greater than ${jitter} times --leader-elect-retry-period`);
  }
  return {
    ok: true,
    election: {
      identity,
      name: values["leader-elect-resource-name"] || naming.systemName(part),
      namespace: values["leader-elect-resource-namespace"] || naming.systemName("system"),
      ...{ leaseDurationMs, renewDeadlineMs, retryPeriodMs },
    },
  };
}
