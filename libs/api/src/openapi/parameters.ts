import type { MessageType, Type } from "@orch/schema/descriptor.js";
import type { Docs } from "./docs.js";

/** A parameter of the path or the query. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly type: "string" | "integer" | "boolean";
  readonly required: boolean;
  readonly description: string | undefined;
}

/** The options of a verb as parameters of the query; what cannot be written there is left out. */
export function optionParameters(options: MessageType, docs: Docs, without: readonly string[] = []): Parameter[] {
  return [...options.byName].flatMap(([name, field]): Parameter[] => {
    const type = parameterType(field.type);
    if (type === undefined || name === "kind" || name === "apiVersion" || without.includes(name)) return [];
    return [{ name, in: "query", type, required: false, description: docs.of(options.name, name) }];
  });
}

function parameterType(type: Type): Parameter["type"] | undefined {
  switch (type.kind) {
    case "string":
      return "string";
    case "bool":
      return "boolean";
    case "int32":
    case "int64":
      return "integer";
    case "list":
      return parameterType(type.item);
    default:
      return undefined;
  }
}

export function nameParameter(kind: string): Parameter {
  return { name: "name", in: "path", type: "string", required: true, description: `name of the ${kind}` };
}

export const namespaceParameter: Parameter = {
  name: "namespace",
  in: "path",
  type: "string",
  required: true,
  description: "The namespace that holds the object.",
};

export const pathParameter: Parameter = {
  name: "path",
  in: "path",
  type: "string",
  required: true,
  description: "What follows the subresource in the path; it is handed on as it is.",
};

const query = (name: string, type: Parameter["type"], description: string): Parameter => {
  return { name, in: "query", type, required: false, description };
};

/** Of reads, where objects have a history. */
export const atParameter = query("at", "string", "A revision, or an RFC 3339 time: what is read is as it was then.");
export const diffParameter = query(
  "diff",
  "string",
  "A revision of the object: the answer is an ObjectDifference, what has changed since.",
);
export const pageParameters: readonly Parameter[] = [
  query("limit", "integer", "At most so many items are answered."),
  query("continue", "string", "Where the page begins, as the one before it says."),
];

export const revisionParameter: Parameter = {
  name: "revision",
  in: "path",
  type: "string",
  required: true,
  description: "With which the state came about.",
};

export const prettyParameter: Parameter = {
  name: "pretty",
  in: "query",
  type: "string",
  required: false,
  description: "Whether the answer is indented for people: `true` or `false`. Browsers, curl and wget get it unasked.",
};

export const explainParameter: Parameter = {
  name: "explain",
  in: "query",
  type: "boolean",
  required: false,
  description:
    "Together with `dryRun=All`: the answer is a WriteExplanation, which tells what would change the object, allow it or refuse it.",
};

const further = (name: string, description: string): Parameter => ({
  ...{ name, in: "query", type: "string", required: false, description },
});

/** Beyond the reference's, where they are served. */
export const fieldsParameter = further(
  "fields",
  "Paths of the fields that are shown of objects, comma separated (`spec.nodeName,status.phase`), besides those that say which object it is. 64 at most; in JSON, YAML and CBOR.",
);
export const sortParameter = further(
  "sort",
  "Paths of the fields in whose order a list is, comma separated, a minus before descending ones (`-spec.priority,metadata.name`). 4 at most; objects without the field come last.",
);
export const scopeParameter = further(
  "scope",
  "`permitted`: whoever may not list or watch all namespaces is answered of those in which it may.",
);
