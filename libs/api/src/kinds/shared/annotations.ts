import type { ObjectMeta } from "@orch/schema/object-meta.js";

/** The whole number in an annotation; undefined where there is none. */
export function numberIn(metadata: Pick<ObjectMeta, "annotations">, key: string): number | undefined {
  const text = metadata.annotations?.[key] ?? "";
  return /^[+-]?[0-9]+$/.test(text) ? Number(text) : undefined;
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
