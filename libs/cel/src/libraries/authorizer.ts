import { dnsLabel, dnsSubdomain } from "@orch/schema/formats/names.js";
import { t } from "../check/types.js";
import { add, exactly, scale } from "../cost/sizes.js";
import { CelError, noSuchOverload, Opaque, type Value } from "../values/value.js";
import {
  argSize,
  type Estimate,
  type Library,
  type LibraryFunction,
  member,
  one,
  perUnit,
  type Run,
  stringFactor,
} from "./library.js";

/** What is asked of the authorizer: a resource or a path. Texts of selectors are as written. */
export type AuthorizationCheck =
  | { readonly user: AuthorizationUser; readonly verb: string; readonly path: string }
  | {
      readonly user: AuthorizationUser;
      readonly verb: string;
      readonly group: string;
      readonly version: "*";
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
      readonly fieldSelector: string;
      readonly labelSelector: string;
    };

/** The requesting user, or a service account in its place. */
export type AuthorizationUser =
  | { readonly kind: "requester" }
  | { readonly kind: "serviceAccount"; readonly namespace: string; readonly name: string };

export interface AuthorizationDecision {
  readonly allowed: boolean;
  readonly reason: string;
  readonly error?: string;
}

/** Answers at once: an evaluation does not wait. */
export type Authorize = (check: AuthorizationCheck) => AuthorizationDecision;

/** The reference compares none of these values. */
abstract class Uncomparable extends Opaque {
  equals(): CelError {
    return noSuchOverload;
  }
}

class AuthorizerValue extends Uncomparable {
  constructor(
    readonly typeName: string,
    readonly domain: string,
    readonly authorize: Authorize,
    readonly user: AuthorizationUser,
  ) {
    super();
  }
}

class PathCheck extends Uncomparable {
  constructor(
    readonly typeName: string,
    readonly by: AuthorizerValue,
    readonly path: string,
  ) {
    super();
  }
}

class GroupCheck extends Uncomparable {
  constructor(
    readonly typeName: string,
    readonly by: AuthorizerValue,
    readonly group: string,
  ) {
    super();
  }
}

type Target = Omit<Extract<AuthorizationCheck, { group: string }>, "user" | "verb" | "version">;

class ResourceCheck extends Uncomparable {
  constructor(
    readonly typeName: string,
    readonly by: AuthorizerValue,
    readonly target: Target,
  ) {
    super();
  }
}

class Decision extends Uncomparable {
  constructor(
    readonly typeName: string,
    readonly decision: AuthorizationDecision,
  ) {
    super();
  }
}

const typeName = (domain: string, name: string): string => `${domain}.authorization.${name}`;

/** The value of `authorizer`. */
export function authorizerOf(domain: string, authorize: Authorize): Value {
  return new AuthorizerValue(typeName(domain, "Authorizer"), domain, authorize, { kind: "requester" });
}

/** The value of `authorizer.requestResource`. */
export function requestResourceOf(
  domain: string,
  authorize: Authorize,
  target: Pick<Target, "group" | "resource" | "subresource" | "namespace" | "name">,
): Value {
  const by = new AuthorizerValue(typeName(domain, "Authorizer"), domain, authorize, { kind: "requester" });
  return new ResourceCheck(typeName(domain, "ResourceCheck"), by, { ...target, fieldSelector: "", labelSelector: "" });
}

const blank = (text: string): boolean => text.trim() === "";

const onText =
  <T extends Opaque>(is: (x: Value) => x is T, run: (x: T, text: string) => Value): Run =>
  ([x = null, text = null]) =>
    is(x) && typeof text === "string" ? run(x, text) : noSuchOverload;

const isAuthorizer = (x: Value): x is AuthorizerValue => x instanceof AuthorizerValue;
const isGroup = (x: Value): x is GroupCheck => x instanceof GroupCheck;
const isResource = (x: Value): x is ResourceCheck => x instanceof ResourceCheck;

function serviceAccount([x = null, namespace = null, name = null]: readonly Value[]): Value {
  if (!isAuthorizer(x) || typeof namespace !== "string" || typeof name !== "string") return noSuchOverload;
  if (dnsSubdomain(name).length > 0) return new CelError("Invalid service account name");
  if (dnsLabel(namespace).length > 0) return new CelError("Invalid service account namespace");
  return new AuthorizerValue(x.typeName, x.domain, x.authorize, { kind: "serviceAccount", namespace, name });
}

function checkPath([x = null, verb = null]: readonly Value[]): Value {
  if (!(x instanceof PathCheck) || typeof verb !== "string") return noSuchOverload;
  const { by, path } = x;
  return new Decision(typeName(by.domain, "Decision"), by.authorize({ user: by.user, verb, path }));
}

