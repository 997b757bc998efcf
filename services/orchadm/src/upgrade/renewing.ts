import { renewables } from "../certificates/existing.js";
import { renew } from "../certificates/renew.js";
import type { Component } from "../machine/paths.js";
import type { Site } from "../site.js";

/** Certificates that a component reads, by their names among the renewable ones. */
const certificatesOf: Readonly<Partial<Record<Component, readonly string[]>>> = {
  etcd: ["etcd-server", "etcd-peer", "etcd-healthcheck-client"],
  apiserver: ["apiserver", "apiserver-kubelet-client", "front-proxy-client", "apiserver-etcd-client"],
  "controller-manager": ["controller-manager.conf"],
  scheduler: ["scheduler.conf"],
};
const certificatesOfPeople = ["admin.conf", "super-admin.conf"];

export const renewCertificatesOf = (component: Component, site: Site): Promise<void> =>
  renewNamed(certificatesOf[component] ?? [], site);

export const renewCertificatesOfPeople = (site: Site): Promise<void> => renewNamed(certificatesOfPeople, site);

/** Those that lack, or whose authority is somewhere else, stay as they are. */
async function renewNamed(names: readonly string[], { tools, paths, cluster }: Site): Promise<void> {
  const place = { machine: tools.machine, paths, certificatesDir: cluster.certificatesDir };
  for (const renewable of renewables.filter(({ name }) => names.includes(name))) {
    const done = await renew(renewable, place, { cluster, clock: tools.clock });
    if (done === "renewed") tools.print(`[upgrade/staticpods] Renewing ${renewable.name} certificate\n`);
    else if (done === "external") {
      tools.print(
        `[upgrade/staticpods] ${renewable.name} certificate is not renewed: its authority's key is not here\n`,
      );
    }
  }
}
