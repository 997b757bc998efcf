import type { Naming } from "@orch/naming/naming.js";
import { productName } from "../shared/warnings/text.js";

interface NodeSpec {
  readonly configSource?: unknown;
  readonly externalID?: string;
}

export function* nodeWarnings({ configSource, externalID = "" }: NodeSpec, naming: Naming): Iterable<string> {
  if (configSource !== undefined) yield "spec.configSource: the feature is removed";
  if (externalID !== "") {
    yield `spec.externalID: this field is deprecated, and is unused by ${productName(naming)}`;
  }
}
