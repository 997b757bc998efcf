import assert from "node:assert/strict";
import type { WriteRequest } from "@orch/rpc/messages.js";

const verbs = new Map<string, WriteRequest["verb"]>([
  ["POST", "create"],
  ["PUT", "update"],
  ["PATCH", "patch"],
  ["DELETE", "delete"],
]);

/** `POST /apis/example.com/v1/namespaces/ns/widgets?dryRun=All` as a write; a patch is a merge patch. */
export function requestOfLine(line: string): Partial<WriteRequest> {
  const [method = "", target = ""] = line.split(" ");
  const [path = "", query = ""] = target.split("?");
  const [root, ...parts] = path.split("/").slice(1);
  const [group = "", version = "", ...rest] = root === "api" ? ["", ...parts] : parts;
  const [namespace = "", resource = "", name = "", subresource = ""] =
    rest[0] === "namespaces" && rest.length > 2 ? rest.slice(1) : ["", ...rest];
  const verb = verbs.get(method);
  assert.ok(verb !== undefined, method);
  return {
    ...{ verb, group, version, namespace, resource, name, subresource },
    options: Object.fromEntries(new URLSearchParams(query)),
    contentType: verb === "patch" ? "application/merge-patch+json" : "application/json",
  };
}
