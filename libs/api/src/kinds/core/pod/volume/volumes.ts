import type { Naming } from "@orch/naming/naming.js";
import { dnsSubdomain } from "@orch/schema/formats/names.js";
import { compareQuantities } from "@orch/schema/formats/quantity.js";
import { validateAnnotations, validateLabels } from "@orch/schema/object-meta.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { invalidFor } from "../../../shared/problems.js";
import { validateClaimSpec } from "../../claim-spec.js";
import {
  validateAzureDisk,
  validateFibreChannel,
  validateFlocker,
  validateOptions,
  validatePodIscsi,
  validateQuobyte,
} from "../../volume-sources.js";
import { each, requireText } from "../errors.js";
import type { PodPlace } from "../place.js";
import type { PodSpec } from "../types.js";
import { validateDownwardItem } from "./downward.js";
import { localPath } from "./mounts.js";
import { validateProjected } from "./projected.js";
import { validateCsi } from "./volume-sources.js";
import type { ClaimTemplate, Volume } from "./volume-types.js";

/** The order in which the reference looks for a volume's source: the first is looked into, the others are too many. */
const order = [
  "emptyDir",
  "hostPath",
  "gitRepo",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "secret",
  "nfs",
  "iscsi",
  "glusterfs",
  "flocker",
  "persistentVolumeClaim",
  "rbd",
  "cinder",
  "cephfs",
  "quobyte",
  "downwardAPI",
  "fc",
  "flexVolume",
  "configMap",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "storageos",
  "projected",
  "scaleIO",
  "csi",
  "ephemeral",
  "image",
];

const tooMany = "may not specify more than 1 volume type";
/** Where the reference tells of one source too many by another name. */
const misnamed: Readonly<Record<string, string>> = { cephfs: "cephFS", downwardAPI: "downwarAPI" };

/** The volumes of a pod, whose name is empty in a template; `at` is the spec's path. */
export function validateVolumes({ volumes }: PodSpec, at: string, { naming, pod = "" }: PodPlace): FieldError[] {
  const made = new Set(
    pod === "" ? [] : (volumes ?? []).filter((v) => v.ephemeral !== undefined).map((v) => `${pod}-${v.name ?? ""}`),
  );
  return each(volumes, `${at}.volumes`, (volume, place) => {
    const claim = volume.persistentVolumeClaim?.claimName;
    return [
      ...validateVolume(volume, { naming, pod, at: place }),
      ...(claim !== undefined && made.has(claim)
        ? [
            fieldError.invalid(
              `${place}.persistentVolumeClaim.claimName`,
              claim,
              "must not reference a PVC that gets created for an ephemeral volume",
            ),
          ]
        : []),
    ];
  });
}

/** Volumes by name without those that something is wrong with, of which the reference knows nothing where they are mounted. */
export function soundVolumes(
  { volumes = [] }: PodSpec,
  errors: readonly FieldError[],
  at: string,
): ReadonlyMap<string, Volume> {
  const start = `${at}.volumes[`;
  const wrong = new Set(
    errors
      .filter(({ field }) => field.startsWith(start))
      .map(({ field }) => Number.parseInt(field.slice(start.length), 10)),
  );
  return new Map(volumes.flatMap((volume, i) => (wrong.has(i) ? [] : [[volume.name ?? "", volume] as const])));
}

interface VolumePlace {
  readonly naming: Naming;
  readonly pod: string;
  readonly at: string;
}

function validateVolume(volume: Volume, { naming, pod, at }: VolumePlace): FieldError[] {
  const [first, ...others] = order.filter((name) => Object.hasOwn(volume, name));
  if (first === undefined) return [fieldError.required(at, "must specify a volume type")];
  return [
    ...validateSource(volume, first, { at: `${at}.${first}`, naming }),
    ...others.map((name) => fieldError.forbidden(`${at}.${misnamed[name] ?? name}`, tooMany)),
    ...(first === "ephemeral" ? validateClaimName(volume.name ?? "", pod, at) : []),
  ];
}

interface Place {
  readonly at: string;
  readonly naming: Naming;
}

/** Rules of one source that depend on several fields; those of single fields are data. */
function validateSource(volume: Volume, source: string, { at, naming }: Place): FieldError[] {
  switch (source) {
    case "emptyDir":
      return compareQuantities(volume.emptyDir?.sizeLimit ?? "0", "0") < 0
        ? [fieldError.forbidden(`${at}.sizeLimit`, "SizeLimit field must be a valid resource quantity")]
        : [];
    case "gitRepo":
      return localPath(`${at}.directory`, volume.gitRepo?.directory ?? "");
    case "configMap":
      return requireText(`${at}.name`, volume.configMap?.name);
    case "downwardAPI":
      return (volume.downwardAPI?.items ?? []).flatMap((item) => validateDownwardItem(item, at));
    case "projected":
      return validateProjected(volume.projected?.sources ?? [], at);
    case "iscsi":
      return validatePodIscsi(volume.iscsi ?? {}, at, volume.name ?? "");
    case "flocker":
      return validateFlocker(volume.flocker ?? {}, at);
    case "quobyte":
      return validateQuobyte(volume.quobyte ?? {}, at);
    case "fc":
      return validateFibreChannel(volume.fc ?? {}, at);
    case "flexVolume":
      return validateOptions(volume.flexVolume?.options ?? {}, `${at}.options`, naming);
    case "azureDisk":
      return validateAzureDisk(volume.azureDisk ?? {}, at);
    case "cinder":
      return secretName(volume.cinder?.secretRef, at);
    case "storageos":
      return secretName(volume.storageos?.secretRef, at);
    case "csi":
      return validateCsi(volume.csi ?? {}, at);
    case "ephemeral":
      return validateClaimTemplate(volume.ephemeral?.volumeClaimTemplate, `${at}.volumeClaimTemplate`);
    default:
      return [];
  }
}

function secretName(ref: { readonly name?: string } | undefined, at: string): FieldError[] {
  return ref === undefined ? [] : requireText(`${at}.secretRef.name`, ref.name);
}

/** The claim of an ephemeral volume is named after the pod and the volume. */
function validateClaimName(volume: string, pod: string, at: string): FieldError[] {
  if (volume === "" || pod === "") return [];
  const claim = `${pod}-${volume}`;
  return invalidFor(
    `${at}.name`,
    volume,
    dnsSubdomain(claim).map((problem) => `PVC name ${JSON.stringify(claim)}: ${problem}`),
  );
}

function validateClaimTemplate(template: ClaimTemplate | undefined, at: string): FieldError[] {
  const { labels, annotations, ...others } = template?.metadata ?? {};
  return [
    ...validateAnnotations(annotations, `${at}.metadata.annotations`),
    ...validateLabels(labels, `${at}.metadata.labels`),
    ...Object.keys(others).map((name) => fieldError.forbidden(`${at}.metadata.${name}`, "cannot be set")),
    // That there is a template is told by the checks of its type.
    ...(template === undefined ? [] : validateClaimSpec(template.spec ?? {}, `${at}.spec`)),
  ];
}
