import type { FlowSchemaSpec, LevelSpec } from "@orch/api/kinds/flowcontrol/types.js";
import type { AnyObject } from "@orch/api/object.js";
import type { Following, ObjectSource } from "@orch/auth/object-source.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { FlowConfig, FlowObject } from "./config.js";

export interface ConfigSourceDeps {
  readonly naming: Naming;
  readonly objects: ObjectSource;
  readonly clock: Clock;
  /** Called with every new state, once both kinds are known. */
  readonly changed: (config: FlowConfig) => void;
}

/** Changes that come together are taken over together. */
const settleMs = 20;

/** Follows the objects that configure flow control. */
export function followFlowConfig(deps: ConfigSourceDeps): { start(): void; stop(): void } {
  const schemas = new Map<string, FlowObject<FlowSchemaSpec>>();
  const levels = new Map<string, FlowObject<LevelSpec>>();
  const loaded = new Set<string>();
  const followings: Following[] = [];
  let pending = false;
  const tell = (): void => {
    pending = false;
    if (loaded.size === 2) deps.changed({ schemas: [...schemas.values()], levels: [...levels.values()] });
  };
  const changed = (): void => {
    if (pending) return;
    pending = true;
    deps.clock.after(settleMs, tell);
  };
  const follow = <Spec>(resource: string, objects: Map<string, FlowObject<Spec>>): void => {
    const set = (object: AnyObject): void => {
      const flowObject = flowObjectOf<Spec>(object);
      objects.set(flowObject.name, flowObject);
    };
    const collection = { group: deps.naming.group("flowcontrol.apiserver"), version: "v1", resource };
    followings.push(
      deps.objects.follow(collection, {
        replaced(all) {
          objects.clear();
          for (const object of all) set(object);
          loaded.add(resource);
          changed();
        },
        changed(object) {
          set(object);
          changed();
        },
        deleted({ metadata }) {
          objects.delete(metadata.name ?? "");
          changed();
        },
      }),
    );
  };
  return {
    start() {
      follow("flowschemas", schemas);
      follow("prioritylevelconfigurations", levels);
    },
    stop() {
      for (const following of followings) following.stop();
    },
  };
}

/** The objects of a kind that validation has seen before they were stored. */
function flowObjectOf<Spec>({ metadata, spec }: AnyObject): FlowObject<Spec> {
  return { name: metadata.name ?? "", uid: metadata.uid ?? "", spec: spec as Spec };
}
