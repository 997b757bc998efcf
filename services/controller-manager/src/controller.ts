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
] as const;
export type ControllerName = (typeof controllerNames)[number];

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
