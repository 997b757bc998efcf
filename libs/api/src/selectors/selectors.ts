import { badRequest } from "@orch/status/api-error.js";
import type { FieldSelectors } from "../data-file.js";
import { type FieldSelector, parseFieldSelector } from "./fields.js";
import { type LabelSelector, parseLabelSelector, SelectorError } from "./labels.js";

export interface Selectors {
  readonly labels: LabelSelector | undefined;
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
      labels: labelSelector === "" ? undefined : parseLabelSelector(labelSelector),
      fields: fieldSelector === "" ? undefined : parseFieldSelector(fieldSelector, kind.fieldSelectors),
    };
  } catch (error) {
    throw error instanceof SelectorError ? badRequest(error.message, error) : error;
  }
}
