import { resolve } from "node:path";
import { readClientConfig } from "@orch/client/config.js";
import { createClient } from "@orch/client/http/http.js";
import { inClusterConfig, serviceAccountFolder } from "@orch/client/in-cluster.js";
import { createNaming } from "@orch/naming/naming.js";
import { systemClock } from "@orch/runtime/clock.js";
import { boolFlag, enumFlag, listFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";
import type { World } from "../command.js";
import { print } from "../print.js";
import { runTool } from "../tool.js";
import { planBundles } from "./bundles.js";
import { ensureCertificates } from "./ensure.js";
import { certificateFolder } from "./folder.js";
import type { CertificatePlace } from "./place.js";
import { certificateSecrets, host } from "./secrets.js";

export const certificateFlags = {
  output: stringFlag("", { word: "folder", help: "folder to write to: one for each process, with its files" }),
  secrets: boolFlag(false, { help: "store them as Secrets of the cluster in which this runs instead" }),
  "secrets-namespace": stringFlag("", { help: "namespace of the Secrets; that of the pod where absent" }),
  "secrets-prefix": stringFlag("", { help: "stands before the names of the Secrets" }),
  "secrets-label": listFlag([], { help: "key=value: labels of the Secrets, comma separated" }),
  orchconfig: stringFlag("", {
    word: "file",
    help: "client configuration of the cluster with the Secrets; the pod's service account where absent",
  }),
  "api-dialect": enumFlag(["orch", "kubernetes"], "orch", { help: "names of the users and of configuration files" }),
  server: stringFlag("https://localhost:6443", {
    word: "url",
    help: "where clients reach gateways; the host stands in the serving certificate",
  }),
  "tls-san": listFlag([], { help: "further host names and addresses of the serving certificate" }),
  "rpc-trust-domain": stringFlag("cluster.local", {
    word: "domain",
    help: "trust domain of the services' identities",
  }),
  "etcd-name": listFlag([], {
    help: "host names of etcd's members; nothing is made for etcd without one",
  }),
} as const;

type Values = FlagValues<typeof certificateFlags>;

const description = `Makes the certificates that the services of a cluster need, and makes anew those whose time ends.`;
const name = "orch certificates";

/** `orch certificates`; gives the exit code. */
export function runCertificates(argv: readonly string[], world: World): Promise<number> {
  return runTool({ name, description, flags: certificateFlags }, argv, async (values) => {
    const naming = createNaming(values["api-dialect"]);
    const server = serverOf(values.server);
    const plans = planBundles({
      naming,
      trustDomain: values["rpc-trust-domain"],
      servingNames: [...new Set([server.hostname, "localhost", "127.0.0.1", "::1", ...values["tls-san"]])],
      etcdNames: values["etcd-name"],
    });
    const { place, close } = await placeOf(values, world);
    try {
      let written = 0;
      await ensureCertificates({
        ...{ plans, place, naming, now: world.now(), server: server.origin },
        wrote(bundle) {
          written += 1;
          print(`${bundle}: written\n`);
        },
      });
      print(`${plans.length} bundles, ${written} of them written\n`);
    } finally {
      await close();
    }
    return 0;
  });
}

function serverOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:") throw new Error(`--server: ${text} is no https address`);
  return url;
}

interface OpenPlace {
  readonly place: CertificatePlace;
  close(): Promise<void>;
}

async function placeOf(values: Values, world: World): Promise<OpenPlace> {
  if (!values.secrets) {
    if (values.output === "") throw new Error("--output or --secrets is needed");
    return { place: certificateFolder(resolve(values.output)), close: async () => {} };
  }
  if (values.output !== "") throw new Error("--output and --secrets exclude each other");
  const config = await hostConfig(values.orchconfig, world);
  const client = createClient(config, { userAgent: "orch-certificates" });
  const labels = Object.fromEntries(values["secrets-label"].map(labelOf));
  const namespace = values["secrets-namespace"] || config.namespace;
  const place = certificateSecrets({ client, namespace, prefix: values["secrets-prefix"], labels });
  return { place, close: () => client.close() };
}

function hostConfig(orchconfig: string, { environment }: World) {
  const tools = { clock: systemClock, environment };
  if (orchconfig !== "") return readClientConfig(orchconfig);
  return inClusterConfig({ naming: host, tools, folder: serviceAccountFolder(host) });
}

function labelOf(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  if (at < 1) throw new Error(`--secrets-label: ${JSON.stringify(text)} is not key=value`);
  return [text.slice(0, at), text.slice(at + 1)];
}
