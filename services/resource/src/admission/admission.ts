import type { Kind } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import type { Admission, NewState, Write } from "../write.js";

/** A check, or a change, of writes that the server itself makes beyond a kind's own rules. */
export interface AdmissionPlugin {
  /** As `--disable-admission-plugins` has it. */
  readonly name: string;
  /** Whether it has anything to do with writes of a kind, or of a subresource of it. Asked once each. */
  readonly handles: (kind: Kind, subresource: string) => boolean;
  /** Changes a defaulted object that is to be created, in the version of the request. @throws ApiError */
  readonly mutateCreate?: (write: Write, object: AnyObject) => AnyObject | Promise<AnyObject>;
  /** @throws ApiError Forbidden, for what must not be stored */
  readonly validate?: (state: NewState) => void | Promise<void>;
  /** Asked of every object that is to be deleted or evicted. @throws ApiError Forbidden, for what must stay */
  readonly validateDelete?: (write: Write, old: AnyObject) => void | Promise<void>;
}

export function createAdmission(plugins: readonly AdmissionPlugin[]): Admission {
  const known = new Map<Kind, Map<string, readonly AdmissionPlugin[]>>();
  const handling = ({ kind, request: { subresource } }: Write): readonly AdmissionPlugin[] => {
    const bySubresource = known.get(kind) ?? new Map<string, readonly AdmissionPlugin[]>();
    known.set(kind, bySubresource);
    const found = bySubresource.get(subresource) ?? plugins.filter((plugin) => plugin.handles(kind, subresource));
    bySubresource.set(subresource, found);
    return found;
  };
  return {
    mutateCreate(write, object) {
      const mutating = handling(write).flatMap(({ mutateCreate }) => mutateCreate ?? []);
      return mutating.length === 0 ? object : mutated(mutating, write, object);
    },
    validate(state) {
      const validating = handling(state.write).flatMap(({ validate }) => validate ?? []);
      return validating.length === 0 ? undefined : inTurn(validating.map((check) => () => check(state)));
    },
    validateDelete(write, old) {
      const validating = handling(write).flatMap(({ validateDelete }) => validateDelete ?? []);
      return validating.length === 0 ? undefined : inTurn(validating.map((check) => () => check(write, old)));
    },
  };
}

async function mutated(
  steps: readonly NonNullable<AdmissionPlugin["mutateCreate"]>[],
  write: Write,
  given: AnyObject,
): Promise<AnyObject> {
  let object = given;
  for (const step of steps) object = await step(write, object);
  return object;
}

async function inTurn(checks: readonly (() => void | Promise<void>)[]): Promise<void> {
  for (const check of checks) await check();
}
