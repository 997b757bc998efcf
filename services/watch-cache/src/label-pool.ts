import { readJson } from "@orch/status/read-json.js";
export type Labels = Readonly<Record<string, string>>;

/** Parses the JSON text of a labels map; equal texts give the same object. */
export type LabelPool = (text: string) => Labels;

/** Sets remembered; a cluster's objects carry far fewer than one set each. */
const remembered = 10_000;
/** Longer texts are nobody's shared set, and would pin memory after their objects are gone. */
const maxLength = 1024;

/**
 * Objects that one controller made carry the same labels: kept once, a hundred thousand objects' labels cost
 * next to nothing.
 */
export function createLabelPool(): LabelPool {
  const known = new Map<string, Labels>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const labels: Labels = readJson(text);
    if (text.length > maxLength) return labels;
    if (known.size >= remembered) known.clear();
    known.set(text, labels);
    return labels;
  };
}
