import type { ServiceCIDR } from "@orch/api/kinds/networking/types.js";
import type { ApiObject } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import { patchTypes } from "@orch/client/patch-types.js";
import { withoutManagers } from "@orch/client/without-managers.js";
import { createWorkQueue, type Outcome } from "@orch/client/work-queue.js";
import { wireTime } from "@orch/status/wire-time.js";
import type { Controller } from "../controller.js";
import { finalizersOf } from "../garbage/references.js";
import { type ControllerTools, failureTeller } from "../tools.js";
import { decideRange, type RangeStep, type ReadyCondition, type SeenRange } from "./decide-range.js";

const name = "service-cidr-controller";

type Range = ApiObject & Pick<ServiceCIDR, "spec" | "status">;

/** ServiceCIDR objects are protected while services have addresses of them alone, and say whether they are ready. */
export function createRangeController({ client, mirror, naming, clock, ...tools }: ControllerTools): Controller {
  const group = naming.group("networking");
  const ranges = { group, version: "v1beta1", resource: "servicecidrs" };
  const finalizer = `${group}/service-cidr-finalizer`;
  const managedBy = `ipaddress.${naming.key("managed-by")}=${naming.group("ipallocator")}`;
  const failed = failureTeller({ ...tools }, name);
  const seenRange = (object: Range): SeenRange => seen(object, finalizer);

  const protect = async (range: Range, wanted: boolean, signal: AbortSignal): Promise<void> => {
    const others = finalizersOf(range).filter((one) => one !== finalizer);
    const finalizers = wanted ? [...others, finalizer] : others;
    await client.update(ranges, { ...range, metadata: { ...range.metadata, finalizers } }, { signal });
  };
  const tell = async ({ metadata }: Range, ready: ReadyCondition, signal: AbortSignal): Promise<void> => {
    const { name: of = "", uid, resourceVersion } = metadata;
    const condition = { type: "Ready", ...ready, lastTransitionTime: wireTime(clock.now()) };
    const body = { metadata: { uid, resourceVersion }, status: { conditions: [condition] } };
    await client.patch(ranges, of, { type: patchTypes.strategic, body, subresource: "status", signal });
  };

  return {
    async run(signal) {
      const decide = (object: Range): RangeStep =>
        decideRange(seenRange(object), {
          ranges: [...objects.store.values()].map(seenRange),
          addresses: namesOf(addresses.store.values()),
          now: clock.now(),
          productName: naming.productName,
        });
      const work = async (key: string, working: AbortSignal): Promise<void> => {
        const object = objects.store.get(key);
        if (object === undefined || decide(object).step === "nothing") return;
        // As it is now: with its version, whatever somebody else changes meanwhile is a conflict.
        const live: Range = await client.get(ranges, key, { signal: working });
        const next = decide(live);
        if (next.step === "protect") await protect(live, true, working);
        else if (next.step === "tell") await tell(live, next.ready, working);
        else if (next.step === "wait") queue.addAfter(key, next.ms);
        else if (next.step === "let go") await protect(live, false, working);
      };
      const queue = createWorkQueue<string>({
        workers: 1,
        // What somebody has changed meanwhile is looked at again when it is heard of.
        work: (key, working) =>
          work(key, working).then(
            (): Outcome => "done",
            (error: unknown): Outcome => unlessPast(error) ?? "retry",
          ),
        clock,
        observer: tools.telemetry.queue("servicecidrs"),
        onError: (error, key) => failed(error, { key }),
      });
      const look = ({ metadata }: ApiObject): void => queue.add(metadata.name ?? "");
      /** Others may have waited for it. */
      const lookAtThoseThatGo = (): void => {
        for (const object of objects.store.values()) if (object.metadata.deletionTimestamp !== undefined) look(object);
      };
      const lookAtAll = (object: ApiObject): void => {
        look(object);
        lookAtThoseThatGo();
      };
      const objects = mirror.view<Range>({
        ...{ collection: ranges, sees: "objects", keep: withoutManagers, onError: failed },
        handlers: { added: lookAtAll, modified: lookAtAll, deleted: lookAtThoseThatGo },
      });
      const addresses = mirror.view({
        ...{ collection: { ...ranges, resource: "ipaddresses" }, sees: "metadata", keep: withoutManagers },
        ...{ labelSelector: managedBy, onError: failed },
        handlers: { added: lookAtThoseThatGo, deleted: lookAtThoseThatGo },
      });
      const following = [objects.run(signal), addresses.run(signal)];
      // Addresses that were not read yet would be missed.
      await Promise.race([Promise.all([objects.synced, addresses.synced]), ...following]);
      await Promise.all([...following, queue.run(signal)]);
    },
  };
}

function* namesOf(objects: Iterable<ApiObject>): Generator<string> {
  for (const { metadata } of objects) yield metadata.name ?? "";
}

function seen({ metadata, spec, status }: Range, finalizer: string): SeenRange {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const { deletionTimestamp } = metadata;
  return {
    name: metadata.name ?? "",
    cidrs: spec?.cidrs ?? [],
    goesSince: typeof deletionTimestamp === "string" ? Date.parse(deletionTimestamp) : undefined,
    isProtected: finalizersOf({ metadata }).includes(finalizer),
    ready: ready && {
      status: ready.status === "True" ? "True" : "False",
      reason: ready.reason ?? "",
      message: ready.message ?? "",
    },
  };
}
