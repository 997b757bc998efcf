import type { Naming } from "@orch/naming/naming.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { dnsLabel, dnsSubdomain } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { validateDriverName } from "../shared/driver-name.js";
import { invalidFor } from "../shared/problems.js";

interface SecretRef {
  readonly name?: string;
  readonly namespace?: string;
}

interface Csi {
  readonly driver?: string;
  readonly controllerPublishSecretRef?: SecretRef;
  readonly controllerExpandSecretRef?: SecretRef;
  readonly nodePublishSecretRef?: SecretRef;
  readonly nodeExpandSecretRef?: SecretRef;
}

export interface Iscsi {
  readonly targetPortal?: string;
  readonly iqn?: string;
  readonly chapAuthDiscovery?: boolean;
  readonly chapAuthSession?: boolean;
  readonly secretRef?: SecretRef;
  readonly initiatorName?: string;
}

export interface Quobyte {
  readonly registry?: string;
  readonly tenant?: string;
}

export interface AzureDisk {
  readonly diskURI?: string;
  readonly kind?: string;
}

export interface FibreChannel {
  readonly targetWWNs?: readonly string[];
  readonly lun?: number;
  readonly wwids?: readonly string[];
}

export interface Flocker {
  readonly datasetName?: string;
  readonly datasetUUID?: string;
}

/** In the order in which they are looked at: the first is the volume's, each further one too many. */
export const sourceNames = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "flocker",
  "nfs",
  "rbd",
  "quobyte",
  "cephfs",
  "iscsi",
  "cinder",
  "fc",
  "flexVolume",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "scaleIO",
  "local",
  "storageos",
  "csi",
] as const;
type SourceName = (typeof sourceNames)[number];

/** What a volume of the cluster may be; what is not looked into here has its rules in the data. */
export interface VolumeSources extends Readonly<Partial<Record<Exclude<SourceName, keyof Known>, JsonObject>>>, Known {}

interface Known {
  readonly hostPath?: { readonly path?: string };
  readonly glusterfs?: { readonly endpointsNamespace?: string };
  readonly flocker?: Flocker;
  readonly iscsi?: Iscsi;
  readonly cinder?: { readonly secretRef?: SecretRef };
  readonly fc?: FibreChannel;
  readonly flexVolume?: { readonly options?: Readonly<Record<string, string>> };
  readonly azureFile?: { readonly secretNamespace?: string };
  readonly storageos?: { readonly secretRef?: SecretRef };
  readonly csi?: Csi;
  readonly quobyte?: Quobyte;
  readonly azureDisk?: AzureDisk;
}

interface Place {
  readonly at: string;
  /** The volume's. */
  readonly name: string;
  readonly naming: Naming;
}

/** Where the reference tells of one source too many by another name. */
const misnamed: Readonly<Record<string, string>> = { cephfs: "cephFS" };

/** Exactly one source, and what depends on several of its fields. */
export function validateSources(sources: VolumeSources, { at, name, naming }: Place): FieldError[] {
  const [first, ...others] = sourceNames.filter((source) => sources[source] !== undefined);
  if (first === undefined) return [fieldError.required(at, "must specify a volume type")];
  return [
    ...validateSource(sources, first, { at: `${at}.${first}`, name, naming }),
    // One of a FlexVolume is not too many, as in the reference.
    ...others
      .filter((other) => other !== "flexVolume")
      .map((other) =>
        fieldError.forbidden(`${at}.${misnamed[other] ?? other}`, "may not specify more than 1 volume type"),
      ),
  ];
}

function validateSource(sources: VolumeSources, source: SourceName, { at, name, naming }: Place): FieldError[] {
  switch (source) {
    case "glusterfs":
      return validateNamespace(sources.glusterfs?.endpointsNamespace, `${at}.endpointsNamespace`);
    case "flocker":
      return validateFlocker(sources.flocker ?? {}, at);
    case "iscsi":
      return validateIscsi(sources.iscsi ?? {}, at, name);
    case "cinder":
      return validateNamed(sources.cinder?.secretRef, `${at}.secretRef`);
    case "fc":
      return validateFibreChannel(sources.fc ?? {}, at);
    case "flexVolume":
      return validateOptions(sources.flexVolume?.options ?? {}, `${at}.options`, naming);
    case "azureFile":
      return sources.azureFile?.secretNamespace === "" ? [fieldError.required(`${at}.secretNamespace`)] : [];
    case "quobyte":
      return validateQuobyte(sources.quobyte ?? {}, at);
    case "azureDisk":
      return validateAzureDisk(sources.azureDisk ?? {}, at);
    case "storageos":
      return validateNamed(sources.storageos?.secretRef, `${at}.secretRef`);
    case "csi":
      return validateCsi(sources.csi ?? {}, at);
    default:
      return [];
  }
}

