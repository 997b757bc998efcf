import type { FlowSchemaSpec, LevelSpec } from "@orch/api/kinds/flowcontrol/types.js";
import type { Naming } from "@orch/naming/naming.js";
import { watchCacheList, watchCacheWatch } from "@orch/rpc/methods.js";
import type { Caller, Subscription } from "@orch/rpc/rpc.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { FlowConfig, FlowObject } from "./config.js";

export interface ConfigSourceDeps {
  readonly naming: Naming;
  /** The watch caches that answer for a group. */
  readonly caches: (group: string) => Caller;
  readonly clock: Clock;
  /** Told of every new state, once both kinds are known. */
  readonly changed: (config: FlowConfig) => void;
  readonly log: (what: string, error: unknown) => void;
}

const retryMs = 1000;
/** Changes that come together are taken over together. */
const settleMs = 20;

/** Follows the objects that configure flow control with two lists and watches, as any client would. */
export function followFlowConfig(deps: ConfigSourceDeps): { start(): void; stop(): void } {
  let schemas: readonly FlowObject<FlowSchemaSpec>[] | undefined;
  let levels: readonly FlowObject<LevelSpec>[] | undefined;
  let pending = false;
  const tell = (): void => {
    pending = false;
    if (schemas !== undefined && levels !== undefined) deps.changed({ schemas, levels });
  };
  const changed = (): void => {
    if (pending) return;
    pending = true;
    deps.clock.after(settleMs, tell);
  };
  const mirrors = [
    mirror<FlowSchemaSpec>(deps, "flowschemas", (all) => {
      schemas = all;
      changed();
    }),
    mirror<LevelSpec>(deps, "prioritylevelconfigurations", (all) => {
      levels = all;
      changed();
    }),
  ];
  return {
    start() {
      for (const each of mirrors) each.start();
    },
    stop() {
      for (const each of mirrors) each.stop();
    },
  };
}

interface ConfigObject<Spec> {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
  readonly spec: Spec;
}

interface ConfigList<Spec> {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly ConfigObject<Spec>[];
}

/** A line of a watch. */
interface WatchLine<Spec> {
  readonly type: string;
  readonly object: ConfigObject<Spec>;
}

/** Lists, a few dozen objects, then watches from there; when the watch ends, from the start. */
function mirror<Spec>(
  { naming, caches, clock, log }: ConfigSourceDeps,
  resource: string,
  tell: (objects: readonly FlowObject<Spec>[]) => void,
): { start(): void; stop(): void } {
  const group = naming.group("flowcontrol.apiserver");
  let close: (() => void) | undefined;
  let stopped = false;

  const again = (error: unknown): void => {
    if (stopped) return;
    if (error !== undefined) log(`following ${resource} failed; trying again`, error);
    close = clock.after(retryMs, load);
  };
  const opening = (open: () => Subscription): void => {
    try {
      const stream = open();
      close = () => stream.cancel();
    } catch (error) {
      again(error);
    }
  };
  const load = (): void => {
    const parts: Buffer[] = [];
    const request = { ...collection(group, resource), limit: 0, continueToken: "", gzip: false };
    opening(() =>
      caches(group).open(watchCacheList, request, {
        message: ({ body }) => void parts.push(Buffer.from(body)),
        end(error) {
          if (stopped || error !== undefined) return again(error);
          const list: ConfigList<Spec> = JSON.parse(Buffer.concat(parts).toString("utf8"));
          follow(list);
        },
      }),
    );
  };
  const follow = ({ metadata, items }: ConfigList<Spec>): void => {
    const objects = new Map(items.map((item) => [item.metadata.name, flowObject(item)]));
    tell([...objects.values()]);
    const lines = createLines((text) => {
      const { type, object }: WatchLine<Spec> = JSON.parse(text);
      if (type === "ERROR" || type === "BOOKMARK") return;
      const { name } = object.metadata;
      if (type === "DELETED") objects.delete(name);
      else objects.set(name, flowObject(object));
      tell([...objects.values()]);
    });
    const { resourceVersion } = metadata;
    const request = { ...collection(group, resource), name: "", resourceVersion, allowBookmarks: true, timeoutMs: 0 };
    opening(() =>
      caches(group).open(watchCacheWatch, request, {
        message: ({ body }) => lines(body),
        end: (error) => again(error),
      }),
    );
  };
  return {
    start: load,
    stop() {
      stopped = true;
      close?.();
    },
  };
}

function flowObject<Spec>({ metadata, spec }: ConfigObject<Spec>): FlowObject<Spec> {
  return { name: metadata.name, uid: metadata.uid, spec };
}

function collection(group: string, resource: string) {
  return {
    group,
    version: "v1",
    resource,
    namespace: "",
    labelSelector: "",
    fieldSelector: "",
    resourceVersion: "",
    resourceVersionMatch: "",
    form: "",
  };
}

const newline = 0x0a;

/** Chunks cut anywhere → whole lines. */
function createLines(line: (text: string) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      line(Buffer.concat([rest, chunk.subarray(from, at)]).toString("utf8"));
      rest = Buffer.alloc(0);
      from = at + 1;
    }
    // A chunk's bytes may be kept only as a copy.
    if (from < chunk.length) rest = Buffer.concat([rest, chunk.subarray(from)]);
  };
}
