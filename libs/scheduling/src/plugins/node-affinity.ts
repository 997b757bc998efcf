import type { ArgumentsOf } from "@orch/component-config/scheduler/arguments.js";
import { localFilter, type Plugin, type Prepared } from "../framework/plugin.js";
import { skip, unresolvable } from "../framework/status.js";
import { compileNodeSelector, compilePreferred, type Selectable } from "../model/node-selection.js";
import type { PodInfo } from "../model/pod-info.js";
import { normalizedTo } from "./normalize.js";

const name = "NodeAffinity";
const byPod = unresolvable(name, "node(s) didn't match Pod's node affinity/selector");
const byConfiguration = unresolvable(name, "node(s) didn't match scheduler-enforced node affinity");
const conflict = unresolvable(name, "pod affinity terms conflict");

/** What a pod, and the configuration for all pods, require and prefer of a node's labels and name. */
export function nodeAffinity({ addedAffinity }: ArgumentsOf<"NodeAffinity">): Plugin {
  const required = addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const added = required === undefined ? undefined : compileNodeSelector(required);
  const addsPreferred = addedAffinity?.preferredDuringSchedulingIgnoredDuringExecution !== undefined;
  const addedPreferred = addedAffinity === undefined ? [] : compilePreferred(addedAffinity);
  const matches = ({ selection }: PodInfo, node: Selectable): boolean =>
    (added === undefined || added(node)) && (selection === undefined || selection.matches(node));

  const prepared = ({ selection }: PodInfo): Prepared => {
    const names = selection?.names;
    return {
      code: "Ready",
      ...(names === undefined ? {} : { nodes: names }),
      filter: localFilter((node) => {
        if (added !== undefined && !added(node)) return byConfiguration;
        return selection === undefined || selection.matches(node) ? undefined : byPod;
      }),
    };
  };

  return {
    name,
    preFilter: ({ pod }) => {
      if (added === undefined && (pod.selection === undefined || pod.selection.text === "")) return skip;
      return pod.selection?.names?.size === 0 ? conflict : prepared(pod);
    },
    filter: "prepared",
    preScore: ({ pod: { selection } }) => {
      if (!addsPreferred && selection?.prefers !== true) return skip;
      const terms = [...addedPreferred, ...(selection?.preferred ?? [])];
      return {
        score: (node) => {
          let sum = 0;
          for (const term of terms) if (term.matches(node)) sum += term.weight;
          return sum;
        },
        normalize: normalizedTo({ reverse: false }),
      };
    },
    score: "prepared",
    events: [
      {
        resource: "Node",
        actions: ["Add", "UpdateNodeLabel"],
        hint: (pod, event) => {
          if (event.resource !== "Node" || event.after === undefined || !matches(pod, event.after)) return false;
          return event.before === undefined || !matches(pod, event.before);
        },
      },
    ],
  };
}
