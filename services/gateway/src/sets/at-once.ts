import type { Caller } from "@orch/rpc/rpc.js";
import { definitions, type Plan, type PlannedWrite } from "./plan.js";

/** Bytes of all objects: with what histories keep of them they fit into a transaction of every store that has some. */
const mostBytes = 6 << 20;

interface WholeDeps {
  readonly resources: (group: string) => Caller;
}

/**
 * The service that may write all of a set in one transaction; undefined where they are several, where the set lays ground that
 * other objects of it need, or where it is too large.
 */
export function serviceOfAll(
  plan: Pick<Plan, "writes" | "removals">,
  ofSet: string,
  { resources }: WholeDeps,
): Caller | undefined {
  const { writes, removals } = plan;
  const bytes = [...writes, ...removals].reduce((sum, each) => sum + each.bytes, 0);
  if (bytes > mostBytes || writes.some(laysGround)) return undefined;
  const groups = [ofSet, ...writes.map(({ object }) => object.place.group ?? ""), ...removals.map(groupOf)];
  const [only, ...others] = new Set([...new Set(groups)].map((group) => resources(group)));
  return others.length === 0 ? only : undefined;
}

const groupOf = ({ member }: Plan["removals"][number]): string => member.group ?? "";

/** A namespace that is not there yet, a definition that is not as it will be, or an object of its kind. */
function laysGround({ object: { kind, brought }, action }: PlannedWrite): boolean {
  if (brought) return true;
  if (kind.plural === definitions) return action !== "Keep";
  return kind.plural === "namespaces" && kind.group === "" && action === "Create";
}
