import { isRecord } from "@orch/client/objects.js";
import { jsonText } from "@orch/status/json-text.js";
import type { PodTemplate } from "../rim/pod-control.js";
import { sameJson } from "../rim/same-json.js";

/** Letters and digits that make no words. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/** FNV-1a of 32 bits. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

/** A number as a part of names: each of its decimal digits is a letter or digit of an alphabet of 27. */
export function safeText(number: number): string {
  return [...String(number)].map((digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join("");
}

/**
 * A short name of a template's content, the same in every process and release: fields in the order of their names.
 * Templates that share one by chance are told apart by the count of such collisions.
 */
export function templateHash(template: unknown, collisionCount: number | undefined): string {
  return safeText(fnv1a(`${canonicalText(template)}${collisionCount ?? ""}`));
}

/** JSON with the fields of each object in the order of their names. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  if (!isRecord(value)) return jsonText(value);
  const fields = Object.keys(value).filter((name) => value[name] !== undefined);
  return `{${fields
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalText(value[name])}`)
    .join(",")}}`;
}

/** Whether pods of both are the same but for the label that tells their sets apart. */
export function sameTemplate(a: PodTemplate = {}, b: PodTemplate = {}, hashLabel: string): boolean {
  return sameJson(withoutLabel(a, hashLabel), withoutLabel(b, hashLabel));
}

function withoutLabel(template: PodTemplate, label: string): PodTemplate {
  const { labels, ...metadata } = template.metadata ?? {};
  const { creationTimestamp: _made, ...rest }: { readonly creationTimestamp?: unknown } & typeof metadata = metadata;
  const kept = Object.entries(labels ?? {}).filter(([name]) => name !== label);
  return { ...template, metadata: { ...rest, ...(kept.length === 0 ? {} : { labels: Object.fromEntries(kept) }) } };
}
