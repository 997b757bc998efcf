import type { RawPod } from "./objects.js";

/** A name as nodes list it: without a tag it is the latest. */
export const normalizedImage = (name: string): string =>
  name.lastIndexOf(":") <= name.lastIndexOf("/") ? `${name}:latest` : name;

/** Of every container and init container, as often as it is named. */
export function imagesOf(spec: RawPod["spec"]): readonly string[] {
  const { containers = [], initContainers = [] } = spec ?? {};
  return [...initContainers, ...containers].map(({ image = "" }) => normalizedImage(image));
}
