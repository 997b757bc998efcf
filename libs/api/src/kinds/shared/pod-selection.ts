import { type FieldError, fieldError } from "@orch/status/field-error.js";
import type { PodTemplate } from "../core/pod/template.js";
import { compileSelector, isEmptySelector, type LabelSelector, validateLabelSelector } from "./label-selector.js";
import { immutable, nothing } from "./problems.js";
import { sameMeaning } from "./same-meaning.js";

/** What controllers say of their pods: which are theirs, and how new ones are made. */
export interface PodSelection {
  readonly selector?: LabelSelector;
  readonly template?: PodTemplate;
}

/** A selector that is well formed and selects less than everything; `noun` names the kind in the error. */
export function validateOwnSelector(selector: LabelSelector | undefined, noun: string, at: string): FieldError[] {
  return [
    ...validateLabelSelector(selector, at),
    ...(selector !== undefined && isEmptySelector(selector)
      ? [fieldError.invalid(at, selector, `empty selector is invalid for ${noun}`)]
      : []),
  ];
}

/** A selector that cannot select: what depends on it is not looked at. */
export function isBroken(selector: LabelSelector | undefined): selector is LabelSelector {
  return selector !== undefined && compileSelector(selector) === undefined;
}

/** The pods made of the template are selected; an absent selector selects none, a broken one is another error's. */
export function validateSelected({ selector, template = {} }: PodSelection, at: string): FieldError[] {
  if (isBroken(selector) || compileSelector(selector)?.matches(template.metadata?.labels)) return [];
  const labels = template.metadata?.labels ?? null;
  return [fieldError.invalid(`${at}.template.metadata.labels`, labels, "`selector` does not match template `labels`")];
}

/** The selector stays as it is, but for writes of the oldest versions (rules: Removed API versions by release, 1.16). */
export function validateSelectorKept(
  { selector }: PodSelection,
  { selector: old }: PodSelection,
  { asked, at }: { readonly asked: string; readonly at: string },
): FieldError[] {
  return asked === "v1beta1" || sameMeaning(selector, old)
    ? []
    : [fieldError.invalid(`${at}.selector`, selector ?? nothing, immutable)];
}

/** Pods that run until they are deleted; `noun` names the kind in the error. */
export function validateEndless({ spec = {} }: PodTemplate, noun: string, at: string): FieldError[] {
  const { restartPolicy = "", activeDeadlineSeconds } = spec;
  return [
    ...(restartPolicy === "Always"
      ? []
      : [fieldError.notSupported(`${at}.spec.restartPolicy`, restartPolicy, ["Always"])]),
    ...(activeDeadlineSeconds === undefined
      ? []
      : [
          fieldError.forbidden(`${at}.spec.activeDeadlineSeconds`, `activeDeadlineSeconds in ${noun} is not Supported`),
        ]),
  ];
}
