import type { Kind } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import { type Advice, noAdvice } from "../write/advice.js";
import { isConnection } from "../write/surface.js";
import type { Admission, JudgedState, NewState, Write } from "../write/write.js";
import { newOperation, type Operation, operationOf } from "./matching/question.js";
import { withReadableManagers } from "./readable-managers.js";

/** A check, or a change, of writes that the server itself makes beyond a kind's own rules. */
export interface AdmissionPlugin {
  /** As `--disable-admission-plugins` has it. */
  readonly name: string;
  /** Whether it has anything to do with writes of a kind, or of a subresource of it. Asked once each. */
  readonly handles: (kind: Kind, subresource: string) => boolean;
  /** Whether it is asked about connections, too, as about what is created. */
  readonly connects?: boolean;
  /** Whether users have configured anything for such a write, where that decides: asked for each. */
  readonly asks?: (write: Write, operation: Operation) => boolean;
  /** Changes a defaulted object that is to be created, in the version of the request. @throws ApiError */
  readonly mutateCreate?: (write: Write, object: AnyObject) => AnyObject | Promise<AnyObject>;
  /** Changes a new state, in the version of the request, of a stored object, of the hub. @throws ApiError */
  readonly mutateUpdate?: (write: Write, object: AnyObject, old: AnyObject) => AnyObject | Promise<AnyObject>;
  /**
   * What it has to tell of a new state: nothing, in almost every case.
   * @throws ApiError Forbidden, for what must not be stored and of which there is nothing to tell beside
   */
  readonly validate?: (state: JudgedState) => Told | Promise<Told>;
  /** The same, asked of new objects alone. */
  readonly validateCreate?: (state: JudgedState) => Told | Promise<Told>;
  /** Asked of every object that is to be deleted or evicted. @throws ApiError Forbidden, for what must stay */
  readonly validateDelete?: (write: Write, old: AnyObject) => Told | Promise<Told>;
}

/** Changes that users have configured: policies and webhooks, which see what the plugins have made of an object. */
export interface Mutator {
  readonly asks: (write: Write, operation: Operation) => boolean;
  /** @throws ApiError */
  readonly mutate: (state: NewState) => Promise<Mutated>;
}

export interface Mutated {
  readonly object: AnyObject;
  readonly advice: Advice;
  /** Asked once more, where something has changed the object since; undefined: it is not. */
  readonly again?: ((state: NewState) => Promise<Mutated>) | undefined;
}

// biome-ignore lint/suspicious/noConfusingVoidType: a plugin that has nothing to tell returns nothing
type Told = Advice | void;

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

type Judge = NonNullable<AdmissionPlugin["validate"]>;

/** What the plugins have to do with one kind, or one subresource of it. */
interface Steps {
  readonly mutateCreate: readonly NonNullable<AdmissionPlugin["mutateCreate"]>[];
  readonly mutateUpdate: readonly NonNullable<AdmissionPlugin["mutateUpdate"]>[];
  readonly validateCreate: readonly Judge[];
  readonly validateUpdate: readonly Judge[];
  readonly validateDelete: readonly NonNullable<AdmissionPlugin["validateDelete"]>[];
}

export function createAdmission(plugins: readonly AdmissionPlugin[], mutators: readonly Mutator[] = []): Admission {
  const quiet = sortedOut(plugins.filter(({ asks }) => asks === undefined));
  const all = sortedOut(plugins);
  const asking = plugins.flatMap(({ asks }) => asks ?? []);
  const anybody = [...asking, ...mutators.map(({ asks }) => asks)];
  const stepsOf = (write: Write, operation: Operation): Steps =>
    asking.some((asks) => asks(write, operation)) ? all(write) : quiet(write);
  const mutate = (state: NewState, operation: Operation, steps: readonly Mutation[]): Mutating => {
    const configured = mutators.filter(({ asks }) => asks(state.write, operation));
    if (steps.length === 0 && configured.length === 0) return state.object;
    return mutatedBy(steps, configured, state);
  };
  return {
    concernsCreate(write) {
      const operation = newOperation(write);
      const { mutateCreate, validateCreate } = stepsOf(write, operation);
      if (mutateCreate.length > 0 || validateCreate.length > 0) return true;
      return mutators.some(({ asks }) => asks(write, operation));
    },
    concernsUpdate(write) {
      const { mutateUpdate, validateUpdate } = stepsOf(write, "UPDATE");
      if (mutateUpdate.length > 0 || validateUpdate.length > 0) return true;
      return mutators.some(({ asks }) => asks(write, "UPDATE"));
    },
    mutateCreate(write, object) {
      const steps = quiet(write).mutateCreate.map((step) => (given: AnyObject) => step(write, given));
      return mutate({ write, object, old: undefined }, newOperation(write), steps);
    },
    mutateUpdate(write, object, old) {
      const steps = quiet(write).mutateUpdate.map((step) => (given: AnyObject) => step(write, given, old));
      return mutate({ write, object, old }, "UPDATE", steps);
    },
    validate(state) {
      const isNew = state.old === undefined;
      const { validateCreate, validateUpdate } = stepsOf(state.write, operationOf(state.write, state));
      return advised(isNew ? validateCreate : validateUpdate, state);
    },
    asksAnybody: (write) => operations.some((one) => anybody.some((asks) => asks(write, one))),
    validateDelete(write, old) {
      const { validateDelete: steps } = stepsOf(write, "DELETE");
      return steps.length === 0 ? undefined : inTurn(steps.map((check) => () => check(write, old)));
    },
  };
}

