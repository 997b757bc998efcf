import { type AnyObject, valueAt } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import { equalJson } from "@orch/schema/equal.js";
import { type NodeRule, type NodeWrite, stateOf } from "./node-restriction-rule.js";

interface NodeRules {
  readonly check: NodeRule;
  /** Of a new node as it was given, before it is prepared. */
  checkGiven(node: string, object: AnyObject): string | undefined;
}

/** A node registers itself and tells its state; where pods go by it is for others to say. */
export function nodeRules(naming: Naming): NodeRules {
  const forbiddenLabels = labelRule(naming);
  return {
    checkGiven(node, object) {
      if (valueAt(object, "spec.configSource") === undefined) return undefined;
      return `node ${JSON.stringify(node)} is not allowed to create pods with a non-nil configSource`;
    },
    check(asked) {
      const { node, change } = asked;
      const { name = "" } = stateOf(asked).metadata;
      const who = `node ${JSON.stringify(node)}`;
      if (name !== node) return `${who} is not allowed to modify node ${JSON.stringify(name)}`;
      switch (change.type) {
        case "delete":
          return undefined;
        case "create": {
          const labels = forbiddenLabels(change.object, undefined);
          return labels === "" ? undefined : `${who} is not allowed to set the following labels: ${labels}`;
        }
        case "update": {
          const labels = forbiddenLabels(change.object, change.old);
          return (
            changeProblem(who, change) ?? (labels === "" ? undefined : `is not allowed to modify labels: ${labels}`)
          );
        }
      }
    },
  };
}

function changeProblem(who: string, { object, old }: Extract<NodeWrite["change"], { type: "update" }>) {
  const differs = (path: string, none: unknown): boolean =>
    !equalJson(valueAt(object, path) ?? none, valueAt(old, path) ?? none);
  const source = valueAt(object, "spec.configSource");
  if (source !== undefined && differs("spec.configSource", undefined)) {
    return `${who} is not allowed to update configSource to a new non-nil configSource`;
  }
  if (differs("spec.taints", [])) return `${who} is not allowed to modify taints`;
  // A node whose owner is nowhere would be collected, and could register anew without its taints and labels.
  if (differs("metadata.ownerReferences", [])) return `${who} is not allowed to modify ownerReferences`;
  return undefined;
}

/**
 * Tells the labels that changed and that a node may not change, in order. Of the product's own labels those alone are
 * its, that say what the machine is: others are kept for what it must not say of itself.
 */
function labelRule(naming: Naming): (object: AnyObject, old: AnyObject | undefined) => string {
  const { keyDomain } = naming;
  const places = ["zone", "region"];
  const own: ReadonlySet<string> = new Set([
    ...["hostname", "os", "arch"].map(naming.key),
    ...["os", "arch", "instance-type"].map((name) => `beta.${naming.key(name)}`),
    ...places.map((name) => `topology.${naming.key(name)}`),
    ...places.map((name) => `failure-domain.beta.${naming.key(name)}`),
  ]);
  const reserved = [keyDomain, naming.group("").slice(1)];
  const open = [`kubelet.${keyDomain}`, `node.${keyDomain}`];
  const mayNot = (label: string): boolean => {
    const slash = label.indexOf("/");
    const domain = slash < 0 ? "" : label.slice(0, slash);
    return !own.has(label) && isWithin(domain, reserved) && !isWithin(domain, open);
  };
  return ({ metadata: { labels = {} } }, old) => {
    const before = old?.metadata.labels ?? {};
    const names = new Set([...Object.keys(labels), ...Object.keys(before)]);
    const changed = [...names].filter((name) => ownValue(labels, name) !== ownValue(before, name));
    return changed.filter(mayNot).sort().join(", ");
  };
}

function isWithin(domain: string, domains: readonly string[]): boolean {
  return domains.some((each) => domain === each || domain.endsWith(`.${each}`));
}

/** Labels have any name, `constructor` too. */
function ownValue(labels: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(labels, name) ? labels[name] : undefined;
}
