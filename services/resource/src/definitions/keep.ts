import type { Kind } from "@orch/api/catalog.js";
import {
  type DefinitionCondition,
  hasUsableBundle,
  judgeApproval,
  judgeNames,
  judgeStructure,
  judgeWaiting,
  type NamesJudged,
  saysSo,
  withConditions,
  withoutCondition,
} from "@orch/api/custom/conditions.js";
import { approvalOf } from "@orch/api/kinds/apiextensions/approval.js";
import type { CustomResourceDefinition, DefinitionNames } from "@orch/api/kinds/apiextensions/types.js";
import type { AnyObject } from "@orch/api/object.js";
import type { ObjectSource } from "@orch/auth/object-source.js";
import { sleep, systemClock } from "@orch/runtime/clock.js";
import { isOvertaken } from "../write/kept-object.js";
import { ownWrite } from "../write/own-write.js";
import { storedObject } from "../write/storing/stored.js";
import { update } from "../write/update.js";
import { keyOf, timestamp, type WriteDeps } from "../write/write.js";

export interface DefinitionKeeperDeps extends WriteDeps {
  readonly kind: Kind;
  readonly definitions: ObjectSource;
  readonly log: (what: string, error: unknown) => void;
}

/** What names are judged by: of thousands of definitions nothing more is kept here. */
interface Known {
  readonly group: string;
  readonly accepted: DefinitionNames | undefined;
}

const retryMs = 1000;

/**
 * Says in the status of every definition which of its names are accepted, that it is established, whether a protected group's
 * was approved, and whether its schemas have structure, until the signal. Several services may do so at once: each write follows the state that it judged.
 */
export async function keepDefinitions(deps: DefinitionKeeperDeps, signal: AbortSignal): Promise<void> {
  const known = new Map<string, Known>();
  const waiting = new Set<string>();
  let wake = (): void => {};
  const look = (name: string): void => {
    waiting.add(name);
    wake();
  };
  /** Names that were given up are there for others of the group. */
  const lookAtGroup = (group: string): void => {
    for (const [name, other] of known) if (other.group === group) look(name);
  };
  const put = (object: AnyObject): void => {
    const name = object.metadata.name ?? "";
    const before = known.get(name);
    const now = knownOf(object);
    known.set(name, now);
    look(name);
    if (before !== undefined && namesText(before) !== namesText(now)) lookAtGroup(now.group);
  };
  const drop = (name: string): void => {
    const before = known.get(name);
    known.delete(name);
    if (before !== undefined) lookAtGroup(before.group);
  };
  const { group, version, plural: resource } = deps.kind;
  const following = deps.definitions.follow(
    { group, version, resource },
    {
      replaced(objects) {
        known.clear();
        for (const object of objects) put(object);
      },
      changed: put,
      deleted: ({ metadata }) => drop(metadata.name ?? ""),
    },
  );
  signal.addEventListener("abort", () => wake(), { once: true });
  while (!signal.aborted) {
    const [name] = waiting;
    if (name === undefined) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      continue;
    }
    waiting.delete(name);
    try {
      await judge(deps, name, known);
    } catch (error) {
      if (signal.aborted) break;
      waiting.add(name);
      if (!isOvertaken(error)) deps.log(`the status of definition ${name} could not be written; trying again`, error);
      await sleep(systemClock, isOvertaken(error) ? 0 : retryMs, signal);
    }
  }
  following.stop();
}

function knownOf(object: CustomResourceDefinition): Known {
  return { group: object.spec?.group ?? "", accepted: object.status?.acceptedNames };
}

const namesText = ({ accepted }: Known): string => JSON.stringify(accepted ?? {});

/** Writes what is to be said of one definition as it is stored now. @throws ApiError */
async function judge(deps: DefinitionKeeperDeps, name: string, known: ReadonlyMap<string, Known>): Promise<void> {
  const { kind, naming } = deps;
  const entry = await deps.store.get(keyOf(ownWrite(deps, kind, { verb: "update" }), name));
  if (entry === undefined) return;
  const object: CustomResourceDefinition & AnyObject = storedObject(kind, entry);
  const { spec, status } = object;
  const others = function* (): Generator<DefinitionNames | undefined> {
    for (const [of, one] of known) if (of !== name && one.group === spec?.group) yield one.accepted;
  };
  const isCallable = hasUsableBundle(spec ?? {});
  const names = judgeNames({ names: spec?.names ?? {}, status, isCallable }, others());
  const one = [
    names === undefined ? judgeWaiting({ status, isCallable }) : undefined,
    judgeStructure(spec ?? {}),
    judgeApproval(approvalOf(object, naming)),
  ];
  const conditions = [...(names?.conditions ?? []), ...one.filter((condition) => condition !== undefined)];
  const isStructural = !conditions.some(({ type }) => type === nonStructural);
  const isHealed = isStructural && (status?.conditions?.some(({ type }) => type === nonStructural) ?? false);
  if (!isHealed && !says(status, names, conditions)) return;
  const before = { ...status, ...(names === undefined ? {} : { acceptedNames: names.acceptedNames }) };
  const kept = isHealed ? withoutCondition(before, nonStructural) : before;
  const said = withConditions(kept, conditions, timestamp(deps.now()));
  await update(
    ownWrite(deps, kind, { verb: "update", subresource: "status", name, object: { ...object, status: said } }),
  );
}

const nonStructural = "NonStructuralSchema";

/** Whether there is anything to say that the status does not. */
function says(
  status: CustomResourceDefinition["status"],
  names: NamesJudged | undefined,
  conditions: readonly DefinitionCondition[],
): boolean {
  if (!saysSo(status, conditions)) return true;
  return names !== undefined && JSON.stringify(names.acceptedNames) !== JSON.stringify(status?.acceptedNames ?? {});
}