const operations: readonly Operation[] = ["CREATE", "UPDATE", "DELETE"];

/** Every write asks: the steps are sorted out once. */
function sortedOut(plugins: readonly AdmissionPlugin[]): (write: Write) => Steps {
  const known = new WeakMap<Kind, Map<string, Steps>>();
  const handling = (write: Write): readonly AdmissionPlugin[] => {
    const asked = isConnection(write) ? plugins.filter(({ connects }) => connects === true) : plugins;
    return asked.filter((one) => one.handles(write.kind, write.request.subresource));
  };
  return (write) => {
    const { kind, request } = write;
    const { subresource } = request;
    const bySubresource = known.get(kind) ?? new Map<string, Steps>();
    known.set(kind, bySubresource);
    const found = bySubresource.get(subresource) ?? stepsFor(handling(write));
    bySubresource.set(subresource, found);
    return found;
  };
}

function stepsFor(handling: readonly AdmissionPlugin[]): Steps {
  return {
    mutateCreate: handling.flatMap(({ mutateCreate }) => mutateCreate ?? []),
    mutateUpdate: handling.flatMap(({ mutateUpdate }) => mutateUpdate ?? []),
    validateCreate: handling.flatMap(({ validate, validateCreate }) => [validate ?? [], validateCreate ?? []].flat()),
    validateUpdate: handling.flatMap(({ validate }) => validate ?? []),
    validateDelete: handling.flatMap(({ validateDelete }) => validateDelete ?? []),
  };
}

type Mutation = (object: AnyObject) => AnyObject | Promise<AnyObject>;

type Mutating = AnyObject | Promise<Pick<Mutated, "object" | "advice">>;

/** What users have configured is asked last. Where it has changed something, the plugins are asked again, and it too. */
async function mutatedBy(
  steps: readonly Mutation[],
  mutators: readonly Mutator[],
  state: NewState,
): Promise<Pick<Mutated, "object" | "advice">> {
  let object = await mutated(steps, state.object);
  if (mutators.length === 0) return { object, advice: noAdvice };
  const before = object;
  const said: Advice[] = [];
  const later: NonNullable<Mutated["again"]>[] = [];
  const took = (made: Mutated): void => {
    object = made.object;
    said.push(made.advice);
  };
  for (const { mutate } of mutators) {
    const made = await mutate({ ...state, object });
    took(made);
    if (made.again !== undefined) later.push(made.again);
  }
  if (object !== before) {
    object = await mutated(steps, object);
    for (const again of later) took(await again({ ...state, object }));
  }
  const readable = withReadableManagers(object, before);
  if (readable.warnings.length > 0) took({ object: readable.object, advice: { warnings: readable.warnings } });
  return { object, advice: joined(said) };
}

async function mutated(steps: readonly Mutation[], given: AnyObject): Promise<AnyObject> {
  let object = given;
  for (const step of steps) object = await step(object);
  return object;
}

function joined(said: readonly Advice[]): Advice {
  return {
    warnings: said.flatMap(({ warnings = [] }) => warnings),
    auditAnnotations: said.flatMap(({ auditAnnotations = [] }) => auditAnnotations),
    refusal: said.at(-1)?.refusal,
  };
}

/** What all say together; at once where all have nothing to say. */
function advised(steps: readonly Judge[], state: JudgedState): Promise<Advice> | undefined {
  for (const [i, step] of steps.entries()) {
    const said = step(state);
    if (said !== undefined) return advisedFrom(said, steps.slice(i + 1), state);
  }
  return undefined;
}

/** Nobody is asked after one who refuses. */
async function advisedFrom(begun: ReturnType<Judge>, left: readonly Judge[], state: JudgedState): Promise<Advice> {
  const said: Advice[] = [];
  const isRefused = (advice: Awaited<ReturnType<Judge>>): boolean => {
    if (advice !== undefined) said.push(advice);
    return advice?.refusal !== undefined;
  };
  let refused = isRefused(await begun);
  for (const step of left) {
    if (refused) break;
    refused = isRefused(await step(state));
  }
  const [first = noAdvice] = said;
  return said.length < 2 ? first : joined(said);
}

async function inTurn(checks: readonly (() => Told | Promise<Told>)[]): Promise<Advice> {
  const said: Advice[] = [];
  for (const check of checks) {
    const advice = await check();
    if (advice !== undefined) said.push(advice);
  }
  return joined(said);
}
