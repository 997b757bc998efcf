import { addedText, wrongSeccompText } from "./baseline-checks.js";
import {
  type Check,
  type CheckedContainer,
  type CheckedPod,
  containersText,
  namedText,
  plural,
  quoted,
  settersText,
  sortedSet,
  type Violation,
} from "./check.js";

type Rule = (pod: CheckedPod) => Violation | undefined;

/** What a hardened pod does beside keeping to the baseline; in the order of their ids. */
export const restrictedChecks: readonly Check[] = [
  {
    id: "allowPrivilegeEscalation",
    versions: [
      { since: 8, check: escalationViolation },
      { since: 25, check: unlessWindows(escalationViolation) },
    ],
  },
  {
    id: "capabilities_restricted",
    versions: [
      { since: 22, check: capabilitiesViolation, overrides: ["capabilities_baseline"] },
      { since: 25, check: unlessWindows(capabilitiesViolation), overrides: ["capabilities_baseline"] },
    ],
  },
  {
    id: "restrictedVolumes",
    versions: [{ since: 0, check: volumesViolation, overrides: ["hostPathVolumes"] }],
  },
  { id: "runAsNonRoot", versions: [{ since: 0, check: nonRootViolation }] },
  { id: "runAsUser", versions: [{ since: 23, check: rootUserViolation }] },
  {
    id: "seccompProfile_restricted",
    versions: [
      { since: 19, check: seccompViolation, overrides: ["seccompProfile_baseline"] },
      { since: 25, check: unlessWindows(seccompViolation), overrides: ["seccompProfile_baseline"] },
    ],
  },
];

/** What a pod of Windows cannot say is not asked of it. */
function unlessWindows(rule: Rule): Rule {
  return (pod) => (pod.spec.os?.name === "windows" ? undefined : rule(pod));
}

function escalationViolation({ containers }: CheckedPod): Violation | undefined {
  const who = containersText(containers.filter((c) => c.securityContext?.allowPrivilegeEscalation !== false));
  if (who === undefined) return undefined;
  return {
    reason: "allowPrivilegeEscalation != false",
    detail: `${who} must set securityContext.allowPrivilegeEscalation=false`,
  };
}

const bindsPorts: ReadonlySet<string> = new Set(["NET_BIND_SERVICE"]);

function capabilitiesViolation({ containers }: CheckedPod): Violation | undefined {
  const keeping = containersText(containers.filter(({ securityContext }) => !dropsAll(securityContext)));
  const details = [
    keeping === undefined ? undefined : `${keeping} must set securityContext.capabilities.drop=["ALL"]`,
    addedText(containers, bindsPorts),
  ].filter((detail) => detail !== undefined);
  return details.length === 0 ? undefined : { reason: "unrestricted capabilities", detail: details.join("; ") };
}

function dropsAll(context: CheckedContainer["securityContext"]): boolean {
  return context?.capabilities?.drop?.includes("ALL") === true;
}

const allowedVolumes = [
  ...["configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"],
] as const;
/** What else a volume may be; anything newer is told as unknown. */
const otherVolumes = [
  ...["hostPath", "gcePersistentDisk", "awsElasticBlockStore", "gitRepo", "nfs", "iscsi", "glusterfs", "rbd"],
  ...["flexVolume", "cinder", "cephfs", "flocker", "fc", "azureFile", "vsphereVolume", "quobyte", "azureDisk"],
  ...["portworxVolume", "scaleIO", "storageos"],
] as const;

function volumesViolation({ spec }: CheckedPod): Violation | undefined {
  const wrong = (spec.volumes ?? []).filter((volume) => !allowedVolumes.some((type) => type in volume));
  const who = namedText("volume", wrong);
  if (who === undefined) return undefined;
  const types = sortedSet(wrong.map((volume) => otherVolumes.find((type) => type in volume) ?? "unknown"));
  const verb = wrong.length === 1 ? "uses" : "use";
  return {
    reason: "restricted volume types",
    detail: `${who} ${verb} ${plural("restricted volume type", types.length)} ${quoted(types)}`,
  };
}

function nonRootViolation(pod: CheckedPod): Violation | undefined {
  const reason = "runAsNonRoot != true";
  const who = settersText(pod, ({ runAsNonRoot }) => runAsNonRoot === false);
  if (who !== undefined) return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` };
  if (pod.spec.securityContext?.runAsNonRoot === true) return undefined;
  const silent = containersText(pod.containers.filter((c) => c.securityContext?.runAsNonRoot === undefined));
  if (silent === undefined) return undefined;
  return { reason, detail: `pod or ${silent} must set securityContext.runAsNonRoot=true` };
}

function rootUserViolation(pod: CheckedPod): Violation | undefined {
  const who = settersText(pod, ({ runAsUser }) => runAsUser === 0);
  return who === undefined ? undefined : { reason: "runAsUser=0", detail: `${who} must not set runAsUser=0` };
}

function seccompViolation(pod: CheckedPod): Violation | undefined {
  const reason = "seccompProfile";
  const wrong = wrongSeccompText(pod);
  if (wrong !== undefined) return { reason, detail: wrong };
  if (pod.spec.securityContext?.seccompProfile !== undefined) return undefined;
  const silent = containersText(pod.containers.filter((c) => c.securityContext?.seccompProfile === undefined));
  if (silent === undefined) return undefined;
  const types = '"RuntimeDefault" or "Localhost"';
  return { reason, detail: `pod or ${silent} must set securityContext.seccompProfile.type to ${types}` };
}
