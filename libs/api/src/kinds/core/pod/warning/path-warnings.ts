import { type Budget, quoted } from "../../../shared/warnings/text.js";
import type { DownwardItem, Projection, Volume } from "../volume/volume-types.js";

/** A file of a volume, and what it is made of. */
interface File {
  readonly path: string;
  /** Empty where the volume has one source. */
  readonly source: string;
}

interface Keys {
  readonly name?: string;
  readonly items?: readonly { readonly path?: string }[];
}

export interface FileVolume extends Pick<Volume, "name" | "projected"> {
  readonly configMap?: Keys;
  readonly secret?: Keys & { readonly secretName?: string };
  readonly downwardAPI?: { readonly items?: readonly DownwardItem[] };
}

/** Files of one volume that hide each other: of one path, or one below the other. */
export function* pathWarnings(volumes: readonly FileVolume[], budget: Budget): Iterable<string> {
  for (const { name = "", configMap, secret, downwardAPI, projected } of volumes) {
    const of = (what: string) => `volume ${quoted(name)} (${what})`;
    if (configMap !== undefined) {
      yield* overlaps(filesOf(configMap.items, ""), of(`ConfigMap ${quoted(configMap.name ?? "")}`), budget);
    }
    if (secret !== undefined) {
      yield* overlaps(filesOf(secret.items, ""), of(`Secret ${quoted(secret.secretName ?? "")}`), budget);
    }
    if (downwardAPI !== undefined) yield* overlaps(filesOf(downwardAPI.items, ""), of("DownwardAPI"), budget);
    const files: File[] = [];
    for (const source of projected?.sources ?? []) {
      if (Object.keys(source).length === 0) yield `${of("Projected")} has no sources provided`;
      files.push(...projectedFiles(source));
    }
    yield* overlaps(files, of("Projected"), budget);
  }
}

function filesOf(items: readonly { readonly path?: string }[] | undefined, source: string): readonly File[] {
  return (items ?? []).map(({ path = "" }) => ({ path, source }));
}

function projectedFiles(source: Projection): readonly File[] {
  const { configMap, secret, downwardAPI, serviceAccountToken: token, clusterTrustBundle: bundle } = source;
  if (configMap?.items !== undefined) return filesOf(configMap.items, `ConfigMap ${quoted(configMap.name ?? "")}`);
  if (secret?.items !== undefined) return filesOf(secret.items, `Secret ${quoted(secret.name ?? "")}`);
  if (downwardAPI?.items !== undefined) return filesOf(downwardAPI.items, "DownwardAPI");
  if (token !== undefined) return filesOf([token], "ServiceAccountToken");
  if (bundle === undefined) return [];
  return filesOf([bundle], `ClusterTrustBundle ${quoted(bundle.name ?? bundle.signerName ?? "")}`);
}

function* overlaps(files: readonly File[], what: string, budget: Budget): Iterable<string> {
  const seen: File[] = [];
  for (const file of files) {
    const path = withoutSlashes(file.path);
    if (path === "") continue;
    for (const other of seen) {
      // Long texts cost more to compare.
      budget.comparisons -= 1 + path.length / 16;
      if (budget.comparisons <= 0) return;
      if (isWithin(path, other.path) || isWithin(other.path, path)) {
        yield `${what}: overlapping paths: ${shown({ ...file, path })} with ${shown(other)}`;
      }
    }
    seen.push({ ...file, path });
  }
}

function withoutSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end--;
  return path.slice(0, end);
}

function isWithin(path: string, folder: string): boolean {
  return path.startsWith(folder) && (path.length === folder.length || path[folder.length] === "/");
}

function shown({ path, source }: File): string {
  return source === "" ? quoted(path) : `${quoted(path)} (${source})`;
}
