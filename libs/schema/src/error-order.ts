import type { FieldError } from "@orch/status/field-error.js";
import type { ListType, MessageType, Type } from "./descriptor.js";
import { groupBy } from "./group-by.js";

/**
 * Errors in the order in which the fields of their types are judged, where a type says one (`order`): whoever reads only
 * the first of them reads the same one wherever rules are kept. Errors of other types stay among themselves as they were.
 *
 *     spec.hostname, spec.containers[1].name, spec.containers[0].name   →   containers[0], containers[1], hostname
 */
export function inOrder(type: MessageType, errors: readonly FieldError[]): readonly FieldError[] {
  if (errors.length < 2) return errors;
  return arranged(
    type,
    errors.map((error) => ({ error, rest: error.field })),
  ).map(({ error }) => error);
}

/** An error with what is left of its path below a type. */
interface Placed {
  readonly error: FieldError;
  readonly rest: string;
}

function arranged(type: Type, errors: readonly Placed[]): readonly Placed[] {
  if (errors.length < 2) return errors;
  if (type.kind === "list") return ofList(type, errors);
  if (type.kind !== "message") return errors;
  const byField = groupBy(errors, fieldOf);
  const below = new Map([...byField].map(([name, some]) => [name, ofField(type, name, some)]));
  if (type.order === undefined) return inPlace(errors, fieldOf, below);
  const rank = (name: string): number => type.order?.get(name) ?? type.order?.size ?? 0;
  const known = [...below.keys()].filter((name) => type.order?.has(name)).sort((a, b) => rank(a) - rank(b));
  const others = errors.filter((e) => type.order?.has(fieldOf(e)) !== true);
  return [...known.flatMap((name) => below.get(name) ?? []), ...inPlace(others, fieldOf, below)];
}

function ofField(type: MessageType, name: string, errors: readonly Placed[]): readonly Placed[] {
  const field = type.byName.get(name);
  if (field === undefined) return errors;
  const below = errors.map(({ error, rest }) => ({ error, rest: rest.slice(name.length).replace(/^\./, "") }));
  return arranged(field.type, below);
}

/** Errors of items by their position, those of the list itself before them. */
function ofList({ item }: ListType, errors: readonly Placed[]): readonly Placed[] {
  if (item.kind !== "message") return errors;
  const groups = [...groupBy(errors, positionOf)];
  const below = new Map(groups.map(([position, some]) => [position, position < 0 ? some : ofItem(item, some)]));
  if (item.order === undefined) return inPlace(errors, positionOf, below);
  return [...below.entries()].sort(([a], [b]) => a - b).flatMap(([, some]) => some);
}

function ofItem(item: MessageType, errors: readonly Placed[]): readonly Placed[] {
  return arranged(
    item,
    errors.map(({ error, rest }) => ({ error, rest: rest.slice(rest.indexOf("]") + 1).replace(/^\./, "") })),
  );
}

/** Each error gives its place to the next one of its group. */
function inPlace<K>(
  errors: readonly Placed[],
  keyOf: (error: Placed) => K,
  groups: ReadonlyMap<K, readonly Placed[]>,
): readonly Placed[] {
  const taken = new Map<K, number>();
  return errors.map((error) => {
    const key = keyOf(error);
    const i = taken.get(key) ?? 0;
    taken.set(key, i + 1);
    return groups.get(key)?.[i] ?? error;
  });
}

/** `ports[0].name` → `ports`; the message itself has none. */
function fieldOf({ rest }: Placed): string {
  const end = rest.search(/[.[]/);
  return end < 0 ? rest : rest.slice(0, end);
}

/** `[2].name` → 2; −1 for the list itself. */
function positionOf({ rest }: Placed): number {
  const position = rest.startsWith("[") ? Number.parseInt(rest.slice(1), 10) : Number.NaN;
  return Number.isNaN(position) ? -1 : position;
}
