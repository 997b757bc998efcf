import type { MessageType, Type } from "@orch/schema/descriptor.js";
import { type Floats, refuseAt, refuseFloats } from "@orch/schema/floats.js";
import type { JsonPatchOperation } from "./json-patch.js";
import { pointerTokens } from "./json-pointer.js";

interface ReadPatch {
  readonly operations: readonly JsonPatchOperation[];
  /** What they were read from. */
  readonly body: unknown;
}

/**
 * Refuses an integer of a type that an operation brings as a float (`1.0`). `floats` are those of the parsed body.
 * @throws DecodeError
 */
export function refuseFloatsInJsonPatch(floats: Floats, type: MessageType, { operations, body }: ReadPatch): void {
  if (!Array.isArray(body)) return;
  for (const [i, operation] of operations.entries()) {
    if (operation.op !== "add" && operation.op !== "replace") continue;
    const path = pointerTokens(operation.path) ?? [];
    const place = typeAt(type, path);
    const holder: unknown = body[i];
    if (place === undefined || typeof holder !== "object" || holder === null) continue;
    if (typeof operation.value === "object") refuseFloats(floats, place, operation.value, path);
    else refuseAt(floats, place, { holder, step: "value", path });
  }
}

/** Undefined where the type has no such place. */
function typeAt(type: Type, path: readonly string[]): Type | undefined {
  let found: Type | undefined = type;
  for (const token of path) {
    if (found?.kind === "message") found = found.byName.get(token)?.type;
    else if (found?.kind === "list") found = found.item;
    else found = found?.kind === "map" ? found.value : undefined;
  }
  return found;
}
