import type { Naming } from "@orch/naming/naming.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { type Configuration, configuration } from "../configuration.js";
import { valueAt } from "../paths.js";
import { nanoseconds, unless } from "../rules.js";
import { type ControllerManagerConfiguration, controllerManagerShape } from "./controller-manager-shape.js";
import { checkCloudShared, checkGeneric } from "./generic.js";

export function controllerManagerConfiguration(naming: Naming): Configuration<ControllerManagerConfiguration> {
  const spec = {
    kind: "OrchControllerManagerConfiguration",
    group: "orchcontrollermanager.config",
    versions: [{ version: "v1alpha1" }],
    shape: controllerManagerShape(naming),
    check: (value: ControllerManagerConfiguration) => checkControllerManager(value, naming),
  };
  return configuration(spec, naming);
}

function checkControllerManager(config: ControllerManagerConfiguration, naming: Naming): readonly FieldError[] {
  const { AttachDetachController: attach, LegacySATokenCleaner: cleaner, NodeIPAMController: ipam } = config;
  const ranges = [ipam.ServiceCIDR, ipam.SecondaryServiceCIDR].flatMap((text) => text.split(",")).filter(Boolean);
  return [
    ...checkGeneric(config.Generic, "Generic"),
    ...checkCloudShared(config.OrchCloudShared, naming.configurationWord("OrchCloudShared")),
    ...unless(
      attach.DisableAttachDetachReconcilerSync || nanoseconds(attach.ReconcilerSyncLoopPeriod) >= 1_000_000_000n,
      () =>
        fieldError.invalid(
          "AttachDetachController.ReconcilerSyncLoopPeriod",
          attach.ReconcilerSyncLoopPeriod,
          "Duration time must be greater than one second as set via command line option reconcile-sync-loop-period.",
        ),
    ),
    ...checkSigners(config.CSRSigningController, naming),
    ...numbers.flatMap((row) => checkNumber(config, row)),
    ...unless(nanoseconds(cleaner.CleanUpPeriod) >= 0n, () =>
      fieldError.invalid("LegacySATokenCleaner.CleanUpPeriod", cleaner.CleanUpPeriod, "must be non-negative"),
    ),
    ...unless(ranges.length <= 2, () =>
      fieldError.invalid(
        "NodeIPAMController.ServiceCIDR",
        ipam.ServiceCIDR,
        "--service-cluster-ip-range can not contain more than two entries",
      ),
    ),
  ];
}

/** One authority for all signers, or one for each of some. */
function checkSigners(
  signing: ControllerManagerConfiguration["CSRSigningController"],
  naming: Naming,
): readonly FieldError[] {
  const { ClusterSigningCertFile: cert, ClusterSigningKeyFile: key } = signing;
  if (cert === "" && key === "") return [];
  const own = (
    [
      "AgentServingSignerConfiguration",
      "AgentClientSignerConfiguration",
      "APIServerClientSignerConfiguration",
      "LegacyUnknownSignerConfiguration",
    ] as const
  ).filter((name) => signing[name].CertFile !== "" || signing[name].KeyFile !== "");
  const says =
    "cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time";
  return own.map((name) => fieldError.forbidden(`CSRSigningController.${naming.configurationWord(name)}`, says));
}

/** Numbers that are one at least: the flag that sentences name each by, and the most that some may be. Zero means the default. */
const numbers: readonly (readonly [path: string, flag: string, max?: number])[] = [
  ["DaemonSetController.ConcurrentDaemonSetSyncs", "concurrent-daemonset-syncs"],
  ["DeploymentController.ConcurrentDeploymentSyncs", "concurrent-deployment-syncs"],
  ["StatefulSetController.ConcurrentStatefulSetSyncs", "concurrent-statefulset-syncs"],
  ["EndpointController.ConcurrentEndpointSyncs", "concurrent-endpoint-syncs"],
  ["EndpointSliceController.ConcurrentServiceEndpointSyncs", "concurrent-service-endpoint-syncs", 50],
  ["EndpointSliceController.MaxEndpointsPerSlice", "max-endpoints-per-slice", 1000],
  [
    "EndpointSliceMirroringController.MirroringConcurrentServiceEndpointSyncs",
    "mirroring-concurrent-service-endpoint-syncs",
    50,
  ],
  ["EndpointSliceMirroringController.MirroringMaxEndpointsPerSubset", "mirroring-max-endpoints-per-subset", 1000],
  ["EphemeralVolumeController.ConcurrentEphemeralVolumeSyncs", "concurrent-ephemeralvolume-syncs"],
  ["GarbageCollectorController.ConcurrentGCSyncs", "concurrent-gc-syncs"],
  ["HPAController.ConcurrentHorizontalPodAutoscalerSyncs", "concurrent-horizontal-pod-autoscaler-syncs"],
  ["JobController.ConcurrentJobSyncs", "concurrent-job-syncs"],
  ["CronJobController.ConcurrentCronJobSyncs", "concurrent-cron-job-syncs"],
  ["NamespaceController.ConcurrentNamespaceSyncs", "concurrent-namespace-syncs"],
  ["ReplicaSetController.ConcurrentRSSyncs", "concurrent-replicaset-syncs"],
  ["ReplicationController.ConcurrentRCSyncs", "concurrent-rc-syncs"],
  ["ResourceQuotaController.ConcurrentResourceQuotaSyncs", "concurrent-resource-quota-syncs"],
  ["SAController.ConcurrentSATokenSyncs", "concurrent-serviceaccount-token-syncs"],
  ["ServiceController.ConcurrentServiceSyncs", "concurrent-service-syncs"],
  ["TTLAfterFinishedController.ConcurrentTTLSyncs", "concurrent-ttl-after-finished-syncs"],
  [
    "ValidatingAdmissionPolicyStatusController.ConcurrentPolicySyncs",
    "concurrent-validating-admission-policy-status-syncs",
  ],
];

function checkNumber(config: ControllerManagerConfiguration, [path, flag, max]: (typeof numbers)[number]) {
  const value = valueAt(config, path);
  const wrong = (what: string): readonly FieldError[] => [
    fieldError.invalid(path, value, `${flag} must ${what}, but got ${value}`),
  ];
  if (typeof value !== "number") return [];
  if (value < 1) return wrong(max === undefined ? "be greater than 0" : "not be less than 1");
  return max !== undefined && value > max ? wrong(`not be more than ${max}`) : [];
}
