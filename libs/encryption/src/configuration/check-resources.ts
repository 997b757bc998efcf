import type { Naming } from "@orch/naming/naming.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { covers, parseGroupResource } from "./group-resource.js";

/** What the server keeps beside objects: nobody reads it by the API. */
const withoutPaths = new Set(["apiserveripinfo", "serviceipallocations", "servicenodeportallocations"]);

/** What is wrong with the names of one rule. */
export function checkResources(names: readonly string[], field: string, naming: Naming): readonly FieldError[] {
  const overlap = overlapIn(names);
  return [
    ...(overlap === undefined ? [] : [fieldError.invalid(field, names, overlap)]),
    ...names.flatMap((name, i) => {
      const problem = problemWith(name, naming);
      return problem === undefined ? [] : [fieldError.invalid(`${field}[${i}]`, name, problem)];
    }),
  ];
}

function overlapIn(names: readonly string[]): string | undefined {
  if (new Set(names).size < names.length) return "the same resource cannot be specified multiple times";
  const all = names.map(parseGroupResource);
  const wildcards = all.filter(({ resource }) => resource === "*");
  const isMasked = wildcards.some((wildcard) => all.some((each) => each !== wildcard && covers(wildcard, each)));
  if (!isMasked) return undefined;
  return "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked";
}

function problemWith(name: string, naming: Naming): string | undefined {
  if (name !== name.toLowerCase()) return "resource name should not contain capital letters";
  if (name === "*") {
    return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
  }
  if (withoutPaths.has(name)) return "resources which do not have REST API/s cannot be encrypted";
  const { resource, group } = parseGroupResource(name);
  const events = naming.group("events");
  if (group === events) {
    return `'*.${events}' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file`;
  }
  if (group === "extensions") return "'extensions' group has been removed and cannot be used for encryption";
  if (group === "*" && resource !== "*") return "encrypting the same resource across groups is not supported";
  return undefined;
}
