/** One control loop of the process. */
export interface Controller {
  /** Works until the signal aborts; settles when nothing of it runs any more. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

export const controllerNames = [
  "garbage-collector-controller",
  "namespace-controller",
  "serviceaccount-controller",
  "clusterrole-aggregation-controller",
  "serviceaccount-token-controller",
  "root-ca-certificate-publisher-controller",
  "certificatesigningrequest-approving-controller",
  "certificatesigningrequest-signing-controller",
  "certificatesigningrequest-cleaner-controller",
  "flowschema-status-controller",
  "persistentvolumeclaim-protection-controller",
  "persistentvolume-protection-controller",
  "customresourcedefinition-finalizing-controller",
] as const;
export type ControllerName = (typeof controllerNames)[number];

/** The service account of each, where each has one of its own; undefined for one that never has (`--use-service-account-credentials`). */
export const accountNames: Readonly<Record<ControllerName, string | undefined>> = {
  "garbage-collector-controller": "generic-garbage-collector",
  "namespace-controller": "namespace-controller",
  "serviceaccount-controller": "service-account-controller",
  "clusterrole-aggregation-controller": "clusterrole-aggregation-controller",
  // Who makes the tokens of accounts cannot wait for one of its own: it acts as the process does.
  "serviceaccount-token-controller": undefined,
  "root-ca-certificate-publisher-controller": "root-ca-cert-publisher",
  "certificatesigningrequest-approving-controller": "certificate-controller",
  "certificatesigningrequest-signing-controller": "certificate-controller",
  "certificatesigningrequest-cleaner-controller": "certificate-controller",
  "flowschema-status-controller": "flowschema-status-controller",
  "persistentvolumeclaim-protection-controller": "pvc-protection-controller",
  "persistentvolume-protection-controller": "pv-protection-controller",
  "customresourcedefinition-finalizing-controller": "customresourcedefinition-finalizing-controller",
};

export type ChosenControllers =
  | { readonly ok: true; readonly names: ReadonlySet<ControllerName> }
  | { readonly ok: false; readonly problem: string };

/**
 * `--controllers`: `*` is all of them, `foo` one, `-foo` all but that one beside a `*`; the first item that names a
 * controller wins. An empty list is none.
 */
export function chooseControllers(items: readonly string[]): ChosenControllers {
  for (const item of items) {
    const name = item.replace(/^-/, "");
    if (item === "*" || controllerNames.some((known) => known === name)) continue;
    const known = controllerNames.join(", ");
    return { ok: false, problem: `--controllers: "${name}" is not in the list of known controllers: ${known}` };
  }
  const others = items.includes("*");
  const isOn = (name: ControllerName): boolean => {
    const item = items.find((i) => i === name || i === `-${name}`);
    return item === undefined ? others : item === name;
  };
  return { ok: true, names: new Set(controllerNames.filter(isOn)) };
}
