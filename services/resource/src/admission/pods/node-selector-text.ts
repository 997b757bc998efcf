import { labelValue, qualifiedName } from "@orch/schema/formats/names.js";

type Labels = Readonly<Record<string, string>>;

/** `a=b,c=d` as labels; a sentence where it is nothing of the kind. */
export function parseNodeSelector(text: string): Labels | string {
  if (text === "") return {};
  const labels = new Map<string, string>();
  for (const part of text.split(",")) {
    const [name = "", value, ...more] = part.split("=").map((each) => each.trim());
    if (value === undefined || more.length > 0) return `invalid selector: [${part}]`;
    if (qualifiedName(name).length > 0 || labelValue(value).length > 0) return `invalid label: ${name}=${value}`;
    labels.set(name, value);
  }
  return Object.fromEntries(labels);
}

/** Whether a label has one value here and another there. */
export function conflicts(a: Labels, b: Labels): boolean {
  return Object.keys(a).some((name) => Object.hasOwn(b, name) && a[name] !== b[name]);
}

/** Whether all labels of the first are among the second's. */
export function isWithin(a: Labels, b: Labels): boolean {
  return Object.keys(a).every((name) => Object.hasOwn(b, name) && a[name] === b[name]);
}
