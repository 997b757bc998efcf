import type { Kind } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import type { AdmissionSubject } from "@orch/cel/admission/subject.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import type { Mirror } from "../../mirror.js";
import { type Asking, askingFor } from "../matching/asking.js";
import type { Concerned } from "../matching/by-resource.js";
import { type ResourceMatch, resourceAsked } from "../matching/matcher.js";
import { type Question, requestTree, type Shown } from "../matching/question.js";
import { shownAs } from "../matching/versions.js";
import { namespaceOf } from "../namespace-of.js";
import type { Binding, BoundPolicy } from "./bound-policy.js";
import { ConfigurationError, collectParams, type ParamSource } from "./params.js";

/** What policies of both kinds need. */
export interface CaseDeps {
  readonly namespaces: Mirror;
  readonly params: ParamSource;
  /** Resolves after so many milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
}

/** One write before policies: what each of them is told of it is worked out once. */
export interface Case {
  readonly question: Question;
  /** Whether a policy or binding is about the write, by its name and by labels. */
  matches(matcher: BoundPolicy["matcher"], match: ResourceMatch): boolean | Promise<boolean>;
  /** One for each time that the policy is to be evaluated. @throws ConfigurationError */
  params(policy: BoundPolicy, binding: Binding): Promise<readonly Param[]>;
  /** The objects in the version that a policy asks for. @throws ApiError */
  shown(kind: Kind): Shown | Promise<Shown>;
  subject(shown: Shown, param: Param): Promise<AdmissionSubject>;
  readonly asking: Asking;
}

/** Null where the binding gives none, undefined where the policy asks for none. */
export type Param = AnyObject | null | undefined;

const none: readonly Param[] = [undefined];
const nothing: readonly Param[] = [null];

export function openCase(question: Question, { namespaces, params, pause }: CaseDeps, asking?: Asking): Case {
  const { write } = question;
  const { requested, deps } = write;
  // The reference gives none to what is a namespace itself.
  const isNamespace = requested.group === "" && requested.kind === "Namespace";
  const namespace = isNamespace || !requested.namespaced ? "" : write.request.namespace;
  let found: Promise<AnyObject | undefined> | undefined;
  const foundNamespace = (): Promise<AnyObject | undefined> => {
    found ??= namespace === "" ? Promise.resolve(undefined) : namespaceOf(write, namespaces);
    return found;
  };
  let known: Shown | undefined;
  let request: { readonly of: Kind; readonly tree: JsonObject } | undefined;
  let asked = asking;
  return {
    question,
    get asking() {
      asked ??= askingFor(question);
      return asked;
    },
    matches: (matcher, match) => matcher.write(question, match, foundNamespace),
    async params({ paramKind }, { paramRef }) {
      if (paramKind === undefined) return none;
      if (paramRef === undefined) return nothing;
      return collectParams(params.of(paramKind, deps.catalog), paramRef, { write, namespace, pause });
    },
    shown(kind) {
      if (known?.resource === kind) return known;
      const shown = shownAs(question, kind);
      return shown.then((one) => {
        known = one;
        return one;
      });
    },
    async subject(shown, param) {
      if (request?.of !== shown.resource) request = { of: shown.resource, tree: requestTree(question, shown) };
      return {
        object: shown.object ?? null,
        oldObject: shown.old ?? null,
        request: request.tree,
        namespace: (await foundNamespace()) ?? null,
        ...(param === undefined ? {} : { params: param }),
        authorizer: this.asking.values,
      };
    },
  };
}

/** @throws ConfigurationError where there is no kind of the policy's parameters */
export function checkParamKind({ paramKind }: BoundPolicy, { write }: Question, params: ParamSource): void {
  if (paramKind !== undefined) params.of(paramKind, write.deps.catalog);
}

/** A binding that is about a resource, with how its rules name it. */
export interface ConcernedBinding {
  readonly binding: Binding;
  /** Undefined where it says nothing of its own. */
  readonly match: ResourceMatch | undefined;
}

const byMatch = new WeakMap<ResourceMatch, readonly ConcernedBinding[]>();

/** Those bindings of a policy that are about the resource; worked out once, as the policy's own match is. */
export function bindingsFor({ one, match }: Concerned<BoundPolicy>, question: Question): readonly ConcernedBinding[] {
  const known = byMatch.get(match);
  if (known !== undefined) return known;
  const asked = resourceAsked(question.write, question.operation);
  const made = one.bindings.flatMap((binding): readonly ConcernedBinding[] => {
    if (binding.matcher === undefined) return [{ binding, match: undefined }];
    const own = binding.matcher.resource(asked);
    return own === undefined ? [] : [{ binding, match: own }];
  });
  byMatch.set(match, made);
  return made;
}

/** Whether a binding is about the write. */
export function isBound({ binding, match }: ConcernedBinding, one: Case): boolean | Promise<boolean> {
  return binding.matcher === undefined || match === undefined || one.matches(binding.matcher, match);
}

/** What is wrong with how a policy or a binding is configured; anything else is a fault. */
export function problemOf(thrown: unknown): string {
  if (thrown instanceof ConfigurationError) return thrown.message;
  throw thrown;
}
