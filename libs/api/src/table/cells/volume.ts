import type { ApiObject } from "../../object.js";
import { type Cells, cell, cellWith } from "../cell.js";

interface Volume extends ApiObject {
  readonly spec?: {
    readonly accessModes?: readonly string[];
    readonly storageClassName?: string;
    /** Of a claim. */
    readonly volumeName?: string;
  };
  readonly status?: {
    readonly phase?: string;
    readonly accessModes?: readonly string[];
    readonly capacity?: { readonly storage?: string };
  };
}

/** Of volumes and of claims to them. */
export const volumeCells: Cells = [
  ["phaseOrTerminating", cell<Volume>(phase)],
  ["storageClass", cellWith<Volume>(storageClass)],
  ["volumeAccessModes", cell<Volume>(({ spec }) => accessModes(spec?.accessModes))],
  ["claimAccessModes", cell<Volume>((claim) => (isBound(claim) ? accessModes(claim.status?.accessModes) : ""))],
  ["claimCapacity", cell<Volume>((claim) => (isBound(claim) ? (claim.status?.capacity?.storage ?? "0") : ""))],
];

function phase({ metadata, status }: Volume): string {
  return metadata.deletionTimestamp === undefined ? (status?.phase ?? "") : "Terminating";
}

/** Word: the annotation that named the class before there was a field for it. */
function storageClass([annotation = ""]: readonly string[]): (volume: Volume) => string {
  return ({ metadata, spec }) => metadata.annotations?.[annotation] ?? spec?.storageClassName ?? "";
}

function isBound({ spec }: Volume): boolean {
  return (spec?.volumeName ?? "") !== "";
}

const shortModes = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;

function accessModes(modes: readonly string[] = []): string {
  return shortModes.flatMap(([mode, short]) => (modes.includes(mode) ? [short] : [])).join(",");
}
