import type { Client } from "@orch/client/client.js";
import { identityOnly } from "@orch/client/metadata-only.js";
import type { Mirror } from "@orch/client/mirror.js";
import { type ApiObject, type Collection, isRecord } from "@orch/client/objects.js";
import { patchTypes } from "@orch/client/patch-types.js";
import { createWorkQueue, type Outcome } from "@orch/client/work-queue.js";
import type { Naming } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import type { Clock } from "@orch/status/clock.js";
import { wireMicroTime } from "@orch/status/wire-time.js";
import type { HostNode } from "../pods/pod-keeper.js";
import type { Telemetry } from "../telemetry.js";
import {
  type AgentAt,
  type NodeShape,
  nodeAddress,
  nodeManifest,
  nodeStatus,
  type SimulatedNode,
  simulatedLabel,
} from "./node-object.js";

export interface NodeKeeperOptions {
  /** Nodes that are made: `prefix` and a number from 0. */
  readonly count: number;
  readonly prefix: string;
  /** The one node that is played, with no more rights than its agent has; undefined: those above, with any. */
  readonly only: string | undefined;
  readonly shape: NodeShape;
  /** Between two renewals of a node's lease. */
  readonly leaseMs: number;
  /** Between two reports of its status. */
  readonly statusMs: number;
  /** Names of nodes that are made and then never heard of; a final `*` stands for any rest. */
  readonly crashed: readonly string[];
}

export interface NodeKeeperDeps {
  readonly client: Client;
  readonly mirror: Mirror;
  readonly naming: Naming;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly onError: (error: unknown) => void;
  /** Undefined where no agent answers. */
  readonly agent: () => AgentAt | undefined;
  /** A node can take pods now, or can no longer. */
  readonly changed: (node: string) => void;
}

export interface NodeKeeper {
  run(signal: AbortSignal): Promise<void>;
  hostOf(node: string): HostNode | undefined;
}

const nodes: Collection = { group: "", version: "v1", resource: "nodes" };
const workers = 16;
/** A node is taken for lost after so many renewals that did not come. */
const missedRenewals = 4;

interface KeptNode extends ApiObject {
  readonly podCidr: string | undefined;
}

