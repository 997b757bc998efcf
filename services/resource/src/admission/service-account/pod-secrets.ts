import type { Container } from "@orch/api/kinds/core/pod/types.js";
import { valueAt } from "@orch/api/object.js";
import type { AccountedPodSpec, ServiceAccount } from "./service-account-types.js";

/** Where volumes name a secret, besides the sources of projected ones. */
const volumePaths = [
  "azureFile.secretName",
  "cephfs.secretRef.name",
  "cinder.secretRef.name",
  "flexVolume.secretRef.name",
  "rbd.secretRef.name",
  "secret.secretName",
  "scaleIO.secretRef.name",
  "iscsi.secretRef.name",
  "storageos.secretRef.name",
  "csi.nodePublishSecretRef.name",
] as const;

/** Whether a pod has anything of any secret. */
export function usesSecrets(spec: AccountedPodSpec): boolean {
  const { containers = [], initContainers = [], ephemeralContainers = [], volumes = [] } = spec;
  const inContainers = [...containers, ...initContainers, ...ephemeralContainers].flatMap(secretsOf);
  const inVolumes = volumes.flatMap((volume) => [
    ...volumePaths.map((path) => valueAt(volume, path)),
    ...(volume.projected?.sources ?? []).map((source) => source.secret?.name),
  ]);
  const names = [
    ...(spec.imagePullSecrets ?? []).map(({ name }) => name),
    ...inContainers.map(({ secret }) => secret),
    ...inVolumes,
  ];
  return names.some((name) => name !== undefined && name !== "");
}

interface SecretUse {
  /** `env NAME`, or `envFrom`, as problems have it. */
  readonly by: string;
  readonly secret: string | undefined;
}

function secretsOf({ env = [], envFrom = [] }: Container): readonly SecretUse[] {
  const single = env.flatMap(({ name = "", valueFrom }): readonly SecretUse[] =>
    valueFrom?.secretKeyRef === undefined ? [] : [{ by: `envVar ${name}`, secret: valueFrom.secretKeyRef.name }],
  );
  const whole = envFrom.flatMap(({ secretRef }): readonly SecretUse[] =>
    secretRef === undefined ? [] : [{ by: "envFrom", secret: secretRef.name }],
  );
  return [...single, ...whole];
}

/**
 * The first secret that a pod uses and its account does not list; undefined where there is none. `ephemeral`: only
 * what containers for debugging use.
 */
export function secretProblem(
  spec: AccountedPodSpec,
  account: ServiceAccount,
  parts: "created" | "ephemeral",
): string | undefined {
  const mountable = namesOf(account.secrets);
  const why = `is not allowed because service account ${account.metadata.name} does not reference that`;
  const inContainers = (what: string, containers: readonly Container[] = []): string[] =>
    containers.flatMap((container) =>
      secretsOf(container)
        .filter(({ secret = "" }) => !mountable.has(secret))
        .map(
          ({ by, secret = "" }) =>
            `${what} ${container.name} with ${by} referencing secret.secretName="${secret}" ${why} secret`,
        ),
    );
  if (parts === "ephemeral") return inContainers("ephemeral container", spec.ephemeralContainers)[0];
  const inVolumes = (spec.volumes ?? []).flatMap((volume) => {
    const name = valueAt(volume, "secret.secretName");
    return typeof name !== "string" || mountable.has(name)
      ? []
      : [`volume with secret.secretName="${name}" ${why} secret`];
  });
  const pullable = namesOf(account.imagePullSecrets);
  const pulls = (spec.imagePullSecrets ?? []).flatMap(({ name = "" }, i) =>
    pullable.has(name) ? [] : [`imagePullSecrets[${i}].name="${name}" ${why} imagePullSecret`],
  );
  return [
    ...inVolumes,
    ...inContainers("init container", spec.initContainers),
    ...inContainers("container", spec.containers),
    ...pulls,
  ][0];
}

function namesOf(references: ServiceAccount["secrets"] = []): ReadonlySet<string> {
  return new Set(references.map(({ name = "" }) => name));
}
