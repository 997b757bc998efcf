import { compareText, timeOf } from "../rim/objects.js";
import type { BindingWords, StorageClass } from "./types.js";

export const isDefault = ({ metadata }: StorageClass, words: BindingWords): boolean =>
  words.isDefault.some((key) => metadata.annotations?.[key] === "true");

/** The class of claims that name none: of several the newest, ties by name. */
export function defaultClass(classes: Iterable<StorageClass>, words: BindingWords): string | undefined {
  const [first] = [...classes].filter((each) => isDefault(each, words)).sort(newestFirst);
  return first?.metadata.name;
}

function newestFirst(a: StorageClass, b: StorageClass): number {
  const ages = timeOf(b.metadata.creationTimestamp) - timeOf(a.metadata.creationTimestamp);
  return ages !== 0 ? ages : compareText(a.metadata.name ?? "", b.metadata.name ?? "");
}
