import { readAdmissionControl } from "@orch/access/admission-control.js";
import { historyPolicy } from "@orch/access/object-history.js";
import { type Features, type FieldGate, fieldGates } from "@orch/api/features.js";
import type { Parsed } from "@orch/auth/parsed.js";
import type { HistoryPolicy } from "@orch/history/rules.js";
import type { Naming } from "@orch/naming/naming.js";
import type { FeatureGates } from "@orch/runtime/flags/feature-gates.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";
import { type AdmissionSettings, type admissionFlags, admissionSettings } from "./admission/flags.js";
import { allocationConfig } from "./allocation/flags.js";
import type { AllocationConfig } from "./allocation/service-allocation.js";
import type { resourceFlags } from "./flags.js";
import { tokenSettings } from "./token-flags.js";
import type { TokenSettings } from "./token-request.js";

/** What the flags and gates say. */
export interface ResourceSettings {
  readonly eventTtlMs: number;
  /** CBOR is read and written (gate CBORServingAndStorage). */
  readonly cbor: boolean;
  /** What services are given. */
  readonly allocation: AllocationConfig;
  /** Tokens of service accounts; undefined where nobody signs any. */
  readonly tokens: TokenSettings | undefined;
  readonly admission: AdmissionSettings;
  /** Whose past is kept; nobody's where undefined. */
  readonly history: HistoryPolicy | undefined;
  /** Mutating policies are asked (gate MutatingAdmissionPolicy). */
  readonly mutatingPolicies: boolean;
  /** There is a controller of StorageVersionMigrations (gate StorageVersionMigrator). */
  readonly migratesStorage: boolean;
  /** Features whose fields are kept. */
  readonly features: Features;
  /** The scheduler gives claims their devices (gate DynamicResourceAllocation). */
  readonly claimsDevices: boolean;
  /** Volumes have classes of attributes (gate VolumeAttributesClass). */
  readonly hasVolumeAttributes: boolean;
  /** Servers say in which versions they store (gates StorageVersionAPI and APIServerIdentity). */
  readonly tracksVersions: boolean;
  /** A Redis that services share; "" where there is none. */
  readonly redis: string;
}

export interface SettingsDeps {
  readonly gates: FeatureGates;
  readonly naming: Naming;
  /** Gives a file's text. */
  readonly read: (path: string) => string;
}

/** The authorization flags are read by libs/access. `read` gives a file's text. */
export function resourceSettings(
  values: Omit<FlagValues<typeof resourceFlags>, "advertise-address">,
  { gates, naming, read }: SettingsDeps,
): Parsed<ResourceSettings> {
  const tokens = tokenSettings(values, read);
  const admission = admissionOf(values, naming, read);
  const history = historyPolicy(values, { naming, read });
  if (!tokens.ok || !admission.ok || !history.ok) {
    return { ok: false, problems: [tokens, admission, history].flatMap((part) => (part.ok ? [] : part.problems)) };
  }
  return {
    ok: true,
    value: {
      eventTtlMs: values["event-ttl"],
      cbor: gates.enabled("CBORServingAndStorage"),
      allocation: {
        ...allocationConfig(values),
        rangesAreObjects: gates.enabled("MultiCIDRServiceAllocator"),
      },
      tokens: tokens.value,
      admission: admission.value,
      history: history.value,
      mutatingPolicies: gates.enabled("MutatingAdmissionPolicy"),
      migratesStorage: gates.enabled("StorageVersionMigrator"),
      features: featuresOf(gates),
      claimsDevices: gates.enabled("DynamicResourceAllocation"),
      hasVolumeAttributes: gates.enabled("VolumeAttributesClass"),
      tracksVersions: gates.enabled("StorageVersionAPI") && gates.enabled("APIServerIdentity"),
      redis: values.redis,
    },
  };
}

/** Each gate is named, so that what tells the acting ones finds it. */
function featuresOf(gates: FeatureGates): Features {
  const on: Readonly<Record<FieldGate, boolean>> = {
    ClusterTrustBundleProjection: gates.enabled("ClusterTrustBundleProjection"),
    CrossNamespaceVolumeDataSource: gates.enabled("CrossNamespaceVolumeDataSource"),
    DynamicResourceAllocation: gates.enabled("DynamicResourceAllocation"),
    ImageVolume: gates.enabled("ImageVolume"),
    InPlacePodVerticalScaling: gates.enabled("InPlacePodVerticalScaling"),
    PodLevelResources: gates.enabled("PodLevelResources"),
    ProcMountType: gates.enabled("ProcMountType"),
    ResourceHealthStatus: gates.enabled("ResourceHealthStatus"),
    SELinuxChangePolicy: gates.enabled("SELinuxChangePolicy"),
    SupplementalGroupsPolicy: gates.enabled("SupplementalGroupsPolicy"),
    UserNamespacesSupport: gates.enabled("UserNamespacesSupport"),
    VolumeAttributesClass: gates.enabled("VolumeAttributesClass"),
  };
  return new Set(fieldGates.filter((gate) => on[gate]));
}

function admissionOf(
  values: FlagValues<typeof admissionFlags>,
  naming: Naming,
  read: (path: string) => string,
): Parsed<AdmissionSettings> {
  const path = values["admission-control-config-file"];
  if (path === "") return admissionSettings(values);
  const parts = readAdmissionControl(path, { naming, read });
  return parts.ok ? admissionSettings(values, { naming, parts: parts.value }) : parts;
}
