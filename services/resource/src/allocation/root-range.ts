import type { ServiceCIDR } from "@orch/api/kinds/networking/types.js";
import type { Naming } from "@orch/naming/naming.js";
import { sleep, systemClock } from "@orch/runtime/clock.js";
import { formatNetwork, type Network } from "@orch/schema/formats/ip.js";
import { wireTime } from "@orch/status/wire-time.js";
import { key } from "@orch/store/revision.js";
import type { Mirror } from "../mirror.js";
import { changesToCome, nextChange } from "../next-change.js";
import { create } from "../write/create.js";
import { ownWrite, refuseOthers } from "../write/own-write.js";
import { storedObject } from "../write/storing/stored.js";
import { update } from "../write/update.js";
import { builtIn, type WriteDeps } from "../write/write.js";

export interface RootRange {
  /** Of `--service-cluster-ip-range`. */
  readonly addresses: readonly Network[];
  /** Of ServiceCIDR objects, from which addresses are given. */
  readonly mirror: Pick<Mirror, "find">;
  /** Called when the mirror has the object, or it could not be made. */
  readonly first: () => void;
}

type Deps = WriteDeps & { readonly log: (what: string, error: unknown) => void };

const pauseMs = 1000;
const roundMs = 60_000;
const lookMs = 10;

const nameOf = (naming: Naming): string => naming.word("orch");

/**
 * Keeps the ServiceCIDR of the flags until the signal: makes it where it is missing, and says once that it is ready. One
 * that differs from the flags stays as it is, and the log tells of it.
 */
export async function keepRootRange(deps: Deps, root: RootRange, signal: AbortSignal): Promise<void> {
  const name = nameOf(deps.naming);
  const kind = builtIn({ deps }, `${deps.naming.group("networking")}/v1beta1`, "ServiceCIDR");
  const at = key(`${deps.naming.storePrefix}${kind.storage.prefix}/${name}`);
  const wanted = root.addresses.map(formatNetwork);
  let told = "";

  const ensure = async (): Promise<void> => {
    const entry = await deps.store.get(at);
    if (entry === undefined) {
      const object = { metadata: { name }, spec: { cidrs: wanted } };
      await create(ownWrite(deps, kind, { verb: "create", object })).catch(refuseOthers);
      return;
    }
    const stored: ServiceCIDR = storedObject(kind, entry);
    const cidrs = stored.spec?.cidrs ?? [];
    if (cidrs.join() !== wanted.join()) {
      const differs = `the default ServiceCIDR [${cidrs.join(" ")}] does not match the flags [${wanted.join(" ")}]`;
      if (differs !== told) deps.log(differs, undefined);
      told = differs;
    } else if (stored.metadata.deletionTimestamp === undefined && readyOf(stored) === undefined) {
      const object = { ...stored, status: { conditions: [...conditionsOf(stored), readyCondition(deps)] } };
      const write = { verb: "update", subresource: "status", name, object } as const;
      await update(ownWrite(deps, kind, write)).catch(refuseOthers);
    }
  };
  const isThere = async (): Promise<void> => {
    while (!signal.aborted && root.mirror.find("", name) === undefined) await sleep(systemClock, lookMs, signal);
  };

  while (!signal.aborted) {
    try {
      const changes = await changesToCome(deps.store, [at]);
      await ensure();
      await isThere();
      root.first();
      await nextChange(deps.store, changes, { roundMs, signal });
    } catch (error) {
      if (!signal.aborted) deps.log("keeping the default ServiceCIDR failed; trying again", error);
      root.first();
    }
    await sleep(systemClock, pauseMs, signal);
  }
}

const conditionsOf = ({ status }: ServiceCIDR) => status?.conditions ?? [];
const readyOf = (range: ServiceCIDR) => conditionsOf(range).find(({ type }) => type === "Ready");

function readyCondition({ naming, now }: Pick<WriteDeps, "naming" | "now">): object {
  const message = `${naming.productName} default Service CIDR is ready`;
  return { type: "Ready", status: "True", reason: "", message, lastTransitionTime: wireTime(now()) };
}
