import type { AnyObject } from "@orch/api/object.js";
import { exactWholeNumber, isTrue } from "@orch/api/query-values.js";
import { readTree } from "@orch/render/body.js";
import { dryRunErrors, dryRunOf } from "@orch/render/write-options.js";
import { DecodeError, decode } from "@orch/schema/decode.js";
import { isObject } from "@orch/schema/descriptor.js";
import { refuseFloats } from "@orch/schema/floats.js";
import type { Integer64 } from "@orch/schema/integer64.js";
import { type ApiError, badRequest, conflict, invalid } from "@orch/status/api-error.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import type { Write } from "../write.js";

/** How a delete is to be done (rules: Query parameters; DeleteOptions). */
export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds: Integer64 | undefined;
  readonly propagation: "Foreground" | "Background" | "Orphan" | undefined;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
  /** Only what cannot be read is deleted, without looking at it. */
  readonly unread: boolean;
}

export interface DeleteOptionsBody {
  readonly dryRun?: readonly string[];
  readonly gracePeriodSeconds?: Integer64;
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: string;
  readonly preconditions?: DeleteOptions["preconditions"];
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
}

const policies = ["Foreground", "Background", "Orphan", "nil"] as const;

/** From the body where there is one, else from the query. @throws ApiError BadRequest, Invalid */
export function deleteOptions(write: Write): DeleteOptions {
  const { options } = write.request;
  const body = write.own ?? (write.request.body.length > 0 ? fromBody(write) : fromQuery(write.request));
  return checkedOptions(write, { dryRun: dryRunOf(options), ...body });
}

/** @throws ApiError Invalid */
export function checkedOptions({ deps }: Pick<Write, "deps">, body: DeleteOptionsBody): DeleteOptions {
  const dryRun = body.dryRun ?? [];
  const policy = body.propagationPolicy;
  const errors: FieldError[] = [...dryRunErrors(dryRun)];
  if (policy !== undefined && body.orphanDependents !== undefined) {
    errors.push(
      fieldError.invalid("propagationPolicy", policy, "orphanDependents and deletionPropagation cannot be both set"),
    );
  }
  if (policy !== undefined && !isPolicy(policy))
    errors.push(fieldError.notSupported("propagationPolicy", policy, policies));
  errors.push(...unreadErrors(body));
  if (errors.length > 0) throw invalid({ group: deps.naming.metaGroup, kind: "DeleteOptions" }, "", errors);
  return {
    dryRun: dryRun.length > 0,
    gracePeriodSeconds: body.gracePeriodSeconds,
    propagation: isPolicy(policy) ? policy : orphanPolicy(body.orphanDependents),
    preconditions: body.preconditions ?? {},
    unread: body.ignoreStoreReadErrorWithClusterBreakingPotential === true,
  };
}

const withUnread = ["dryRun", "propagationPolicy", "orphanDependents", "gracePeriodSeconds", "preconditions"] as const;

/** Nothing else can be asked of an object that nobody can read. */
function unreadErrors(body: DeleteOptionsBody): readonly FieldError[] {
  if (body.ignoreStoreReadErrorWithClusterBreakingPotential !== true) return [];
  return withUnread
    .filter((name) => (name === "dryRun" ? (body.dryRun ?? []).length > 0 : body[name] !== undefined))
    .map((name) => fieldError.invalid(unreadOption, true, `cannot be set together with .${name}`));
}

export const unreadOption = "ignoreStoreReadErrorWithClusterBreakingPotential";

function isPolicy(value: string | undefined): value is "Foreground" | "Background" | "Orphan" {
  return value === "Foreground" || value === "Background" || value === "Orphan";
}

function orphanPolicy(orphan: boolean | undefined): DeleteOptions["propagation"] {
  return orphan === undefined ? undefined : orphan ? "Orphan" : "Background";
}

/** The version of a collection is that of the list of what is deleted; of one object it is a precondition. */
function fromQuery({ name, options }: Pick<Write["request"], "name" | "options">): DeleteOptionsBody {
  const grace = exactWholeNumber(options["gracePeriodSeconds"]);
  const { propagationPolicy, orphanDependents, uid, resourceVersion } = options;
  const preconditions = name === "" ? {} : given({ uid, resourceVersion });
  return {
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(propagationPolicy === undefined || propagationPolicy === "" ? {} : { propagationPolicy }),
    ...(orphanDependents === undefined ? {} : { orphanDependents: isTrue(orphanDependents) }),
    ...(options[unreadOption] === undefined ? {} : { [unreadOption]: isTrue(options[unreadOption]) }),
  };
}

/** Those that are not empty. */
function given(values: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

function fromBody(write: Write): DeleteOptionsBody {
  const { request, deps } = write;
  const type = deps.catalog.type("meta/v1.DeleteOptions");
  if (type === undefined) throw new TypeError("the catalog has no DeleteOptions");
  const { value, floats } = refusing(() =>
    readTree(deps.formats, { bytes: request.body, contentType: request.contentType }, { kind: "DeleteOptions", type }),
  );
  if (!isObject(value))
    throw badRequest("the object provided is unrecognized (must be of type DeleteOptions): it is no object");
  const kind = value["kind"];
  if (kind !== undefined && kind !== "" && kind !== "DeleteOptions") {
    throw badRequest(`${String(kind)} cannot be handled as DeleteOptions`);
  }
  return refusing(() => {
    if (floats !== undefined) refuseFloats(floats, type, value);
    return decode(type, value).value as DeleteOptionsBody;
  });
}

function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(`DeleteOptions cannot be decoded: ${error.message}`);
    throw error;
  }
}

/** @throws ApiError Conflict when a precondition does not hold */
export function checkDeletePreconditions(write: Write, options: DeleteOptions, old: AnyObject): void {
  const { uid, resourceVersion } = options.preconditions;
  const at = { group: write.kind.group, resource: write.kind.kind };
  const { name = "" } = old.metadata;
  if (uid !== undefined && uid !== old.metadata.uid) {
    throw mismatch(
      at,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${old.metadata.uid}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== old.metadata.resourceVersion) {
    throw mismatch(
      at,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${old.metadata.resourceVersion}). The object might have been modified`,
    );
  }
}

function mismatch(at: { group: string; resource: string }, name: string, why: string): ApiError {
  return conflict(at, name, why);
}
