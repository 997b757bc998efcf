import { newKey, requestFor } from "@orch/pki/orders.js";
import { clientConfigSpecs, printClientConfig } from "../client-configs/client-configs.js";
import { type CommandNode, command, group } from "../command-line.js";
import { existingSite } from "../configuration/site.js";
import { newCertificateKey } from "../objects/uploaded-certificates.js";
import type { Site } from "../site.js";
import { algorithmOf } from "./ensure.js";
import { type Place, type Renewable, renewables } from "./existing.js";
import { expirations, printExpirations } from "./expiration.js";
import { certificateFlags, expirationFlags, requestFlags } from "./flags.js";
import { findPair } from "./pairs.js";
import { renew } from "./renew.js";
import { isAuthority, specsOf } from "./specs.js";

const placeOf = ({ tools, paths, cluster }: Site): Place => ({
  machine: tools.machine,
  paths,
  certificatesDir: cluster.certificatesDir,
});

const checkExpiration = command({
  word: "check-expiration",
  description: "Check certificates expiration for a cluster",
  flags: expirationFlags,
  async run({ values }, tools) {
    const site = await existingSite({ config: values.config, certDir: values["cert-dir"] }, tools, "check-expiration");
    const { naming, clock, print } = tools;
    print(printExpirations(expirations(placeOf(site)), values.output, { naming, now: clock.now() }));
    return 0;
  },
});

/** Renews some; gives the exit code. */
const renewing = (word: string, description: string, chosen: readonly Renewable[]): CommandNode =>
  command({
    word,
    description,
    flags: certificateFlags,
    async run({ values }, tools) {
      const site = await existingSite({ config: values.config, certDir: values["cert-dir"] }, tools, "renew");
      let isWhole = true;
      for (const renewable of chosen) {
        const done = await renew(renewable, placeOf(site), { cluster: site.cluster, clock: tools.clock });
        if (done === "renewed") tools.print(`certificate ${renewable.name} renewed\n`);
        else if (done === "missing") tools.print(`MISSING! certificate ${renewable.name}\n`);
        else
          tools.print(
            `certificate ${renewable.name} is not renewed: the key of its authority ${renewable.authority} is not here\n`,
          );
        // Of all of them some may lack: the passed-by RBAC one on machines that joined, etcd's where it is somebody else's.
        isWhole &&= done === "renewed" || chosen.length > 1;
      }
      tools.print(
        "\nDone renewing certificates. You must restart the API server, the controller manager, the scheduler and etcd, so that they can use the new certificates.\n",
      );
      return isWhole ? 0 : 1;
    },
  });

const generateRequests = command({
  word: "generate-csr",
  description: "Generate keys and certificate signing requests",
  flags: requestFlags,
  async run({ values }, tools) {
    const site = await existingSite({ config: values.config, certDir: values["cert-dir"] }, tools, "generate-csr");
    const { machine, naming, print } = tools;
    const algorithm = algorithmOf(site);
    for (const spec of specsOf(site).filter((each) => !isAuthority(each))) {
      const { key } = await newKey(algorithm);
      const base = `${site.cluster.certificatesDir}/${spec.base}`;
      if (machine.exists(`${base}.key`)) throw new Error(`${machine.at(`${base}.key`)} exists already`);
      machine.write(`${base}.key`, key);
      machine.write(`${base}.csr`, await requestFor(key, { subject: spec.subject(site), names: spec.names(site) }), {
        mode: 0o644,
      });
      print(`[generate-csr] Wrote ${machine.at(`${base}.csr`)}\n`);
    }
    const folder = values["kubeconfig-dir"] || site.paths.config;
    for (const spec of clientConfigSpecs.filter(({ name }) => name !== "super-admin")) {
      const { key } = await newKey(algorithm);
      const subject = spec.subject(site);
      const path = `${folder}/${site.paths.clientConfig(spec.name).split("/").at(-1)}`;
      if (machine.exists(path)) throw new Error(`${machine.at(path)} exists already`);
      const { certificate: ca = "" } = findPair(machine, `${site.cluster.certificatesDir}/ca`);
      machine.write(
        path,
        printClientConfig({
          ...{
            apiVersion: naming.clientConfigApiVersion,
            cluster: site.cluster.clusterName,
            server: spec.server(site),
            ca,
          },
          user: subject.commonName,
          credentials: { pair: { certificate: "", key } },
        }),
      );
      machine.write(`${path}.csr`, await requestFor(key, { subject, names: [] }), { mode: 0o644 });
      print(`[generate-csr] Wrote ${machine.at(`${path}.csr`)}\n`);
    }
    return 0;
  },
});

const certificateKey = command({
  word: "certificate-key",
  description: "Generate certificate keys",
  flags: {},
  run: async (_line, { print }) => {
    print(`${newCertificateKey()}\n`);
    return 0;
  },
});

export const certificateCommands: CommandNode = group({
  word: "certs",
  description: "Commands related to handling certificates",
  commands: [
    certificateKey,
    checkExpiration,
    generateRequests,
    group({
      word: "renew",
      description: "Renew certificates for a cluster",
      commands: [
        renewing("all", "Renew all available certificates", renewables),
        ...renewables.map((each) => renewing(each.name, `Renew ${each.description}`, [each])),
      ],
    }),
  ],
});
