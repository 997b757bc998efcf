import type { FlowSchemaSpec, LevelSpec } from "@orch/api/kinds/flowcontrol/types.js";
import type { Naming } from "@orch/naming/naming.js";
import { watchCacheWatch } from "@orch/rpc/methods.js";
import type { Caller } from "@orch/rpc/rpc.js";
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

/** Follows the objects that configure flow control with two watches, as any client would. */
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

/** A line of a watch. */
interface WatchLine<Spec> {
  readonly type: string;
  readonly object: {
    readonly metadata: {
      readonly name: string;
      readonly uid: string;
      readonly annotations?: Readonly<Record<string, string>>;
    };
    readonly spec: Spec;
  };
}

/** Each time it is opened the watch begins with everything: a few dozen objects. */
function mirror<Spec>(
  { naming, caches, clock, log }: ConfigSourceDeps,
  resource: string,
  tell: (objects: readonly FlowObject<Spec>[]) => void,
): { start(): void; stop(): void } {
  const group = naming.group("flowcontrol.apiserver");
  let close: (() => void) | undefined;
  let stopped = false;

  const open = (): void => {
    const objects = new Map<string, FlowObject<Spec>>();
    let complete = false;
    const lines = createLines((text) => {
      const { type, object }: WatchLine<Spec> = JSON.parse(text);
      if (type === "ERROR") return;
      const { name, uid, annotations } = object.metadata;
      if (type === "BOOKMARK") complete ||= annotations?.[naming.initialEventsEnd] !== undefined;
      else if (type === "DELETED") objects.delete(name);
      else objects.set(name, { name, uid, spec: object.spec });
      if (complete) tell([...objects.values()]);
    });
    const again = (): void => {
      if (!stopped) close = clock.after(retryMs, open);
    };
    try {
      const subscription = caches(group).open(watchCacheWatch, watchOf(group, resource), {
        message: ({ body }) => lines(body),
        end(error) {
          if (error !== undefined && !stopped) log(`following ${resource} failed; trying again`, error);
          again();
        },
      });
      close = () => subscription.cancel();
    } catch (error) {
      log(`following ${resource} failed; trying again`, error);
      again();
    }
  };
  return {
    start: open,
    stop() {
      stopped = true;
      close?.();
    },
  };
}

function watchOf(group: string, resource: string) {
  return {
    group,
    version: "v1",
    resource,
    namespace: "",
    name: "",
    labelSelector: "",
    fieldSelector: "",
    resourceVersion: "",
    resourceVersionMatch: "NotOlderThan",
    sendInitialEvents: true,
    allowBookmarks: true,
    timeoutMs: 0,
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
