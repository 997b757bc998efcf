import type { Kind } from "@orch/api/catalog.js";
import { sameMeaning } from "@orch/api/kinds/shared/same-meaning.js";
import { type AnyObject, valueAt } from "@orch/api/object.js";
import { sleep, systemClock } from "@orch/runtime/clock.js";
import { parseAddress } from "@orch/schema/formats/ip.js";
import { key } from "@orch/store/revision.js";
import { changesToCome, nextChange } from "../next-change.js";
import { create } from "../write/create.js";
import { ownWrite, refuseOthers } from "../write/own-write.js";
import { storedObject } from "../write/storing/stored.js";
import { update } from "../write/update.js";
import { builtIn, type WriteDeps } from "../write/write.js";

/** Where the gateways are. */
export interface GatewayAddress {
  readonly port: number;
  /** Undefined where nobody can say: then the root service has no endpoints of ours. */
  readonly address: string | undefined;
}

/** The service through which everything in the cluster reaches the API. */
export interface RootService {
  /** The first address of the default range. */
  readonly clusterIP: string;
  readonly gateway: GatewayAddress;
}

/** One of the objects that are always there. */
interface Kept {
  readonly kind: Kind;
  readonly object: object;
  /** The paths of what is the server's to say. */
  readonly ours: readonly string[];
}

const namespace = "default";
const portName = "https";
const servicePort = 443;

function rootObjects(deps: WriteDeps, { clusterIP, gateway }: RootService): readonly Kept[] {
  const { naming } = deps;
  const name = naming.word("orch");
  const port = { name: portName, protocol: "TCP" };
  const service = {
    metadata: { name, namespace, labels: { component: "apiserver", provider: name } },
    spec: {
      type: "ClusterIP",
      clusterIP,
      clusterIPs: [clusterIP],
      ipFamilyPolicy: "SingleStack",
      sessionAffinity: "None",
      ports: [{ ...port, port: servicePort, targetPort: gateway.port }],
    },
  };
  const kept: Kept = { kind: builtIn({ deps }, "v1", "Service"), object: service, ours: ["spec.type", "spec.ports"] };
  if (gateway.address === undefined) return [kept];
  const ports = [{ ...port, port: gateway.port }];
  const mirrored = { [`endpointslice.${naming.key("skip-mirror")}`]: "true" };
  const endpoints = {
    metadata: { name, namespace, labels: mirrored },
    subsets: [{ addresses: [{ ip: gateway.address }], ports }],
  };
  const slice = {
    metadata: { name, namespace, labels: { [naming.key("service-name")]: name } },
    addressType: parseAddress(gateway.address)?.length === 16 ? "IPv6" : "IPv4",
    endpoints: [{ addresses: [gateway.address], conditions: { ready: true } }],
    ports,
  };
  return [
    kept,
    { kind: builtIn({ deps }, "v1", "Endpoints"), object: endpoints, ours: ["subsets"] },
    {
      kind: builtIn({ deps }, `${naming.group("discovery")}/v1`, "EndpointSlice"),
      object: slice,
      ours: ["endpoints", "ports"],
    },
  ];
}

/** Makes what is missing and rights what is wrong. */
async function ensure(deps: WriteDeps, { kind, object, ours }: Kept): Promise<void> {
  const name = deps.naming.word("orch");
  const entry = await deps.store.get(keyOfKept(deps, kind));
  if (entry === undefined) {
    await create(ownWrite(deps, kind, { verb: "create", namespace, object })).catch(refuseOthers);
    return;
  }
  const stored = storedObject(kind, entry);
  if (ours.every((path) => sameMeaning(valueAt(object, path), valueAt(stored, path)))) return;
  const right = { ...stored, ...object, metadata: stored.metadata, ...rightSpec(stored, object) };
  await update(ownWrite(deps, kind, { verb: "update", namespace, name, object: right })).catch(refuseOthers);
}

/** What users may say of the service stays. */
function rightSpec(stored: AnyObject, object: object): object {
  const { type, ports } = { type: valueAt(object, "spec.type"), ports: valueAt(object, "spec.ports") };
  const spec = stored["spec"];
  return typeof spec === "object" && spec !== null ? { spec: { ...spec, type, ports } } : {};
}

function keyOfKept({ naming }: WriteDeps, kind: Kind) {
  return key(`${naming.storePrefix}${kind.storage.prefix}/${namespace}/${naming.word("orch")}`);
}

const pauseMs = 1000;
const roundMs = 60_000;

/** Keeps the root service with its endpoints, until the signal: after every change of them, and now and then. */
export async function keepRootService(
  deps: WriteDeps & { readonly log: (what: string, error: unknown) => void },
  root: RootService,
  signal: AbortSignal,
): Promise<void> {
  const objects = rootObjects(deps, root);
  const keys = objects.map(({ kind }) => keyOfKept(deps, kind));
  while (!signal.aborted) {
    try {
      const changes = await changesToCome(deps.store, keys);
      for (const object of objects) await ensure(deps, object);
      await nextChange(deps.store, changes, { roundMs, signal });
    } catch (error) {
      if (!signal.aborted) deps.log("keeping the root service failed; trying again", error);
    }
    await sleep(systemClock, pauseMs, signal);
  }
}
