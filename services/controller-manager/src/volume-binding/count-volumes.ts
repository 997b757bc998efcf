import type { Counted, VolumeCounts } from "../metrics.js";
import { type BindingWords, type Claim, classOf, modeOf, type Volume } from "./types.js";

/** What the reference calls the plugins that it has; of all others it knows no name. */
const plugins = { csi: "csi", hostPath: "host-path", nfs: "nfs", local: "local-volume" } as const;

/** How many volumes and claims there are, by what metrics tell them apart. */
export function countVolumes(volumes: Iterable<Volume>, claims: Iterable<Claim>, words: BindingWords): VolumeCounts {
  const [all, boundVolumes, unboundVolumes] = [
    createCounts(["plugin_name", "volume_mode"]),
    createCounts(["storage_class"]),
    createCounts(["storage_class"]),
  ];
  const ofClaim = ["namespace", "storage_class", "volume_attributes_class"] as const;
  const [boundClaims, unboundClaims] = [createCounts(ofClaim), createCounts(ofClaim)];
  for (const volume of volumes) {
    all.add({ plugin_name: pluginOf(volume, words), volume_mode: modeOf(volume) });
    const counts = volume.status?.phase === "Bound" ? boundVolumes : unboundVolumes;
    counts.add({ storage_class: classOf(volume, words) });
  }
  for (const claim of claims) {
    const counts = claim.status?.phase === "Bound" ? boundClaims : unboundClaims;
    counts.add({
      namespace: claim.metadata.namespace ?? "",
      storage_class: classOf(claim, words),
      volume_attributes_class: claim.spec?.volumeAttributesClassName ?? "",
    });
  }
  return {
    volumes: all.counted(),
    boundVolumes: boundVolumes.counted(),
    unboundVolumes: unboundVolumes.counted(),
    boundClaims: boundClaims.counted(),
    unboundClaims: unboundClaims.counted(),
  };
}

function pluginOf({ spec }: Volume, { builtIn }: Pick<BindingWords, "builtIn">): string {
  const found = Object.entries(plugins).find(([field]) => spec !== undefined && field in spec);
  return found === undefined ? "N/A" : `${builtIn}${found[1]}`;
}

function createCounts<L extends string>(names: readonly L[]) {
  const counts = new Map<string, { readonly labels: Readonly<Record<L, string>>; count: number }>();
  return {
    add(labels: Readonly<Record<L, string>>): void {
      const key = JSON.stringify(names.map((name) => labels[name]));
      const counted = counts.get(key) ?? { labels, count: 0 };
      counted.count += 1;
      counts.set(key, counted);
    },
    counted: (): Counted<L> => [...counts.values()],
  };
}
