import { printYaml } from "@orch/codec/yaml/yaml.js";

export interface PodText {
  readonly name: string;
  readonly command: readonly string[];
  /** Further fields of its container. */
  readonly container?: object;
  readonly spec?: object;
}

/** A manifest as the tests need it. */
export const podText = ({ name, command, container, spec }: PodText): string =>
  printYaml({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "orch-system", labels: { component: name, tier: "control-plane" } },
    spec: { hostNetwork: true, containers: [{ name, image: "none", command, ...container }], ...spec },
  });
