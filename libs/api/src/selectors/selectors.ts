import { badRequest } from "@orch/status/api-error.js";
import type { FieldSelectors } from "../data-file.js";
import { hasAlternatives, type LabelAlternatives, parseLabelAlternatives } from "./alternatives.js";
import { type FieldSelector, parseFieldSelector } from "./fields.js";
import { parseLabelSelector, SelectorError } from "./labels.js";

export interface Selectors {
  readonly labels: LabelAlternatives | undefined;
  readonly fields: FieldSelector | undefined;
}

/** A request's selector parameters; "" is none. @throws ApiError BadRequest for one that cannot be read */
export function parseSelectors(
  kind: { readonly fieldSelectors: FieldSelectors },
  request: { readonly labelSelector: string; readonly fieldSelector: string },
): Selectors {
  const { labelSelector, fieldSelector } = request;
  try {
    return {
      labels: labelSelector === "" ? undefined : parseLabelAlternatives(labelSelector),
      fields: fieldSelector === "" ? undefined : parseFieldSelector(fieldSelector, kind.fieldSelectors),
    };
  } catch (error) {
    throw error instanceof SelectorError ? badRequest(error.message, error) : error;
  }
}

/** Refuses alternatives as a server does that has none: in the reference's words. @throws ApiError BadRequest */
export function refuseAlternatives(labelSelector: string): void {
  if (!hasAlternatives(labelSelector)) return;
  try {
    parseLabelSelector(labelSelector);
  } catch (error) {
    throw error instanceof SelectorError ? badRequest(error.message, error) : error;
  }
  // No part of a selector may have a bar in it.
  throw badRequest("a selector has no alternatives");
}
