import { parseJson } from "@orch/codec/json.js";
import { parseYaml } from "@orch/codec/yaml/yaml.js";
import type { WriteRequest } from "@orch/rpc/messages.js";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { badRequest, unsupportedMediaType } from "@orch/status/api-error.js";

/** How a set is to be deleted. */
export interface DeletionOptions {
  /** The members stay. */
  readonly orphan: boolean;
  readonly dryRun: boolean;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** What the body of a deletion says, and its query where it has no body. @throws ApiError BadRequest, UnsupportedMediaType */
export function readDeletion({ body, contentType, options }: WriteRequest): DeletionOptions {
  const given: JsonObject = body.length === 0 ? options : parsed(body, contentType);
  const { propagationPolicy, orphanDependents, dryRun, preconditions = {} } = given;
  const { uid, resourceVersion } = isObject(preconditions) ? preconditions : {};
  return {
    orphan: propagationPolicy === "Orphan" || orphanDependents === true || orphanDependents === "true",
    // Whatever it says: what was meant as a trial must not become a deletion.
    dryRun: dryRun !== undefined && !(Array.isArray(dryRun) && dryRun.length === 0),
    ...(typeof uid === "string" ? { uid } : {}),
    ...(typeof resourceVersion === "string" ? { resourceVersion } : {}),
  };
}

const read = new Map([
  ["", parseJson],
  ["application/json", parseJson],
  ["application/yaml", parseYaml],
]);

function parsed(body: Buffer, contentType: string): JsonObject {
  const [mediaType = ""] = contentType.split(";");
  const parse = read.get(mediaType.trim().toLowerCase());
  if (parse === undefined) throw unsupportedMediaType([...read.keys()].filter((type) => type !== ""));
  const decoded = parse(body);
  if (!decoded.ok) throw badRequest(`the body is no DeleteOptions: ${decoded.problem}`);
  if (!isObject(decoded.value)) throw badRequest("the body is no DeleteOptions");
  return decoded.value;
}