function validateNamespace(namespace: string | undefined, at: string): FieldError[] {
  if (namespace === undefined) return [];
  return namespace === ""
    ? [fieldError.invalid(at, "", "if the endpointnamespace is set, it must be a valid namespace name")]
    : invalidFor(at, namespace, dnsLabel(namespace));
}

export function validateFlocker({ datasetName = "", datasetUUID = "" }: Flocker, at: string): FieldError[] {
  return [
    ...(datasetName === "" && datasetUUID === ""
      ? [fieldError.required(at, "one of datasetName and datasetUUID is required")]
      : []),
    ...(datasetName !== "" && datasetUUID !== ""
      ? [fieldError.invalid(at, "resource", "datasetName and datasetUUID can not be specified simultaneously")]
      : []),
    ...(datasetName.includes("/")
      ? [fieldError.invalid(`${at}.datasetName`, datasetName, "must not contain '/'")]
      : []),
  ];
}

const maxPortalLength = 64;
const portalTooLong =
  "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
const badIscsiName = "must be valid format";

/** Names of iSCSI nodes: by date and domain, by EUI-64, by NAA. */
const iscsiNames: readonly (readonly [prefix: string, form: RegExp])[] = [
  ["iqn", /^iqn\.\d{4}-\d{2}\.[A-Za-z0-9.-]+(?::[^,;*&$|\s]+)$/],
  ["eui", /^eui.[A-Za-z0-9]{16}$/],
  ["naa", /^naa.[A-Za-z0-9]{32}$/],
];

function isIscsiName(name: string): boolean {
  return iscsiNames.some(([prefix, form]) => name.startsWith(prefix) && form.test(name));
}

export function validateIscsi(iscsi: Iscsi, at: string, name: string): FieldError[] {
  const { targetPortal = "", iqn = "", secretRef, initiatorName } = iscsi;
  const asksSecret = iscsi.chapAuthDiscovery === true || iscsi.chapAuthSession === true;
  return [
    ...(initiatorName !== undefined && Buffer.byteLength(`${name}:${targetPortal}`) > maxPortalLength
      ? [fieldError.invalid(`${at}.targetportal`, targetPortal, portalTooLong)]
      : []),
    ...(iqn !== "" && !isIscsiName(iqn) ? [fieldError.invalid(`${at}.iqn`, iqn, badIscsiName)] : []),
    ...(asksSecret && secretRef === undefined ? [fieldError.required(`${at}.secretRef`)] : []),
    ...(secretRef !== undefined && (secretRef.name ?? "") === "" ? [fieldError.required(`${at}.secretRef.name`)] : []),
    ...(initiatorName !== undefined && !isIscsiName(initiatorName)
      ? [fieldError.invalid(`${at}.initiatorname`, initiatorName, badIscsiName)]
      : []),
  ];
}

/** The same of a pod's own volume, which is told apart a little: by its name, and names of no known kind in other words. */
export function validatePodIscsi(iscsi: Iscsi, at: string, name: string): FieldError[] {
  const { targetPortal = "", iqn = "", initiatorName, secretRef: _any, ...rest } = iscsi;
  const asksSecret = rest.chapAuthDiscovery === true || rest.chapAuthSession === true;
  const named = (value: string, place: string): FieldError[] => {
    if (isIscsiName(value)) return [];
    const isKnown = iscsiNames.some(([prefix]) => value.startsWith(prefix));
    return [
      fieldError.invalid(place, value, isKnown ? badIscsiName : `${badIscsiName} starting with iqn, eui, or naa`),
    ];
  };
  return [
    ...(iqn === "" ? [] : named(iqn, `${at}.iqn`)),
    ...(asksSecret && iscsi.secretRef === undefined ? [fieldError.required(`${at}.secretRef`)] : []),
    ...(initiatorName === undefined ? [] : named(initiatorName, `${at}.initiatorname`)),
    ...(initiatorName !== undefined && Buffer.byteLength(`${name}:${targetPortal}`) > maxPortalLength
      ? [fieldError.invalid(`${at.slice(0, -".iscsi".length)}.name`, name, portalTooLong)]
      : []),
  ];
}

