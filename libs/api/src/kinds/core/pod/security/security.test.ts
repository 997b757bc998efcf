import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../../../catalog.js";
import { expectErrors, type Wanted } from "../../../../testing/error-rows.js";
import { createKindKit, type Tree } from "../../../../testing/kind-kit.js";

const { createErrors } = createKindKit(loadCatalog(createNaming("kubernetes")));
const c = { name: "c", image: "nginx:1" };
const id = "must be between 0 and 2147483647, inclusive";
const pod = "spec.securityContext";
const own = "spec.containers[0].securityContext";

type Row = readonly [what: string, context: Tree, wanted: readonly Wanted[], spec?: Tree];

const pods: readonly Row[] = [
  [
    "all of it",
    {
      runAsUser: 0,
      runAsGroup: 1,
      fsGroup: 2,
      supplementalGroups: [3],
      supplementalGroupsPolicy: "Strict",
      fsGroupChangePolicy: "OnRootMismatch",
      sysctls: [{ name: "net/ipv4/tcp_syncookies", value: "1" }],
      seccompProfile: { type: "Localhost", localhostProfile: "a/b" },
      appArmorProfile: { type: "RuntimeDefault" },
      seLinuxChangePolicy: "Recursive",
    },
    [],
  ],
  [
    "users below nobody",
    { runAsUser: -1, runAsGroup: -1, fsGroup: -1, supplementalGroups: [1, -1] },
    [
      `${pod}.fsGroup: Invalid value: -1: ${id}`,
      `${pod}.runAsUser: Invalid value: -1: ${id}`,
      `${pod}.runAsGroup: Invalid value: -1: ${id}`,
      `${pod}.supplementalGroups[1]: Invalid value: -1: ${id}`,
    ],
  ],
  [
    "unknown policies",
    { supplementalGroupsPolicy: "X", fsGroupChangePolicy: "Y", seLinuxChangePolicy: "Z" },
    [
      `${pod}.fsGroupChangePolicy: Unsupported value: "Y": supported values: "Always", "OnRootMismatch"`,
      `${pod}.supplementalGroupsPolicy: Unsupported value: "X": supported values: "Merge", "Strict"`,
      `${pod}.seLinuxChangePolicy: Unsupported value: "Z": supported values: "MountOption", "Recursive"`,
    ],
  ],
  [
    "bad settings",
    {
      sysctls: [
        { name: "", value: "" },
        { name: "A.b", value: "" },
        { name: "a.b", value: "" },
        { name: "a.b", value: "" },
      ],
    },
    [
      `${pod}.sysctls[0].name: Required value`,
      'spec.securityContext.sysctls[1].name: Invalid value: "A.b": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
      `${pod}.sysctls[3].name: Duplicate value: "a.b"`,
    ],
  ],
  [
    "settings of its host's network",
    {
      sysctls: [
        { name: "net.core.somaxconn", value: "1" },
        { name: "net/core/somaxconn", value: "1" },
      ],
    },
    [
      `${pod}.sysctls[0].name: Invalid value: "net.core.somaxconn": may not be specified when 'hostNetwork' is true`,
      `${pod}.sysctls[1].name: Invalid value: "net/core/somaxconn": may not be specified when 'hostNetwork' is true`,
    ],
    { hostNetwork: true },
  ],
  [
    "settings of its host's processes",
    {
      sysctls: [
        { name: "kernel.shm_rmid_forced", value: "1" },
        { name: "kernel.sem", value: "1" },
        { name: "net.core.somaxconn", value: "1" },
      ],
    },
    [
      `${pod}.sysctls[0].name: Invalid value: "kernel.shm_rmid_forced": may not be specified when 'hostIPC' is true`,
      `${pod}.sysctls[1].name: Invalid value: "kernel.sem": may not be specified when 'hostIPC' is true`,
    ],
    { hostIPC: true },
  ],
  [
    "processes shared with containers and host",
    {},
    [`${pod}.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled`],
    { hostPID: true, shareProcessNamespace: true },
  ],
  [
    "profiles without types",
    { seccompProfile: { type: "" }, appArmorProfile: { type: "" } },
    [
      `${pod}.seccompProfile.type: Required value: type is required when seccompProfile is set`,
      `${pod}.appArmorProfile.type: Required value: type is required when appArmorProfile is set`,
    ],
  ],
  [
    "profiles of unknown types",
    { seccompProfile: { type: "X" }, appArmorProfile: { type: "X" } },
    [
      `${pod}.seccompProfile.type: Unsupported value: "X": supported values: "Localhost", "RuntimeDefault", "Unconfined"`,
      /seccompProfile.localhostProfile|appArmorProfile.type: Unsupported value/,
    ],
  ],
  [
    "profiles of its host without names",
    { seccompProfile: { type: "Localhost" }, appArmorProfile: { type: "Localhost" } },
    [
      `${pod}.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost`,
      `${pod}.appArmorProfile.localhostProfile: Required value: must be set when AppArmor type is Localhost`,
    ],
  ],
  [
    "profiles of its host above, and padded",
    {
      seccompProfile: { type: "Localhost", localhostProfile: "../a" },
      appArmorProfile: { type: "Localhost", localhostProfile: " a" },
    },
    [
      `${pod}.seccompProfile.localhostProfile: Invalid value: "../a": must not contain '..'`,
      `${pod}.appArmorProfile.localhostProfile: Invalid value: " a": must not be padded with whitespace`,
    ],
  ],
  [
    "profiles that need no name",
    {
      seccompProfile: { type: "Unconfined", localhostProfile: "a" },
      appArmorProfile: { type: "Unconfined", localhostProfile: "a" },
    },
    [
      /seccompProfile.localhostProfile: Invalid value: .*: can only be set when seccomp type is Localhost$/,
      `${pod}.appArmorProfile.localhostProfile: Invalid value: "a": can only be set when AppArmor type is Localhost`,
    ],
  ],
  [
    "a long profile",
    { appArmorProfile: { type: "Localhost", localhostProfile: "a".repeat(4096) } },
    [`${pod}.appArmorProfile.localhostProfile: Too long: may not be more than 4095 bytes`],
  ],
  [
    "Windows in a linux pod",
    { windowsOptions: {} },
    [`${pod}.windowsOptions: Forbidden: windows options cannot be set for a linux pod`],
    { os: { name: "linux" } },
  ],
  [
    "an unknown system",
    {},
    ['spec.os: Unsupported value: "plan9": supported values: "linux", "windows"'],
    { os: { name: "plan9" } },
  ],
  ["a system of no name", {}, ["spec.os.name: Required value: cannot be empty"], { os: { name: "" } }],
  [
    "what Windows has not",
    { runAsUser: 1, seLinuxOptions: {}, sysctls: [{ name: "a", value: "" }], fsGroup: 1 },
    [
      ...["seLinuxOptions", "fsGroup", "sysctls", "runAsUser"].map(
        (name) => `${pod}.${name}: Forbidden: cannot be set for a windows pod`,
      ),
      "spec.hostPID: Forbidden: cannot be set for a windows pod",
    ],
    { os: { name: "windows" }, hostPID: true },
  ],
  [
    "users of its own on its host's namespaces",
    {},
    ["hostNetwork", "HostPID", "HostIPC"].map(
      (name) => `spec.${name}: Forbidden: when \`pod.Spec.HostUsers\` is false`,
    ),
    { hostUsers: false, hostPID: true, hostIPC: true, hostNetwork: true },
  ],
  [
    "processes of a Windows host that are off its network",
    { windowsOptions: { hostProcess: true } },
    ["spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers"],
  ],
];

