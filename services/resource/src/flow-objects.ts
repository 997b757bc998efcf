import type { Kind } from "@orch/api/catalog.js";
import { autoUpdateKey, type BuiltIn, builtInFlow } from "@orch/api/kinds/flowcontrol/built-in.js";
import type { FlowSchemaSpec, LevelSpec } from "@orch/api/kinds/flowcontrol/types.js";
import { sameMeaning } from "@orch/api/kinds/shared/same-meaning.js";
import type { AnyObject } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import { isObject } from "@orch/schema/descriptor.js";
import { type Key, key } from "@orch/store/revision.js";
import { ensureKept, isOvertaken, removeKept } from "./write/kept-object.js";
import { storedObject } from "./write/storing/stored.js";
import { builtIn, type WriteDeps } from "./write/write.js";

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

/** As the reference names who writes them. */
const fieldManager = "api-priority-and-fairness-config-producer-v1";

/**
 * Makes what is missing, rights what is wrong, deletes what a server made and this one does not know; what users keep
 * themselves stays as it is. How many it wrote or deleted.
 */
export async function ensureFlowObjects(deps: WriteDeps): Promise<number> {
  let written = 0;
  const kinds = flowKinds(deps);
  for (const { kind, objects } of kinds) {
    const wrote = objects.map((made) =>
      ensureKept(deps, {
        kind,
        name: made.name,
        fieldManager,
        right: (stored) => {
          const object = rightObject(made, stored, deps.naming);
          return object === undefined ? undefined : { object };
        },
      }),
    );
    written += (await Promise.all(wrote)).filter(Boolean).length;
  }
  // Schemas first: none of them is without its level meanwhile.
  for (const kind of [...kinds].reverse()) written += await removeUnknown(deps, kind);
  return written;
}

async function removeUnknown(deps: WriteDeps, { kind, prefix, objects }: FlowKind): Promise<number> {
  const { entries } = await deps.store.range({ prefix, damaged: "told" });
  const known = new Set(objects.map(({ name }) => name));
  const unknown = entries
    .map((entry) => storedObject(kind, entry))
    .filter((object) => isUnknown(object, known, deps.naming));
  for (const object of unknown) {
    await removeKept(deps, kind, object).catch((error: unknown) => {
      if (!isOvertaken(error)) throw error;
    });
  }
  return unknown.length;
}

/** Whether it says that the server keeps it, which no server does any more. What goes already needs no second deletion. */
export function isUnknown({ metadata }: AnyObject, known: ReadonlySet<string>, naming: Naming): boolean {
  if (known.has(metadata.name ?? "") || metadata.deletionTimestamp !== undefined) return false;
  return truthOf(metadata.annotations?.[autoUpdateKey(naming)]) === true;
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
  const said = truthOf(metadata.annotations?.[annotation]);
  // Who never said anything and never changed anything wants what the server wants.
  const kept = mandatory || (said ?? metadata.generation === 1);
  const wanted = kept ? withOwnLending(spec, stored["spec"]) : stored["spec"];
  if (said === kept && sameMeaning(wanted, stored["spec"])) return undefined;
  return {
    ...stored,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [annotation]: String(kept) } },
    spec: wanted,
  };
}

const truths: ReadonlyMap<string | undefined, boolean> = new Map([
  ...["1", "t", "T", "true", "TRUE", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "false", "FALSE", "False"].map((text) => [text, false] as const),
]);

/** What an annotation says, in all the spellings that the reference takes; undefined for nothing and for others. */
function truthOf(text: string | undefined): boolean | undefined {
  return truths.get(text);
}

/** What the exempt level lends is for users to say. */
function withOwnLending(spec: AnySpec, stored: unknown): object {
  if (!("exempt" in spec) || !isObject(stored) || stored["exempt"] === undefined) return spec;
  return { ...spec, exempt: stored["exempt"] };
}
