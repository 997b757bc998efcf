import type { LabelSelector } from "@orch/api/selectors/labels.js";

/** A selector of labels, compiled. */
export type Matcher = LabelSelector;
