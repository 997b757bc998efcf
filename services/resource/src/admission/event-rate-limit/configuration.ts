import { rootTree, type Tree } from "@orch/auth/config/tree.js";
import type { Parsed } from "@orch/auth/parsed.js";
import type { Naming } from "@orch/naming/naming.js";
import { fieldError } from "@orch/status/field-error.js";

/** Whose events share a bucket. In the order of their names, in which a refusal lists them. */
export const limitTypes = ["Namespace", "Server", "SourceAndObject", "User"] as const;
export type LimitType = (typeof limitTypes)[number];

export interface EventLimit {
  readonly type: LimitType;
  /** Events a second. */
  readonly qps: number;
  /** Events at once, after a while without. */
  readonly burst: number;
  /** Buckets that are kept, those that were used last. */
  readonly cacheSize: number;
}

export interface EventRateLimitConfiguration {
  readonly limits: readonly EventLimit[];
}

const usualCacheSize = 4096;
const limitFields = ["type", "qps", "burst", "cacheSize"] as const;

/** Reads the plugin's part of the admission configuration, decoded already; without limits it is none. */
export function parseEventRateLimitConfiguration(file: unknown, naming: Naming): Parsed<EventRateLimitConfiguration> {
  const problems: string[] = [];
  const root = rootTree(file, ["apiVersion", "kind", "limits"], (problem) => void problems.push(problem));
  if (file !== undefined && file !== null) {
    const [apiVersion, kind] = [root.text("apiVersion"), root.text("kind")];
    if (kind !== "Configuration" || apiVersion !== `${naming.group("eventratelimit.admission")}/v1alpha1`) {
      const problem = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`;
      return { ok: false, problems: [...problems, problem] };
    }
  }
  const trees = root.objects("limits", limitFields);
  if (trees.length === 0) root.refuse(fieldError.invalid("limits", [], "must not be empty"));
  const limits = trees.flatMap(readLimit);
  return problems.length === 0 ? { ok: true, value: { limits } } : { ok: false, problems };
}

function readLimit(tree: Tree<(typeof limitFields)[number]>): readonly EventLimit[] {
  const text = tree.text("type");
  const type = limitTypes.find((known) => known === text);
  if (type === undefined) tree.refuse(fieldError.notSupported(tree.pathOf("type"), text, limitTypes));
  const [burst, qps, cacheSize] = [
    tree.integer("burst") ?? 0,
    tree.integer("qps") ?? 0,
    tree.integer("cacheSize") ?? 0,
  ];
  if (burst <= 0) tree.refuse(fieldError.invalid(tree.pathOf("burst"), burst, "must be positive"));
  if (qps <= 0) tree.refuse(fieldError.invalid(tree.pathOf("qps"), qps, "must be positive"));
  if (cacheSize < 0) tree.refuse(fieldError.invalid(tree.pathOf("cacheSize"), cacheSize, "must not be negative"));
  return type === undefined ? [] : [{ type, qps, burst, cacheSize: cacheSize === 0 ? usualCacheSize : cacheSize }];
}
