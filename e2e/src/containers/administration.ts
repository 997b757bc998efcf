import { readClientConfig } from "@orch/client/config.js";
import type { Client } from "@orch/client/http/http.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Target } from "../harness/target.js";
import { until } from "../harness/until.js";

/** A dozen containers start beside each other and beside other tests, each with its own node. */
export const startPatienceMs = 240_000;

/** A cluster of containers that answers. */
export interface Reached {
  readonly name: string;
  readonly naming: Naming;
  /** Of its gateways, or of what stands before them. */
  readonly urls: readonly string[];
  /** Path of the administrator's client configuration file. */
  readonly clientConfig: string;
  readonly client: Client;
  log(): string;
}

/**
 * A target for the suite, once controllers work. Its administrator is a service account: there is no file of tokens.
 */
export async function administered({ name, naming, urls, clientConfig, client, log }: Reached): Promise<Target> {
  const accounts = { group: "", version: "v1", resource: "serviceaccounts", namespace: "default" };
  // Pods are taken in a namespace that a controller has given its account.
  const made = () => client.get(accounts, "default").catch(() => undefined);
  await until("a controller makes accounts", made, startPatienceMs).catch((error: unknown) => {
    throw new Error(`${error}\n${log()}`);
  });
  await client.create(accounts, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "suite" } });
  const group = naming.group("rbac.authorization");
  const bindings = { group, version: "v1", resource: "clusterrolebindings" };
  await client.create(bindings, {
    apiVersion: `${group}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: "suite" },
    roleRef: { apiGroup: group, kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", name: "suite", namespace: "default" }],
  });
  const { body } = await client.raw({
    method: "POST",
    path: "/api/v1/namespaces/default/serviceaccounts/suite/token",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ spec: {} }),
  });
  const issued: { readonly status: { readonly token: string } } = JSON.parse(body.toString("utf8"));
  const { ca = "", certificate = "", key = "" } = await readClientConfig(clientConfig);
  const nowhere = { ca: "", caKey: "", servingCertificate: "", servingKey: "", adminCertificate: "", adminKey: "" };
  const noAgent = { agentClientCertificate: "", agentClientKey: "" };
  return {
    name,
    naming,
    urls,
    pki: {
      ca,
      serving: { certificate: "", key: "" },
      admin: { certificate, key },
      adminToken: issued.status.token,
      serviceAccountKey: "",
      paths: { ...nowhere, ...noAgent, serviceAccountKey: "", tokens: "" },
    },
    strangerToken: "",
    clientConfig,
    log,
    forget: () => Promise.reject(new Error("this store forgets by itself alone")),
    stop: () => Promise.resolve(),
  };
}

/** Whether the API says that it is ready. */
export const isReady = (client: Client): Promise<true | undefined> =>
  client.raw({ method: "GET", path: "/readyz" }).then(
    () => true,
    () => undefined,
  );

/** Once more where it fails, after the cause is told: packages come from elsewhere, ports may be taken meanwhile. */
export async function twice<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    process.stderr.write(`\n*** tried once more, because ${error}\n`);
    return attempt();
  }
}
