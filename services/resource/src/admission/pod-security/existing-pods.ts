import type { Pod } from "@orch/api/kinds/core/pod/types.js";
import { withMetadata } from "@orch/api/object.js";
import { objectOf } from "@orch/codec/json.js";
import { key } from "@orch/store/revision.js";
import { builtIn, type Write } from "../../write/write.js";
import { type CheckedSpec, checkedPod } from "./check.js";
import { type Evaluate, reasonText } from "./evaluate.js";
import { type LevelVersion, policyText } from "./policy.js";

/** As many pods, and as long, as somebody who labels a namespace waits for. */
const mostPods = 3000;
const mostMs = 1000;
const pageSize = 250;

export interface Asked {
  readonly namespace: string;
  readonly level: LevelVersion;
  readonly evaluate: Evaluate;
  readonly isExempt: (spec: CheckedSpec) => boolean;
}

/** What pods of one violation there are: the first of them by its name, and how many. */
interface Group {
  readonly first: string;
  count: number;
}

/** What whoever raises a namespace's level is told of the pods in it, which stay. */
export async function existingPodWarnings(write: Write, asked: Asked): Promise<readonly string[]> {
  const { namespace, level, evaluate, isExempt } = asked;
  const groups = new Map<string, Group>();
  const begun = write.deps.now();
  const whole = { checked: 0, total: 0 };
  for await (const { pods, count } of pagesOf(write, namespace)) {
    whole.total = Math.max(whole.total, count + whole.checked);
    for (const pod of pods) {
      whole.checked++;
      if (isExempt(pod.spec ?? {})) continue;
      const violations = evaluate(level, checkedPod(pod));
      if (violations.length === 0) continue;
      const text = reasonText(violations);
      const group = groups.get(text) ?? { first: pod.metadata.name ?? "", count: 0 };
      group.count++;
      groups.set(text, group);
    }
    if (whole.checked >= mostPods || write.deps.now() - begun > mostMs) break;
  }
  const unchecked =
    whole.checked < whole.total
      ? [
          `new PodSecurity enforce level only checked against the first ${whole.checked} of ${whole.total} existing pods`,
        ]
      : [];
  if (groups.size === 0) return unchecked;
  const what = `existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level`;
  const lines = [...groups].map(([text, { first, count }]) => `${first}${othersText(count - 1)}: ${text}`);
  return [...unchecked, `${what} ${JSON.stringify(policyText(level))}`, ...lines.sort()];
}

function othersText(others: number): string {
  if (others === 0) return "";
  return ` (and ${others} other ${others === 1 ? "pod" : "pods"})`;
}

interface Page {
  readonly pods: readonly (Pod & { readonly spec?: CheckedSpec })[];
  /** From the first of the page on. */
  readonly count: number;
}

async function* pagesOf(write: Write, namespace: string): AsyncGenerator<Page> {
  const { store, naming } = write.deps;
  const kind = builtIn(write, "v1", "Pod");
  const prefix = key(`${naming.storePrefix}${kind.storage.prefix}/${namespace}/`);
  for (let from = prefix; ; ) {
    // A pod that cannot be read is passed over: it must not keep its namespace from being labelled.
    const { entries, count } = await store.range({ prefix, from, limit: pageSize, damaged: "told", lent: true });
    const pods = entries.flatMap(({ value }): Page["pods"] => {
      try {
        return [withMetadata(objectOf(value))];
      } catch {
        return [];
      }
    });
    yield { pods, count };
    const last = entries.at(-1);
    if (last === undefined || entries.length >= count) return;
    from = key(`${last.key}\0`);
  }
}
