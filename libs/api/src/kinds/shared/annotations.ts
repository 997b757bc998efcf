import { type Integer64, integer64 } from "@orch/schema/integer64.js";
import type { ObjectMeta } from "@orch/schema/object-meta.js";

/** The whole number of 64 bits in an annotation; undefined where there is none. */
export function numberIn(metadata: Pick<ObjectMeta, "annotations">, key: string): Integer64 | undefined {
  const text = metadata.annotations?.[key] ?? "";
  return /^[+-]?[0-9]{1,40}$/.test(text) ? integer64(BigInt(text.replace("+", ""))) : undefined;
}

/** The metadata with some annotations set and others (undefined) taken away. */
export function withAnnotations<M extends Pick<ObjectMeta, "annotations">>(
  metadata: M,
  changes: Readonly<Record<string, string | undefined>>,
): M {
  const kept = Object.entries({ ...metadata.annotations, ...changes }).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  const { annotations: _annotations, ...rest } = metadata;
  // Only the annotations differ.
  return (kept.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(kept) }) as M;
}