function checkResource([x = null, verb = null]: readonly Value[]): Value {
  if (!isResource(x) || typeof verb !== "string") return noSuchOverload;
  const { by, target } = x;
  const decision = by.authorize({ user: by.user, verb, version: "*", ...target });
  return new Decision(typeName(by.domain, "Decision"), decision);
}

const narrowed = (field: keyof Target): Run =>
  onText(isResource, (x, text) => new ResourceCheck(x.typeName, x.by, { ...x.target, [field]: text }));

const ofDecision =
  (read: (decision: AuthorizationDecision) => Value): Run =>
  ([x = null]) =>
    x instanceof Decision ? read(x.decision) : noSuchOverload;

/** What a check costs: two of them fit into one expression. */
const checkCost = 350_000;

const fixed = (name: string, cost: number, overloads: LibraryFunction["overloads"]): LibraryFunction => ({
  name,
  cost: cost === 1 ? one : () => cost,
  estimate: () => ({ cost: exactly(cost) }),
  overloads,
});

export function authorizer(domain: string): Library {
  const type = (name: string) => t.struct(typeName(domain, name));
  const own = type("Authorizer");
  const path = type("PathCheck");
  const group = type("GroupCheck");
  const resource = type("ResourceCheck");
  const decision = type("Decision");
  const { bool, string } = t;
  const step = (name: string, id: string, [from, to]: readonly [typeof own, typeof own], run: Run): LibraryFunction =>
    fixed(name, 1, [{ ...member(id, [from, string], to), run }]);
  return {
    name: "authz",
    since: 27,
    functions: [
      step(
        "path",
        "authorizer_path",
        [own, path],
        onText(isAuthorizer, (x, text) =>
          blank(text) ? new CelError("path must not be empty") : new PathCheck(typeName(domain, "PathCheck"), x, text),
        ),
      ),
      step(
        "group",
        "authorizer_group",
        [own, group],
        onText(isAuthorizer, (x, text) => new GroupCheck(typeName(domain, "GroupCheck"), x, text)),
      ),
      fixed("serviceAccount", 1, [
        { ...member("authorizer_serviceaccount", [own, string, string], own), run: serviceAccount },
      ]),
      step(
        "resource",
        "groupcheck_resource",
        [group, resource],
        onText(isGroup, (x, text) =>
          blank(text) ? new CelError("resource must not be empty") : resourceOf(domain, x, text),
        ),
      ),
      step("subresource", "resourcecheck_subresource", [resource, resource], narrowed("subresource")),
      step("namespace", "resourcecheck_namespace", [resource, resource], narrowed("namespace")),
      step("name", "resourcecheck_name", [resource, resource], narrowed("name")),
      {
        ...fixed("check", checkCost, [
          { ...member("pathcheck_check", [path, string], decision), run: checkPath },
          { ...member("resourcecheck_check", [resource, string], decision), run: checkResource },
        ]),
        asks: true,
      },
      fixed("errored", 1, [
        { ...member("decision_errored", [decision], bool), run: ofDecision((d) => d.error !== undefined) },
      ]),
      fixed("error", 1, [{ ...member("decision_error", [decision], string), run: ofDecision((d) => d.error ?? "") }]),
      fixed("allowed", 1, [{ ...member("decision_allowed", [decision], bool), run: ofDecision((d) => d.allowed) }]),
      fixed("reason", 1, [{ ...member("decision_reason", [decision], string), run: ofDecision((d) => d.reason) }]),
    ],
  };
}

function resourceOf(domain: string, { by, group }: GroupCheck, resource: string): Value {
  const target = { group, resource, subresource: "", namespace: "", name: "", fieldSelector: "", labelSelector: "" };
  return new ResourceCheck(typeName(domain, "ResourceCheck"), by, target);
}

/** A selector becomes a list of requirements, each at least two characters long. */
const requirementCost = 50;

const selectorEstimate: Estimate = ({ args: [x], sizeOf }) => {
  if (x === undefined) return undefined;
  const size = sizeOf(x);
  return { cost: add(exactly(10), scale(size, stringFactor), scale(scale(size, 0.5), requirementCost)) };
};

export function authorizerSelectors(domain: string): Library {
  const resource = t.struct(typeName(domain, "ResourceCheck"));
  const selector = (name: "fieldSelector" | "labelSelector"): LibraryFunction => ({
    name,
    cost: (args) => {
      const size = argSize(args, 1);
      return 10 + perUnit(size, stringFactor) + perUnit(perUnit(size, 0.5), requirementCost);
    },
    estimate: selectorEstimate,
    overloads: [{ ...member(`authorizer_${name.toLowerCase()}`, [resource, t.string], resource), run: narrowed(name) }],
  });
  return { name: "authzSelectors", since: 23, functions: [selector("fieldSelector"), selector("labelSelector")] };
}

export const decisionOf = (value: Value): AuthorizationDecision | undefined =>
  value instanceof Decision ? value.decision : undefined;
