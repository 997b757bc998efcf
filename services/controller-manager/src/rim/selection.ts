import { compileSelector, type LabelSelector } from "@orch/api/kinds/shared/label-selector.js";
import type { Labels, LabelSelector as Matcher } from "@orch/api/selectors/labels.js";

export type { LabelSelector } from "@orch/api/kinds/shared/label-selector.js";
export type { Labels } from "@orch/api/selectors/labels.js";
export type { Matcher };

const compiled = new WeakMap<LabelSelector, { readonly matcher: Matcher | undefined }>();

/** Compiled once for each selector that a store keeps: owners are looked at much more often than they change. */
export function compileSelectorOnce(selector: LabelSelector | undefined): Matcher | undefined {
  if (selector === undefined) return undefined;
  const known = compiled.get(selector) ?? { matcher: compileSelector(selector) };
  compiled.set(selector, known);
  return known.matcher;
}

const ofLabels = new WeakMap<Labels, LabelSelector>();

/** What has all of these labels: one selector for each record of labels that a store keeps, which is compiled once. */
export function selectorOfLabels(labels: Labels): LabelSelector {
  const known = ofLabels.get(labels) ?? { matchLabels: labels };
  ofLabels.set(labels, known);
  return known;
}
