import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { freePorts } from "@orch/store/testing/etcd-server.js";
import { goModuleFolder } from "../clients/go-program.js";
import { execute } from "../clients/program.js";
import { buildSaying, type ForeignProgram, startForeignProgram } from "../harness/foreign-program.js";
import { type Kubectl, kubectlIn, kubectlMissing } from "../harness/kubectl.js";
import { type StandaloneTarget, startStandalone } from "../harness/target.js";
import { until } from "../harness/until.js";

/**
 * Operators that others wrote, on their own definitions: cert-manager's controllers, CA injector and webhook, and kro,
 * which makes definitions of its own while it runs.
 */
const certManager = "github.com/cert-manager/cert-manager";
const kro = "github.com/kro-run/kro";

let folder: string;
let target: StandaloneTarget;
let missing: string | undefined;
const running: ForeignProgram[] = [];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "orch-operators-"));
  missing = (await kubectlMissing()) ?? (await build());
  if (missing !== undefined) return;
  target = await startStandalone({ dialect: "kubernetes", args: ["--controllers=*"] });
});
after(async () => {
  for (const program of running) await program.stop();
  await target?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** One after the other: they are made of the same packages for the most part. */
async function build(): Promise<string | undefined> {
  const module = "operators";
  const first = { module, package: "./certmanager", to: join(folder, "certmanager") };
  const second = { module, package: `${kro}/cmd/controller`, to: join(folder, "kro") };
  const why = (await buildSaying("cert-manager", first)) ?? (await buildSaying("kro", second));
  return why === undefined ? undefined : `SKIPPED: ${why}`;
}

/** undefined, and the test skipped, where there is no Go. */
async function inNamespace(t: TestContext, namespace: string): Promise<Kubectl | undefined> {
  if (missing === undefined) return await kubectlIn({ target, folder, namespace });
  t.skip(missing);
  return undefined;
}

/** The operator's definitions as its chart has them, without the chart's own language. */
async function definitionsOf(module: string, path: string, name: string): Promise<string> {
  const source = join(await goModuleFolder("operators", module), path);
  const to = join(folder, name);
  await mkdir(to);
  for (const file of (await readdir(source)).filter((one) => one.endsWith(".yaml"))) {
    const text = await readFile(join(source, file), "utf8");
    await writeFile(join(to, file), text.replaceAll(/^.*\{\{.*\n/gm, ""));
  }
  return to;
}

/** Runs a command until its output has a text. */
async function soon(kubectl: Kubectl, args: readonly string[], says: RegExp, code = 0): Promise<string> {
  let last = "";
  const log = (): string => running.at(-1)?.log().slice(-3000) ?? "";
  return await until(`kubectl ${args.join(" ")} says ${says}`, async () => {
    last = await kubectl(args, code).catch(String);
    return says.test(last) ? last : undefined;
  }).catch((error: unknown) => assert.fail(`${String(error)}\n${last}\n${log()}`));
}

async function apply(kubectl: Kubectl, name: string, text: string): Promise<string> {
  return await kubectl(["apply", `--filename=${await kubectl.file(name, text)}`]);
}

describe("cert-manager", () => {
  let port: number;
  before(async () => {
    if (missing !== undefined) return;
    const kubectl = await kubectlIn({ target, folder, namespace: "cert-manager" });
    const definitions = await definitionsOf(certManager, "deploy/crds", "cert-manager-definitions");
    const made = await kubectl(["create", `--filename=${definitions}`]);
    assert.equal(made.match(/ created$/gm)?.length, 6, made);
    [port = 0] = await freePorts(1);
    const args = [`-kubeconfig=${target.clientConfig}`, `-webhook-port=${port}`];
    const name = "-webhook-name=cert-manager-webhook.cert-manager.svc";
    running.push(startForeignProgram(join(folder, "certmanager"), [...args, name]));
  });

  test("its definitions are established, explained and shown", async (t) => {
    const kubectl = await inNamespace(t, "defined");
    if (kubectl === undefined) return;
    const established = await kubectl(["wait", "crd", "--all", "--for=condition=Established", "--timeout=60s"]);
    assert.equal(established.match(/condition met$/gm)?.length, 6);
    assert.match(await kubectl(["explain", "certificate.spec.issuerRef"]), /name\t<string> -required-/);
    const issuer = await kubectl(["explain", "clusterissuers", "--recursive"]);
    assert.match(issuer, /^ {12}podTemplate\t<Object>$/m);
    assert.match(await kubectl(["explain", "cert", "--output=plaintext-openapiv2"]), /^FIELDS:$/m);
    assert.match(await kubectl(["api-resources", "--api-group=cert-manager.io"]), /^certificates +cert,certs /m);
  });

  test("an issuer, an authority and what it signs become ready, and their secrets are there", async (t) => {
    const kubectl = await inNamespace(t, "issued");
    if (kubectl === undefined) return;
    await apply(kubectl, "chain.yaml", chain);
    await kubectl([
      "wait",
      "issuer/self",
      "certificate/root",
      "certificate/web",
      "--for=condition=Ready",
      "--timeout=60s",
    ]);
    const secretOf = async (name: string, key: string): Promise<string> => {
      const path = `--output=jsonpath={.data.${key.replace(".", "\\.")}}`;
      return Buffer.from(await kubectl(["get", `secret/${name}`, path]), "base64").toString("utf8");
    };
    const root = new X509Certificate(await secretOf("root-tls", "tls.crt"));
    const web = new X509Certificate(await secretOf("web-tls", "tls.crt"));
    assert.ok(web.checkIssued(root) && web.verify(root.publicKey));
    assert.equal(web.subjectAltName, "DNS:web.example.com");
    assert.match(
      await kubectl(["get", "certificates"]),
      /^NAME +READY +SECRET +AGE\nroot +True +root-tls .*\nweb +True +web-tls /,
    );
    assert.match(
      await kubectl(["get", "certificaterequests", "--output=wide"]),
      /^NAME +APPROVED +DENIED +READY +ISSUER +REQUESTER +STATUS +AGE\n(.*\n)*web-1 +True +True +ca /,
    );
    await soon(
      kubectl,
      ["describe", "certificate", "web"],
      /Normal +Issuing .*The certificate has been successfully issued/,
    );
    // What somebody takes away or changes is put right.
    await kubectl(["delete", "secret/web-tls"]);
    await soon(kubectl, ["get", "certificate/web", "--output=jsonpath={.status.revision}"], /^2$/);
    const wish = '--patch={"spec":{"dnsNames":["web.example.com","www.example.com"]}}';
    await kubectl(["patch", "certificate/web", "--type=merge", wish]);
    await soon(kubectl, ["get", "certificate/web", "--output=jsonpath={.status.revision}"], /^3$/);
    await kubectl(["wait", "certificate/web", "--for=condition=Ready", "--timeout=60s"]);
    assert.match(new X509Certificate(await secretOf("web-tls", "tls.crt")).subjectAltName ?? "", /www\.example\.com/);
    await kubectl(["delete", "namespace", "issued", "--timeout=60s"]);
  });

  test("its webhook refuses in its own words, changes what is written, and asks who may", async (t) => {
    const kubectl = await inNamespace(t, "reviewed");
    if (kubectl === undefined) return;
    await kubectl([
      ...["create", "service", "externalname", "cert-manager-webhook", "--external-name=localhost"],
      "--namespace=cert-manager",
    ]);
    await apply(kubectl, "webhooks.yaml", webhooks(port));
    await apply(kubectl, "self.yaml", issuer("self", "selfSigned: {}"));
    const bad = await kubectl.file("bad.yaml", certificate("bad", "issuerRef: {name: self}"));
    const create = ["create", "--dry-run=server"];
    const denied = 'admission webhook "webhook.cert-manager.io" denied the request: ';
    assert.equal(
      await soon(kubectl, [...create, `--filename=${bad}`], /denied the request/, 1),
      `Error from server (Forbidden): error when creating "${bad}": ${denied}spec: Invalid value: "": at least one of commonName ` +
        "(from the commonName field or from a literalSubject), dnsNames, uriSANs, ipAddresses, emailSANs or otherNames must be set\n",
    );
    const two = await kubectl.file("two.yaml", issuer("two", 'selfSigned: {}, ca: {secretName: ""}'));
    assert.ok(
      (await kubectl([...create, `--filename=${two}`], 1)).endsWith(
        `${denied}[spec.ca.secretName: Required value, spec.selfSigned: Forbidden: may not specify more than one issuer type]\n`,
      ),
    );
    const file = await kubectl.file("request.yaml", await certificateRequest());
    const rules = ["--verb=*", "--resource=certificaterequests.cert-manager.io"];
    await kubectl(["create", "role", "asker", ...rules]);
    await kubectl(["create", "rolebinding", "asker", "--role=asker", "--user=ann"]);
    await soon(kubectl, ["create", `--filename=${file}`, "--as=ann"], /mine created/);
    const ask = ["get", "certificaterequest/mine", "--output=jsonpath={.spec.username} {.spec.groups}"];
    assert.equal(await kubectl(ask), 'ann ["system:authenticated"]', "as its mutating webhook wrote it");
    const patch = (wish: object, ...more: readonly string[]) =>
      kubectl(["patch", "certificaterequest/mine", "--type=merge", `--patch=${JSON.stringify(wish)}`, ...more], 1);
    assert.equal(
      await patch({ spec: { username: "eve" } }),
      `Error from server (Forbidden): ${denied}[spec.username: Forbidden: username identity cannot be changed once set, spec: Forbidden: cannot change spec after creation]\n`,
    );
    await soon(kubectl, ["get", "certificaterequest/mine"], /^mine +True /m);
    await kubectl(["create", "role", "judge", "--verb=*", "--resource=certificaterequests.cert-manager.io/status"]);
    await kubectl(["create", "rolebinding", "judge", "--role=judge", "--user=ann"]);
    const denial = { status: { conditions: [{ type: "Denied", status: "True", reason: "x", message: "y" }] } };
    await until("ann may write the status", async () => {
      const text = await patch(denial, "--subresource=status", "--as=ann");
      return (
        /user "ann" does not have permissions to set approved\/denied conditions for issuer/.test(text) || undefined
      );
    });
  });
});

describe("kro", () => {
  test("makes a definition of a graph, and of its objects what the graph says", async (t) => {
    const kubectl = await inNamespace(t, "graphs");
    if (kubectl === undefined) return;
    await kubectl(["create", `--filename=${await definitionsOf(kro, "helm/crds", "kro-definitions")}`]);
    const [probes = 0] = await freePorts(1);
    const args = ["-metrics-bind-address=0", `-health-probe-bind-address=127.0.0.1:${probes}`, "-allow-crd-deletion"];
    const env = { KUBECONFIG: target.clientConfig };
    running.push(startForeignProgram(join(folder, "kro"), [...args, "-log-level=1"], env));
    await apply(kubectl, "graph.yaml", graph);
    await soon(kubectl, ["get", "rgd"], /^web-app +v1alpha1 +WebApp +Active /m);
    const shop = (replicas: number) => `apiVersion: kro.run/v1alpha1
kind: WebApp
metadata: {name: shop}
spec: {name: shop, replicas: ${replicas}}
`;
    await soon(kubectl, ["explain", "webapp.spec"], /replicas\t<integer>/);
    await apply(kubectl, "shop.yaml", shop(3));
    await soon(kubectl, ["get", "webapp"], /^shop +ACTIVE +True /m);
    const address = await kubectl(["get", "service/shop-svc", "--output=jsonpath={.spec.clusterIP}"]);
    const status = "--output=jsonpath={.status.address} {.status.replicas} {.spec.image}";
    assert.equal(await kubectl(["get", "webapp/shop", status]), `${address} 3 nginx`);
    await apply(kubectl, "shop.yaml", shop(5));
    await soon(kubectl, ["get", "deployment/shop", "--output=jsonpath={.spec.replicas}"], /^5$/);
    await kubectl(["delete", "webapp/shop", "--timeout=60s"]);
    assert.match(await kubectl(["get", "deployment,service"]), /^No resources found in graphs namespace\.$/m);
    await kubectl(["delete", "rgd/web-app", "--timeout=60s"]);
    await soon(kubectl, ["get", "crd", "webapps.kro.run"], /NotFound/, 1);
  });
});

const issuer = (name: string, spec: string) => `apiVersion: cert-manager.io/v1
kind: Issuer
metadata: {name: ${name}}
spec: {${spec}}
`;

const certificate = (name: string, spec: string) => `apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: ${name}}
spec: {secretName: ${name}-tls, ${spec}}
`;

const chain = [
  issuer("self", "selfSigned: {}"),
  certificate("root", "isCA: true, commonName: root, issuerRef: {name: self}"),
  issuer("ca", "ca: {secretName: root-tls}"),
  certificate("web", "dnsNames: [web.example.com], issuerRef: {name: ca}"),
].join("---\n");

async function certificateRequest(): Promise<string> {
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", join(folder, "mine.key")];
  const { code, output, errors } = await execute(["openssl", "req", "-new", ...key, "-subj", "/CN=mine"]);
  assert.equal(code, 0, errors);
  return `apiVersion: cert-manager.io/v1
kind: CertificateRequest
metadata: {name: mine}
spec: {issuerRef: {name: self}, request: ${Buffer.from(output).toString("base64")}, usages: [client auth]}
`;
}

/** As its chart writes them; its CA injector puts the authority in. */
const webhooks = (port: number) =>
  [
    { kind: "Validating", path: "/validate", verbs: "CREATE, UPDATE", resources: '"*/*"' },
    { kind: "Mutating", path: "/mutate", verbs: "CREATE", resources: "certificaterequests" },
  ]
    .map(
      ({ kind, path, verbs, resources }) => `apiVersion: admissionregistration.k8s.io/v1
kind: ${kind}WebhookConfiguration
metadata:
  name: cert-manager-webhook
  annotations: {cert-manager.io/inject-ca-from-secret: cert-manager/cert-manager-webhook-ca}
webhooks:
- name: webhook.cert-manager.io
  rules: [{apiGroups: [cert-manager.io], apiVersions: [v1], operations: [${verbs}], resources: [${resources}]}]
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: reviewed}}
  admissionReviewVersions: [v1]
  matchPolicy: Equivalent
  failurePolicy: Fail
  sideEffects: None
  clientConfig: {service: {name: cert-manager-webhook, namespace: cert-manager, port: ${port}, path: ${path}}}
`,
    )
    .join("---\n");

const graph = `apiVersion: kro.run/v1alpha1
kind: ResourceGraphDefinition
metadata: {name: web-app}
spec:
  schema:
    apiVersion: v1alpha1
    kind: WebApp
    spec: {name: string, image: 'string | default="nginx"', replicas: 'integer | default=2'}
    status: {address: "\${service.spec.clusterIP}", replicas: "\${deployment.spec.replicas}"}
  resources:
  - id: deployment
    template:
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: "\${schema.spec.name}"}
      spec:
        replicas: "\${schema.spec.replicas}"
        selector: {matchLabels: {app: "\${schema.spec.name}"}}
        template:
          metadata: {labels: {app: "\${schema.spec.name}"}}
          spec: {containers: [{name: web, image: "\${schema.spec.image}"}]}
  - id: service
    template:
      apiVersion: v1
      kind: Service
      metadata: {name: "\${schema.spec.name}-svc"}
      spec: {selector: "\${deployment.spec.selector.matchLabels}", ports: [{port: 80, targetPort: 80}]}
`;
