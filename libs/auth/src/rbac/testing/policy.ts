import type { Binding, PolicyRule, Role, Subject } from "@orch/api/kinds/rbac/types.js";
import type { AnyObject } from "@orch/api/object.js";
import { createNaming } from "@orch/naming/naming.js";
import type { Attributes, Decision } from "../../authorizer.js";
import { resourceAttributes } from "../../testing/attributes.js";
import type { UserInfo } from "../../user.js";
import { createRbac, type Rbac } from "../rbac.js";
import { type Collections, createCollections, rbacResources } from "./collections.js";

export type RbacResource = (typeof rbacResources)[number];

/** An object of one of the four kinds. */
export interface Entry {
  readonly resource: RbacResource;
  readonly object: AnyObject & Role & Binding;
}

/** `pods/log`, or `apps:deployments`. */
interface Question {
  readonly user: UserInfo;
  readonly verb: string;
  readonly of: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** A question in few words: `/healthz` is a path, `apps:deployments/scale` a subresource of a group. */
export function asks({ user: who, verb, of, namespace = "", name = "" }: Question): Attributes {
  if (of.startsWith("/")) return { kind: "path", user: who, verb, path: of };
  const [group = "", rest = ""] = of.includes(":") ? of.split(":") : ["", of];
  const [resource = "", subresource = ""] = rest.split("/");
  return resourceAttributes({ user: who, verb, group, resource, subresource, namespace, name });
}

/** `get,list pods,pods/log`, `* apps:*`, `get pods a,b` for the names a and b, `get /healthz,/version/*`. */
export function rule(text: string): PolicyRule {
  const [verbs = "", what = "", names = ""] = text.split(" ");
  const listed = verbs.split(",");
  if (what.startsWith("/") || what === "URL*") {
    return { verbs: listed, nonResourceURLs: what === "URL*" ? ["*"] : what.split(",") };
  }
  const [groups = "", resources = ""] = what.includes(":") ? what.split(":") : ["", what];
  const named = names === "" ? {} : { resourceNames: names.split(",") };
  return { verbs: listed, apiGroups: groups.split(","), resources: resources.split(","), ...named };
}

/** `ns/name` for a Role, `name` for a ClusterRole. */
export function role(path: string, ...rules: readonly (string | PolicyRule)[]): Entry {
  const { namespace, name } = placed(path);
  const metadata = namespace === "" ? { name } : { name, namespace };
  const made = rules.map((one) => (typeof one === "string" ? rule(one) : one));
  return { resource: namespace === "" ? "clusterroles" : "roles", object: { metadata, rules: made } };
}

/** To `Role r` or `ClusterRole r`, for `User bob`, `Group a`, `ServiceAccount x` or `ServiceAccount ns/x`. */
export function binding(path: string, to: string, ...subjects: readonly string[]): Entry {
  const { namespace, name } = placed(path);
  const metadata = namespace === "" ? { name } : { name, namespace };
  const [kind = "", roleName = ""] = to.split(" ");
  const object = { metadata, roleRef: { kind, name: roleName }, subjects: subjects.map(subject) };
  return { resource: namespace === "" ? "clusterrolebindings" : "rolebindings", object };
}

function subject(text: string): Subject {
  const [kind = "", path = ""] = text.split(" ");
  if (kind !== "ServiceAccount") return { kind, name: path };
  const { namespace, name } = placed(path);
  return { kind, name, ...(namespace === "" ? {} : { namespace }) };
}

function placed(path: string): { readonly namespace: string; readonly name: string } {
  const [first = "", second] = path.split("/");
  return second === undefined ? { namespace: "", name: first } : { namespace: first, name: second };
}

export interface Loaded {
  readonly rbac: Rbac;
  readonly source: Collections;
  put(...entries: readonly Entry[]): void;
  remove(...entries: readonly Entry[]): void;
  /** At once: it is loaded. */
  decide(question: Question | Attributes): Decision;
}

/** An authorizer that is loaded with these objects. Whatever it logs fails the test unless `log` is given. */
export function loadedRbac(entries: readonly Entry[] = [], log: (what: string) => void = refuse): Loaded {
  const source = createCollections(rbacResources);
  const rbac = createRbac({ naming: createNaming("kubernetes"), log, clock: { after: () => () => {} } });
  const put = (...all: readonly Entry[]): void => {
    for (const { resource, object } of all) source.put(resource, object);
  };
  put(...entries);
  rbac.start(source);
  for (const resource of rbacResources) source.tell(resource);
  return {
    rbac,
    source,
    put,
    remove: (...all) => {
      for (const { resource, object } of all) source.remove(resource, object);
    },
    decide(question) {
      const decision = rbac.authorize("kind" in question ? question : asks(question));
      if (decision instanceof Promise) throw new Error("not decided at once");
      return decision;
    },
  };
}

function refuse(what: string): never {
  throw new Error(`unexpected log: ${what}`);
}