/** Registers nodes, keeps their leases and reports their status, as their agents would. */
export function createNodeKeeper(options: NodeKeeperOptions, deps: NodeKeeperDeps): NodeKeeper {
  const { client, mirror, naming, clock, telemetry, onError, changed } = deps;
  const leases: Collection = {
    ...{ group: naming.group("coordination"), version: "v1", resource: "leases" },
    namespace: naming.systemName("node-lease"),
  };
  const simulated = simulatedLabel(naming);
  const notReady = `node.${naming.key("not-ready")}`;
  const { only } = options;
  const names = only === undefined ? Array.from({ length: options.count }, (_, i) => `${options.prefix}${i}`) : [only];
  const own = new Map(
    names.map((name, index): [string, SimulatedNode] => [name, { name, index, isOnly: only !== undefined }]),
  );
  const isCrashed = (name: string): boolean =>
    options.crashed.some((each) => (each.endsWith("*") ? name.startsWith(each.slice(0, -1)) : name === each));
  /** When each reported first, and when last. */
  const reported = new Map<string, { readonly sinceMs: number; readonly atMs: number }>();
  const leased = new Set<string>();

  const view = mirror.view<KeptNode>({
    collection: nodes,
    ...(only === undefined
      ? { labelSelector: `${simulated}=true`, passes: ({ metadata }) => metadata.labels?.[simulated] === "true" }
      : { fieldSelector: `metadata.name=${only}`, passes: ({ metadata }) => metadata.name === only }),
    sees: "objects",
    keep: (object) => ({ ...identityOnly(object), podCidr: podCidrOf(object) }),
    handlers: {
      added: ({ metadata }) => changed(metadata.name ?? ""),
      // It was taken away; its agent would register it again.
      deleted({ metadata }) {
        const name = metadata.name ?? "";
        reported.delete(name);
        leased.delete(name);
        if (own.has(name)) queue.add(name);
      },
    },
    onError,
  });
  const queue = createWorkQueue<string>({ workers, clock, work, observer: telemetry.queue("nodes"), onError });

  async function work(name: string, signal: AbortSignal): Promise<Outcome> {
    const node = own.get(name);
    if (node === undefined) return "done";
    const isNew = !reported.has(name);
    if (isNew) {
      await register(node, signal);
      if (isCrashed(name)) return "done";
    }
    const last = reported.get(name);
    if (last === undefined || clock.now() - last.atMs >= options.statusMs) await report(node, signal);
    await renew(node, signal);
    // All come at once; that all leases were renewed at the same moment for ever would be a flood.
    return { againAfterMs: isNew ? (options.leaseMs * (node.index + 1)) / own.size : options.leaseMs };
  }

  async function register(node: SimulatedNode, signal: AbortSignal): Promise<void> {
    try {
      await client.create(nodes, nodeManifest(node, options.shape, naming), { signal });
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== "AlreadyExists") throw error;
    }
    await report(node, signal);
    // A node may not take taints from itself: a controller does.
    if (!node.isOnly) await untaint(node, signal);
  }

  /** Admission keeps pods away until a node is ready: it is, at once. */
  async function untaint({ name }: SimulatedNode, signal: AbortSignal): Promise<void> {
    const { metadata, spec } = await client.get(nodes, name, { signal });
    const taints: unknown = isRecord(spec) ? spec["taints"] : undefined;
    if (!Array.isArray(taints)) return;
    const left = taints.filter((taint) => !isRecord(taint) || taint["key"] !== notReady);
    if (left.length === taints.length) return;
    const { resourceVersion } = metadata;
    const body = { metadata: { resourceVersion }, spec: { taints: left.length === 0 ? null : left } };
    await client.patch(nodes, name, { type: patchTypes.merge, body, signal });
  }

  async function report(node: SimulatedNode, signal: AbortSignal): Promise<void> {
    const nowMs = clock.now();
    const sinceMs = reported.get(node.name)?.sinceMs ?? nowMs;
    const status = nodeStatus(node, options.shape, { nowMs, sinceMs, agent: deps.agent() });
    await client.patch(nodes, node.name, {
      type: patchTypes.strategic,
      body: { status },
      subresource: "status",
      signal,
    });
    const isNew = !reported.has(node.name);
    reported.set(node.name, { sinceMs, atMs: nowMs });
    telemetry.nodes(reported.size);
    if (isNew) changed(node.name);
  }

  async function renew({ name }: SimulatedNode, signal: AbortSignal): Promise<void> {
    const renewTime = wireMicroTime(clock.now());
    const seconds = Math.ceil((options.leaseMs * missedRenewals) / 1000);
    const spec = { holderIdentity: name, leaseDurationSeconds: seconds, renewTime };
    if (leased.has(name)) {
      try {
        await client.patch(leases, name, { type: patchTypes.merge, body: { spec: { renewTime } }, signal });
        return;
      } catch (error) {
        if (!(error instanceof ApiError) || error.reason !== "NotFound") throw error;
      }
    }
    try {
      const lease = { apiVersion: `${leases.group}/v1`, kind: "Lease", metadata: { name }, spec };
      await client.create(leases, lease, { signal });
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== "AlreadyExists") throw error;
      await client.patch(leases, name, { type: patchTypes.merge, body: { spec }, signal });
    }
    leased.add(name);
  }

  return {
    async run(signal) {
      for (const name of own.keys()) queue.add(name);
      await Promise.all([view.run(signal), queue.run(signal)]);
    },
    hostOf(name) {
      const node = own.get(name);
      if (node === undefined || !reported.has(name) || isCrashed(name)) return undefined;
      return { address: nodeAddress(node, deps.agent()), podCidr: view.store.get(name)?.podCidr };
    },
  };
}

function podCidrOf({ spec }: ApiObject): string | undefined {
  return isRecord(spec) && typeof spec["podCIDR"] === "string" ? spec["podCIDR"] : undefined;
}
