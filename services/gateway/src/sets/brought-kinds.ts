import type { Catalog, Kind } from "@orch/api/catalog.js";
import { createDefinitions, definitionKind } from "@orch/api/custom/definition.js";
import { decodeObject, prepareForCreate, setDefaults, toHub, validateCreate } from "@orch/api/writes.js";
import type { UserInfo } from "@orch/auth/user.js";
import { DecodeError } from "@orch/schema/decode.js";
import { isObject } from "@orch/schema/descriptor.js";
import { badRequest, invalid } from "@orch/status/api-error.js";
import { wireTime } from "@orch/status/wire-time.js";
import type { SetObject } from "./objects.js";

/** A kind that a definition of the set makes. */
export interface BroughtKind {
  readonly kind: Kind;
  /** The name of the definition. */
  readonly by: string;
}

/**
 * The kinds that definitions among these objects make once they are there, by apiVersion and kind. A definition that is wrong
 * makes none: what is wrong with it is told when it is judged itself.
 */
export function broughtKinds(objects: readonly unknown[], builtIn: Catalog): ReadonlyMap<string, BroughtKind> {
  const hub = definitionKind(builtIn);
  const definitionOf = createDefinitions(builtIn);
  const found = new Map<string, BroughtKind>();
  for (const object of objects) {
    if (!isObject(object) || object["kind"] !== hub.kind) continue;
    const kind = builtIn.kind(String(object["apiVersion"]), hub.kind);
    if (kind === undefined || !isObject(object["spec"])) continue;
    const status = { acceptedNames: object["spec"]["names"], conditions: [established] };
    try {
      const stored = toHub(kind, setDefaults(kind, decodeObject(kind, { ...object, status }).object));
      const definition = definitionOf(stored);
      for (const made of definition?.kinds ?? []) {
        if (made.served) found.set(`${made.apiVersion}/${made.kind}`, { kind: made, by: definition?.name ?? "" });
      }
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
    }
  }
  return found;
}

const established = { type: "Established", status: "True" };

/**
 * Judges an object of a kind that is not served yet by the schema of its definition, as its creation will: what the server
 * would say of it, but for admission, which learns of the kind with the definition. @throws ApiError Invalid, BadRequest
 */
export function checkBrought(
  { kind, object }: SetObject,
  { user, now }: { readonly user: UserInfo; readonly now: number },
): void {
  const decoded = decodedOf(kind, object);
  const prepared = prepareForCreate(kind, setDefaults(kind, decoded), { user, now: wireTime(now) });
  const errors = validateCreate(kind, prepared);
  const ruled = kind.rules?.check(prepared, undefined, errors).errors ?? [];
  const all = [...errors, ...ruled];
  if (all.length > 0) throw invalid(kind, prepared.metadata.name ?? "", all);
}

function decodedOf(kind: Kind, object: SetObject["object"]) {
  try {
    const { object: decoded, unknown } = decodeObject(kind, object);
    if (unknown.length > 0)
      throw badRequest(`strict decoding error: ${unknown.map((field) => `unknown field "${field}"`).join(", ")}`);
    return decoded;
  } catch (error) {
    throw error instanceof DecodeError ? badRequest(error.message) : error;
  }
}
