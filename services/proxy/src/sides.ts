import type { Naming } from "@orch/naming/naming.js";
import { jumps } from "./iptables/base.js";
import { createIptablesRuleset } from "./iptables/ruleset.js";
import { chainNames } from "./iptables/words.js";
import type { Backend } from "./kernel/backend.js";
import { createIptablesBackend } from "./kernel/iptables.js";
import { createNftBackend } from "./kernel/nft.js";
import type { RunProgram } from "./kernel/programs.js";
import { type Family, families } from "./model/family.js";
import { createNftRuleset } from "./nftables/ruleset.js";
import type { ProxySettings } from "./settings.js";
import type { Side } from "./sync/proxier.js";

export type Mode = ProxySettings["mode"];

export interface BackendDeps {
  readonly naming: Naming;
  readonly run: RunProgram;
  /** `6.1.0-18-amd64`. */
  readonly kernel: string;
  /** nftables are tried on old kernels as well. */
  readonly anyKernel: boolean;
}

export function backendOf(mode: Mode, family: Family, { naming, run, kernel, anyKernel }: BackendDeps): Backend {
  if (mode === "nftables") {
    return createNftBackend({ family, table: naming.systemName("proxy"), run, kernel, anyKernel });
  }
  const names = chainNames(naming.systemName("").toUpperCase());
  return createIptablesBackend({ family, names, jumps: jumps({ names, product: naming.word("orch") }), run });
}

export function sideOf({ config, mode, mark, masqueradesAll }: ProxySettings, family: Family, deps: BackendDeps): Side {
  const { naming } = deps;
  const shared = { mark, masqueradesAll, systemName: naming.systemName, product: naming.word("orch"), family };
  const ruleset =
    mode === "nftables"
      ? createNftRuleset(shared)
      : createIptablesRuleset({
          ...shared,
          localhostNodePorts: config.iptables.localhostNodePorts,
          isLiberal: config.conntrack.tcpBeLiberal,
          isFullyRandom: true,
        });
  return { family, ruleset, backend: backendOf(mode, family, deps) };
}

/**
 * A side for each family of addresses that can be served here; without the primary one nothing can.
 * @throws Error that says why the mode cannot be used
 */
export async function usableSides(
  settings: ProxySettings,
  deps: BackendDeps,
  leftOut: (family: Family, problem: string) => void,
): Promise<readonly Side[]> {
  const primary: Family = settings.config.bindAddress.includes(":") ? "IPv6" : "IPv4";
  const sides: Side[] = [];
  for (const family of families) {
    const side = sideOf(settings, family, deps);
    const problem = await side.backend.problem();
    if (problem === undefined) sides.push(side);
    else if (family === primary) throw new Error(`can't use the ${settings.mode} proxier: ${problem}`);
    else leftOut(family, problem);
  }
  return sides;
}

/** Removes the rules of a mode where its programs are there; tells of what cannot be removed. */
export async function cleanUp(
  mode: Mode,
  deps: BackendDeps,
  told: (error: unknown, family: Family) => void,
): Promise<boolean> {
  let isClean = true;
  for (const family of families) {
    const backend = backendOf(mode, family, deps);
    if ((await backend.problem()) !== undefined) continue;
    try {
      await backend.cleanUp();
    } catch (error) {
      isClean = false;
      told(error, family);
    }
  }
  return isClean;
}
