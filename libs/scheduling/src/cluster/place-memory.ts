import { askedText, type PodInfo } from "../model/pod-info.js";
import type { ClusterView } from "./view.js";

/** What was found of nodes for pods of a template, each at the node's place in the list; undefined: not known. */
export type Recalled<T> = (T | undefined)[];

interface Template<T> {
  mark: number;
  /** Made when a second pod of the template comes. */
  readonly answers: Recalled<T>;
}

/** Of templates that come in turns. */
const mostTemplates = 64;

/**
 * Pods of one template ask for the same, and between two of them few nodes change. What depends on nothing but what a pod
 * asks for, on the value of a node, and on the pods that are nominated to it, is kept until the log of changes names its
 * place. Answers undefined for a pod that is the first of its template.
 */
export function createPlaceMemory<T>(): (pod: PodInfo, cluster: ClusterView) => Recalled<T> | undefined {
  const templates = new Map<string, Template<T> | undefined>();
  return (pod, cluster) => {
    const text = askedText(pod);
    const isFirst = !templates.has(text);
    const known = templates.get(text);
    // To the end of the map: what is at its beginning has not come for the longest.
    templates.delete(text);
    if (isFirst) {
      templates.set(text, undefined);
      const oldest = templates.keys().next();
      if (templates.size > mostTemplates && oldest.done !== true) templates.delete(oldest.value);
      return undefined;
    }
    const template = known ?? { mark: Number.NEGATIVE_INFINITY, answers: [] };
    templates.set(text, template);
    catchUp(template, cluster);
    return template.answers;
  };
}

function catchUp<T>(template: Template<T>, { nodes, changes }: ClusterView): void {
  const { answers, mark } = template;
  // Grown from its end: an array that grows from its middle is a table of hashes to the engine.
  while (answers.length < nodes.length) answers.push(undefined);
  answers.length = nodes.length;
  const isKnown = changes.since(mark, (place) => {
    if (place < answers.length) answers[place] = undefined;
  });
  if (!isKnown) answers.fill(undefined);
  template.mark = changes.end;
}