for (const [what, securityContext, wanted, spec] of pods) {
  expectErrors(`a pod with ${what}`, wanted, () =>
    createErrors("Pod", { spec: { containers: [c], securityContext, ...spec } }),
  );
}

const windows = `${own}.windowsOptions`;
const user = (runAsUserName: string): Tree => ({ windowsOptions: { runAsUserName } });
const shown = (name: string, detail: string): string =>
  `${windows}.runAsUserName: Invalid value: ${JSON.stringify(name)}: ${detail}`;

const containers: readonly Row[] = [
  [
    "privilege that cannot grow",
    { privileged: true, allowPrivilegeEscalation: false },
    [
      /^spec.containers\[0\].securityContext: Invalid value: .*: cannot set `allowPrivilegeEscalation` to false and `privileged` to true$/,
    ],
  ],
  [
    "an administrator that cannot grow",
    { capabilities: { add: ["CAP_SYS_ADMIN"] }, allowPrivilegeEscalation: false },
    [/: cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN$/],
  ],
  [
    "processes unmasked to its host",
    { procMount: "Unmasked" },
    [`${own}.procMount: Invalid value: "Unmasked": \`hostUsers\` must be false to use \`Unmasked\``],
  ],
  ["processes unmasked to users of its own", { procMount: "Unmasked" }, [], { hostUsers: false }],
  [
    "an unknown mount of processes",
    { procMount: "X" },
    [`${own}.procMount: Unsupported value: "X": supported values: "Default", "Unmasked"`],
  ],
  [
    "users out of range",
    { runAsUser: 2147483648, runAsGroup: -1 },
    [`${own}.runAsUser: Invalid value: 2147483648: ${id}`, `${own}.runAsGroup: Invalid value: -1: ${id}`],
  ],
  [
    "Windows in a linux pod",
    { windowsOptions: {} },
    [`${windows}: Forbidden: windows options cannot be set for a linux pod`],
    { os: { name: "linux" } },
  ],
  [
    "what Windows has not",
    { capabilities: {}, privileged: false, runAsUser: 1 },
    ["capabilities", "privileged", "runAsUser"].map(
      (name) => `${own}.${name}: Forbidden: cannot be set for a windows pod`,
    ),
    { os: { name: "windows" } },
  ],
  [
    "another will than its pod's",
    { windowsOptions: { hostProcess: false } },
    [
      `${windows}.hostProcess: Invalid value: false: pod hostProcess value must be identical if both are specified, was true`,
    ],
    { securityContext: { windowsOptions: { hostProcess: true } }, hostNetwork: true },
  ],
  [
    "a process of its host, alone among others",
    { windowsOptions: { hostProcess: true } },
    [
      'spec: Invalid value: "": If pod contains any hostProcess containers then all containers must be HostProcess containers',
    ],
    { initContainers: [{ ...c, name: "i" }], hostNetwork: true },
  ],
  [
    "bad credentials",
    { windowsOptions: { gmsaCredentialSpecName: "A_b", gmsaCredentialSpec: "" } },
    [
      /gmsaCredentialSpecName: Invalid value: "A_b": a lowercase RFC 1123 subdomain/,
      `${windows}.gmsaCredentialSpec: Invalid value: "": gmsaCredentialSpec cannot be an empty string`,
    ],
  ],
  [
    "large credentials",
    { windowsOptions: { gmsaCredentialSpec: "x".repeat(65537) } },
    [/gmsaCredentialSpec size must be under 64 KiB$/],
  ],
  ["a user of a domain", user("CORP\\ann"), []],
  ["no user", user(""), [shown("", "runAsUserName cannot be an empty string")]],
  [
    "a user that bells",
    user("a\u0007"),
    [/runAsUserName: Invalid value: "a\\a": runAsUserName cannot contain control characters$/],
  ],
  [
    "a user of two domains",
    user("a\\b\\c"),
    [shown("a\\b\\c", "runAsUserName cannot contain more than one backslash")],
  ],
  [
    "a user of a domain of no form",
    user(".a_\\b"),
    [shown(".a_\\b", "runAsUserName's Domain doesn't match the NetBios nor the DNS format")],
  ],
  ["a domain without a user", user("a\\"), [shown("a\\", "runAsUserName's User cannot be empty")]],
  ["a user of dots", user("..."), [shown("...", "runAsUserName's User cannot contain only periods or spaces")]],
  ["a user with a question", user("a?"), [/runAsUserName's User cannot contain the following characters/]],
  [
    "a user of a long name",
    user("a".repeat(105)),
    [/runAsUserName's User length must not be longer than 104 characters$/],
  ],
  [
    "a user of a long domain",
    user(`${"a".repeat(256)}\\b`),
    [/runAsUserName's Domain length must be under 256 characters$/],
  ],
];

for (const [what, securityContext, wanted, spec] of containers) {
  expectErrors(`a container with ${what}`, wanted, () =>
    createErrors("Pod", { spec: { containers: [{ ...c, securityContext }], ...spec } }),
  );
}