export function validateFibreChannel({ targetWWNs = [], wwids = [], lun }: FibreChannel, at: string): FieldError[] {
  const either = "must specify either targetWWNs or wwids, but not both";
  const errors: FieldError[] = [];
  if (targetWWNs.length === 0 && wwids.length === 0) errors.push(fieldError.required(`${at}.targetWWNs`, either));
  if (targetWWNs.length > 0 && wwids.length > 0) {
    const both = "targetWWNs and wwids can not be specified simultaneously";
    errors.push(fieldError.invalid(`${at}.targetWWNs`, targetWWNs, both));
  }
  if (targetWWNs.length > 0 && lun === undefined) {
    errors.push(fieldError.required(`${at}.lun`, "lun is required if targetWWNs is specified"));
  }
  if (targetWWNs.length > 0 && lun !== undefined && (lun < 0 || lun > 255)) {
    errors.push(fieldError.invalid(`${at}.lun`, lun, "must be between 0 and 255, inclusive"));
  }
  return errors;
}

/** Options under the product's own domains are its own. */
export function validateOptions(options: Readonly<Record<string, string>>, at: string, naming: Naming): FieldError[] {
  const reserved = [...new Set([naming.key("").slice(0, -1), naming.group("").slice(1)])];
  return Object.keys(options).flatMap((key) => {
    const domain = `.${(key.includes("/") ? key.slice(0, key.indexOf("/")) : key).toLowerCase()}`;
    return reserved.some((suffix) => domain.endsWith(`.${suffix}`))
      ? [fieldError.invalid(`${at}[${key}]`, key, `${reserved.join(" and ")} namespaces are reserved`)]
      : [];
  });
}

/** A reference that must have both names, of whatever form. */
function validateNamed(secret: SecretRef | undefined, at: string): FieldError[] {
  if (secret === undefined) return [];
  return (["name", "namespace"] as const)
    .filter((part) => (secret[part] ?? "") === "")
    .map((part) => fieldError.required(`${at}.${part}`));
}

// The secret for staging on a node has no rules in the reference.
const checkedSecrets = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef",
] as const;

function validateCsi(csi: Csi, at: string): FieldError[] {
  return [
    ...validateDriverName(csi.driver ?? "", `${at}.driver`),
    ...checkedSecrets.flatMap((field) => {
      const secret = csi[field];
      if (secret === undefined) return [];
      const { name = "", namespace = "" } = secret;
      return [
        ...validateNamed(secret, `${at}.${field}`),
        ...(name === "" ? [] : invalidFor(`${at}.${field}.name`, name, dnsSubdomain(name))),
        ...(namespace === "" ? [] : invalidFor(`${at}.${field}.namespace`, namespace, dnsLabel(namespace))),
      ];
    }),
  ];
}

const registryRule = "must be a host:port pair or multiple pairs separated by commas";

export function validateQuobyte({ registry = "", tenant = "" }: Quobyte, at: string) {
  if (registry === "") return [fieldError.required(`${at}.registry`, registryRule)];
  if (tenant.length >= 65) {
    return [fieldError.required(`${at}.tenant`, "must be a UUID and may not exceed a length of 64 characters")];
  }
  return registry
    .split(",")
    .filter((pair) => !/^(\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/.test(pair))
    .map(() => fieldError.invalid(`${at}.registry`, registry, registryRule));
}

const managedDisk = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const blobDisk = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

export function validateAzureDisk({ diskURI = "", kind }: AzureDisk, at: string): FieldError[] {
  const isManaged = kind === "Managed";
  return diskURI.startsWith(isManaged ? "/subscriptions/" : "https://")
    ? []
    : [fieldError.notSupported(`${at}.diskURI`, diskURI, [isManaged ? managedDisk : blobDisk])];
}
