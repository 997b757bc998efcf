import type { Kind } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import type { Admission, NewState, Write } from "../write/write.js";

/** A check, or a change, of writes that the server itself makes beyond a kind's own rules. */
export interface AdmissionPlugin {
  /** As `--disable-admission-plugins` has it. */
  readonly name: string;
  /** Whether it has anything to do with writes of a kind, or of a subresource of it. Asked once each. */
  readonly handles: (kind: Kind, subresource: string) => boolean;
  /** Changes a defaulted object that is to be created, in the version of the request. @throws ApiError */
  readonly mutateCreate?: (write: Write, object: AnyObject) => AnyObject | Promise<AnyObject>;
  /** Changes a new state, in the version of the request, of a stored object, of the hub. @throws ApiError */
  readonly mutateUpdate?: (write: Write, object: AnyObject, old: AnyObject) => AnyObject | Promise<AnyObject>;
  /** @throws ApiError Forbidden, for what must not be stored */
  readonly validate?: (state: NewState) => void | Promise<void>;
  /** Asked of every object that is to be deleted or evicted. @throws ApiError Forbidden, for what must stay */
  readonly validateDelete?: (write: Write, old: AnyObject) => void | Promise<void>;
}

/**
 * A check in the place of a mutation, as the reference has some: what it forbids is told before what the kind's rules find
 * invalid, and it sees what preparing would drop. The object is of the request's version.
 */
export function checkedEarly(
  check: (state: NewState) => Promise<void>,
): Pick<AdmissionPlugin, "mutateCreate" | "mutateUpdate"> {
  const checked = async (state: NewState): Promise<AnyObject> => {
    await check(state);
    return state.object;
  };
  return {
    mutateCreate: (write, object) => checked({ write, object, old: undefined }),
    mutateUpdate: (write, object, old) => checked({ write, object, old }),
  };
}

/** What the plugins have to do with one kind, or one subresource of it. */
interface Steps {
  readonly mutateCreate: readonly NonNullable<AdmissionPlugin["mutateCreate"]>[];
  readonly mutateUpdate: readonly NonNullable<AdmissionPlugin["mutateUpdate"]>[];
  readonly validate: readonly NonNullable<AdmissionPlugin["validate"]>[];
  readonly validateDelete: readonly NonNullable<AdmissionPlugin["validateDelete"]>[];
}

export function createAdmission(plugins: readonly AdmissionPlugin[]): Admission {
  const known = new WeakMap<Kind, Map<string, Steps>>();
  // Every write asks: the steps are sorted out once.
  const stepsOf = ({ kind, request: { subresource } }: Write): Steps => {
    const bySubresource = known.get(kind) ?? new Map<string, Steps>();
    known.set(kind, bySubresource);
    const found = bySubresource.get(subresource) ?? stepsFor(plugins.filter((one) => one.handles(kind, subresource)));
    bySubresource.set(subresource, found);
    return found;
  };
  return {
    concerns: (write) => Object.values(stepsOf(write)).some((steps) => steps.length > 0),
    mutateCreate(write, object) {
      const { mutateCreate: steps } = stepsOf(write);
      return steps.length === 0
        ? object
        : mutated(
            steps.map((step) => (given) => step(write, given)),
            object,
          );
    },
    mutateUpdate(write, object, old) {
      const { mutateUpdate: steps } = stepsOf(write);
      return steps.length === 0
        ? object
        : mutated(
            steps.map((step) => (given) => step(write, given, old)),
            object,
          );
    },
    validate(state) {
      const { validate: steps } = stepsOf(state.write);
      return steps.length === 0 ? undefined : inTurn(steps.map((check) => () => check(state)));
    },
    validateDelete(write, old) {
      const { validateDelete: steps } = stepsOf(write);
      return steps.length === 0 ? undefined : inTurn(steps.map((check) => () => check(write, old)));
    },
  };
}

function stepsFor(handling: readonly AdmissionPlugin[]): Steps {
  return {
    mutateCreate: handling.flatMap(({ mutateCreate }) => mutateCreate ?? []),
    mutateUpdate: handling.flatMap(({ mutateUpdate }) => mutateUpdate ?? []),
    validate: handling.flatMap(({ validate }) => validate ?? []),
    validateDelete: handling.flatMap(({ validateDelete }) => validateDelete ?? []),
  };
}

type Mutation = (object: AnyObject) => AnyObject | Promise<AnyObject>;

async function mutated(steps: readonly Mutation[], given: AnyObject): Promise<AnyObject> {
  let object = given;
  for (const step of steps) object = await step(object);
  return object;
}

async function inTurn(checks: readonly (() => void | Promise<void>)[]): Promise<void> {
  for (const check of checks) await check();
}
