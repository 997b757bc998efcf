import { type ApiObject, isRecord } from "@orch/client/objects.js";
import { listAt, textsAt, valueAt } from "./rendered.js";

type Labels = Readonly<Record<string, string>>;

interface Side {
  readonly labels: Labels;
  /** Names of its ports. */
  readonly ports: Readonly<Record<string, number>>;
}

const selects = (selector: unknown, labels: Labels): boolean =>
  Object.entries(textsAt(selector, "matchLabels")).every(([key, value]) => labels[key] === value);

function policiesFor(policies: readonly ApiObject[], { labels }: Side): readonly ApiObject[] {
  return policies.filter((policy) => selects(valueAt(policy, "spec.podSelector"), labels));
}

/** Whether a rule takes a port; of another pod's ports none is known by its name. */
function takesPort(rule: unknown, port: number, named: Side["ports"]): boolean {
  const ports = listAt(rule, "ports");
  if (ports.length === 0) return true;
  return ports.some((one) => {
    const wanted = valueAt(one, "port");
    return wanted === port || (typeof wanted === "string" && named[wanted] === port);
  });
}

function takesPeer(rule: unknown, key: "from" | "to", { labels }: Side): boolean {
  if (!isRecord(rule) || rule[key] === undefined) return true;
  return listAt(rule, key).some((peer) => {
    const selector = valueAt(peer, "podSelector");
    // Another namespace is nobody of ours.
    return valueAt(peer, "namespaceSelector") === undefined && selector !== undefined && selects(selector, labels);
  });
}

/**
 * Whether NetworkPolicies let one pod reach a port of another in the same namespace, without the rules that let a pod reach
 * anybody: those are for what users run.
 */
export function letsThrough(
  policies: readonly ApiObject[],
  { from, to, port }: { readonly from: Side; readonly to: Side; readonly port: number },
): boolean {
  const leaves = policiesFor(policies, from).some((policy) =>
    listAt(policy, "spec.egress").some(
      (rule) => isRecord(rule) && rule["to"] !== undefined && takesPort(rule, port, {}) && takesPeer(rule, "to", to),
    ),
  );
  const enters = policiesFor(policies, to).some((policy) =>
    listAt(policy, "spec.ingress").some((rule) => takesPort(rule, port, to.ports) && takesPeer(rule, "from", from)),
  );
  return leaves && enters;
}
