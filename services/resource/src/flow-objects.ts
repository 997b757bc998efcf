import type { Kind } from "@orch/api/catalog.js";
import { autoUpdateKey, type BuiltIn, builtInFlow } from "@orch/api/kinds/flowcontrol/built-in.js";
import type { FlowSchemaSpec, LevelSpec } from "@orch/api/kinds/flowcontrol/types.js";
import { sameMeaning } from "@orch/api/kinds/shared/same-meaning.js";
import type { AnyObject } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import { isObject } from "@orch/schema/descriptor.js";
import { type Key, key } from "@orch/store/revision.js";
import { ensureKept } from "./kept-object.js";
import { builtIn, type WriteDeps } from "./write.js";

type AnySpec = FlowSchemaSpec | LevelSpec;

/** The kinds that flow control is configured by, with the objects that are always there. */
export interface FlowKind {
  readonly kind: Kind;
  readonly prefix: Key;
  readonly objects: readonly BuiltIn<AnySpec>[];
}

export function flowKinds(deps: WriteDeps): readonly FlowKind[] {
  const { naming } = deps;
  const { schemas, levels } = builtInFlow(naming);
  const of = (name: string, objects: readonly BuiltIn<AnySpec>[]): FlowKind => {
    const kind = builtIn({ deps }, `${naming.group("flowcontrol.apiserver")}/v1`, name);
    return { kind, prefix: key(`${naming.storePrefix}${kind.storage.prefix}/`), objects };
  };
  // Levels first: a schema that names one which is not there takes no requests.
  return [of("PriorityLevelConfiguration", levels), of("FlowSchema", schemas)];
}

/** Makes what is missing and rights what is wrong; what users keep themselves stays as it is. How many it wrote. */
export async function ensureFlowObjects(deps: WriteDeps): Promise<number> {
  let written = 0;
  for (const { kind, objects } of flowKinds(deps)) {
    const wrote = objects.map((made) =>
      ensureKept(deps, {
        kind,
        name: made.name,
        right: (stored) => {
          const object = rightObject(made, stored, deps.naming);
          return object === undefined ? undefined : { object };
        },
      }),
    );
    written += (await Promise.all(wrote)).filter(Boolean).length;
  }
  return written;
}

/** An object as it should be; undefined where it is so, or is not the server's to change. */
export function rightObject(
  { name, mandatory, spec }: BuiltIn<AnySpec>,
  stored: AnyObject | undefined,
  naming: Naming,
): object | undefined {
  const annotation = autoUpdateKey(naming);
  if (stored === undefined) return { metadata: { name, annotations: { [annotation]: "true" } }, spec };
  const { metadata } = stored;
  const said = metadata.annotations?.[annotation];
  // Who never said anything and never changed anything wants what the server wants.
  const kept = mandatory || said === "true" || (said !== "false" && metadata.generation === 1);
  const wanted = kept ? withOwnLending(spec, stored["spec"]) : stored["spec"];
  if (said === String(kept) && sameMeaning(wanted, stored["spec"])) return undefined;
  return {
    ...stored,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [annotation]: String(kept) } },
    spec: wanted,
  };
}

/** What the exempt level lends is for users to say. */
function withOwnLending(spec: AnySpec, stored: unknown): object {
  if (!("exempt" in spec) || !isObject(stored) || stored["exempt"] === undefined) return spec;
  return { ...spec, exempt: stored["exempt"] };
}
