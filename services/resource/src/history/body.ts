import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { badRequest } from "@orch/status/api-error.js";
import { cut } from "@orch/status/cut.js";
import { messageOf } from "@orch/status/message-of.js";
import { readJson } from "@orch/status/read-json.js";

/** The JSON object that a body is; an empty one of nothing. @throws ApiError BadRequest */
export function bodyObject(body: Buffer): JsonObject {
  const text = body.toString("utf8").trim();
  const tree = text === "" ? {} : parsed(text);
  if (!isObject(tree)) throw badRequest("the body must be a JSON object");
  return tree;
}

function parsed(text: string): unknown {
  try {
    return readJson(text);
  } catch (error) {
    throw badRequest(`the body must be a JSON object: ${cut(messageOf(error))}`);
  }
}
