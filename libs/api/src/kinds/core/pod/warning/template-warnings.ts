import type { Naming } from "@orch/naming/naming.js";
import type { Was } from "../../../../behavior.js";
import type { ApiObject } from "../../../../object.js";
import { nameWarnings, podNamesUse } from "../../../shared/warnings/text.js";
import type { PodTemplate } from "../template.js";
import { podWarnings } from "./warnings.js";

export interface TemplateOf<T> {
  /** The path of the template. */
  readonly at: string;
  readonly template: (object: T) => PodTemplate | undefined;
  /** Whether the object's name becomes part of its pods' names. */
  readonly named: boolean;
}

/** What whoever writes an object that makes pods is warned of: on an update, of one that changes what it asks for. */
export function templateWarnings<T extends ApiObject>(naming: Naming, { at, template, named }: TemplateOf<T>) {
  const { ofTemplate } = podWarnings(naming);
  return function* (object: T, { old }: Was<T>): Iterable<string> {
    if (old === undefined && named) yield* nameWarnings(object.metadata.name ?? "", podNamesUse);
    if (old === undefined || object.metadata.generation !== old.metadata.generation)
      yield* ofTemplate(template(object), at);
  };
}
