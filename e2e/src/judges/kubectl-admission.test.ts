import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Kubectl } from "../harness/kubectl.js";
import { startWebhookServer } from "../harness/servers/webhook-server.js";
import { until } from "../harness/until.js";
import { boat, seaGroup } from "./boats.js";
import { serveBoats } from "./boats-server.js";

/** What people read at a terminal when somebody's policy, webhook or quota has a say in what they do. */
const { inNamespace } = serveBoats({ args: ["--controllers=*"] });

interface Policy {
  /** Its own, its binding's and its namespace's. */
  readonly name: string;
  readonly actions: string;
  /** Further lines of the specification. */
  readonly spec: string;
  readonly paramRef?: string;
}

/** A policy for boats and config maps of the namespace of its name, and its binding. */
const policy = ({ name, actions, spec, paramRef }: Policy) => `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: ${name}}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [${seaGroup}, ""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [boats, configmaps]}
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ${name}}}
  matchConditions: [{name: not-the-root-authority, expression: "object.metadata.name != 'kube-root-ca.crt'"}]
${spec.replaceAll(/^/gm, "  ")}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: ${name}}
spec: {policyName: ${name}, validationActions: [${actions}]${paramRef === undefined ? "" : `, paramRef: ${paramRef}`}}
`;

/** Runs a command until its output has a text: policies take effect within a second. */
async function soon(kubectl: Kubectl, args: readonly string[], { code = 0, says }: { code?: number; says: RegExp }) {
  return await until(`kubectl ${args.join(" ")} says ${says}`, async () => {
    const text = await kubectl(args, code).catch(() => "");
    return says.test(text) ? text : undefined;
  });
}

const createMap = ["create", "configmap", "m", "--from-literal=k=12345", "--dry-run=server"];

describe("kubectl and admission", { concurrency: 2 }, () => {
  test("a policy with a config map for its parameters denies in its own words", async (t) => {
    const kubectl = await inNamespace(t, "limited");
    if (kubectl === undefined) return;
    await kubectl(["create", "configmap", "most", "--from-literal=most=3"]);
    const spec = `paramKind: {apiVersion: v1, kind: ConfigMap}
validations:
- expression: "!has(object.spec) || object.spec.sails <= int(params.data.most)"
  messageExpression: "'at most ' + params.data.most + ' sails'"`;
    const paramRef = "{name: most, namespace: limited, parameterNotFoundAction: Deny}";
    await kubectl([
      "apply",
      `--filename=${await kubectl.file("policy.yaml", policy({ name: "limited", actions: "Deny", spec, paramRef }))}`,
    ]);
    const four = await kubectl.file("four.yaml", boat("ann", { sails: 4 }));
    const apply = ["apply", "--dry-run=server", `--filename=${four}`];
    const denied = "ValidatingAdmissionPolicy 'limited' with binding 'limited' denied request: ";
    const refused = await soon(kubectl, apply, { code: 1, says: /denied request: at most/ });
    assert.equal(refused, `The boats "ann" is invalid: : ${denied}at most 3 sails\n`);
    await kubectl(["patch", "configmap/most", "--type=merge", '--patch={"data":{"most":"4"}}']);
    assert.match(await soon(kubectl, apply, { says: /created/ }), /ann created \(server dry run\)/);
    await kubectl(["delete", "configmap/most"]);
    const unset = "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction";
    const lost = await soon(kubectl, createMap, { code: 1, says: /no params found/ });
    assert.equal(lost, `error: failed to create configmap: configmaps "m" is forbidden: ${denied}${unset}\n`);
    assert.match(
      await kubectl(["get", "validatingadmissionpolicy/limited"]),
      /^NAME +VALIDATIONS +PARAMKIND +AGE\nlimited +1 +v1\/ConfigMap +\d+s$/m,
    );
    assert.match(
      await kubectl(["get", "validatingadmissionpolicybinding/limited"]),
      /^limited +limited +limited\/most /m,
    );
    await kubectl(["delete", "validatingadmissionpolicy,validatingadmissionpolicybinding", "limited"]);
    await soon(kubectl, createMap, { says: /m created/ });
  });

  test("a policy warns, and its status tells what is wrong in its expressions", async (t) => {
    const kubectl = await inNamespace(t, "warned");
    if (kubectl === undefined) return;
    const spec = `validations:
- {expression: "object.metadata.name.startsWith('w')", message: names begin with a w}
- expression: "!has(object.spec) || object.spec.rigg == 'sloop'"
auditAnnotations: [{key: name, valueExpression: "string(object.metadata.name)"}]`;
    const file = await kubectl.file("policy.yaml", policy({ name: "warned", actions: "Warn, Audit", spec }));
    await kubectl(["create", `--filename=${file}`]);
    assert.equal(
      await soon(kubectl, createMap, { says: /^Warning/m }),
      "configmap/m created (server dry run)\n" +
        "Warning: Validation failed for ValidatingAdmissionPolicy 'warned' with binding 'warned': names begin with a w\n",
    );
    const failed = /^Warning: .*: expression '!has\(object\.spec\) .*' resulted in error: no such key: rigg$/m;
    const ann = await kubectl(["create", `--filename=${await kubectl.file("ann.yaml", boat("ann"))}`]);
    assert.match(ann, failed);
    assert.match(ann, /names begin with a w/);
    const warnings = ["get", "validatingadmissionpolicy/warned", "--output=jsonpath={.status.typeChecking}"];
    const told = await soon(kubectl, warnings, { says: /./ });
    assert.match(told, /"fieldRef":"spec\.validations\[1\]\.expression"/);
    assert.match(told, /sea\.example\.com\/v1, Kind=Boat: ERROR: .*:1:\d+: undefined field 'rigg'/);
    const wrong = policy({ name: "wrong", actions: "Deny", spec: 'validations: [{expression: "object.foo ="}]' });
    assert.match(
      await kubectl(["create", `--filename=${await kubectl.file("wrong.yaml", wrong)}`], 1),
      /^The ValidatingAdmissionPolicy "wrong" is invalid: spec\.validations\[0\]\.expression: Invalid value: "object\.foo =": compilation failed: ERROR: <input>:1:12: Syntax error/m,
    );
  });

  test("a webhook denies, warns, changes and fails", async (t) => {
    const kubectl = await inNamespace(t, "reviewed");
    if (kubectl === undefined) return;
    const webhook = await startWebhookServer<AdmissionReview>();
    t.after(() => webhook.close());
    const say = (response: object): void =>
      webhook.react(({ body: { kind, apiVersion, request } }) => ({
        json: { kind, apiVersion, response: { uid: request.uid, ...response } },
      }));
    say({ allowed: false, status: { code: 403, reason: "Forbidden", message: "not on a Sunday" } });
    for (const kind of ["Validating", "Mutating"]) {
      const text = configuration(kind, { url: webhook.url(`/${kind}`), caBundle: webhook.caBundle });
      await kubectl(["apply", `--filename=${await kubectl.file(`${kind}.yaml`, text)}`]);
    }
    const file = await kubectl.file("ann.yaml", boat("ann"));
    const create = ["create", `--filename=${file}`];
    const refused = await soon(kubectl, [...create, "--dry-run=server"], { code: 1, says: /denied/ });
    assert.equal(
      refused,
      `Error from server (Forbidden): error when creating "${file}": admission webhook "m.example.com" denied the request: not on a Sunday\n`,
    );
    const patch = Buffer.from('[{"op":"add","path":"/metadata/labels/reviewed","value":"yes"}]').toString("base64");
    webhook.react(({ body: { kind, apiVersion, request }, path }) => {
      const more = path.startsWith("/Mutating?") ? { patchType: "JSONPatch", patch } : { warnings: ["fog is ahead"] };
      return { json: { kind, apiVersion, response: { uid: request.uid, allowed: true, ...more } } };
    });
    // The other configuration is heard of in a moment of its own.
    await soon(kubectl, [...create, "--dry-run=server"], { says: /^Warning: fog is ahead$/m });
    const made = await kubectl(create);
    assert.match(made, /^Warning: fog is ahead$/m);
    assert.equal(await kubectl(["get", "bt/ann", "--output=jsonpath={.metadata.labels.reviewed}"]), "yes");
    webhook.react(() => ({ code: 500, text: "" }));
    assert.match(
      await kubectl(["annotate", "bt/ann", "a=b"], 1),
      /^Error from server \(InternalError\): Internal error occurred: failed calling webhook "m\.example\.com": failed to call webhook: an error on the server \("unknown"\) has prevented the request from succeeding$/m,
    );
    await kubectl(["delete", "validatingwebhookconfiguration,mutatingwebhookconfiguration", "boats"]);
    await soon(kubectl, ["annotate", "bt/ann", "a=b", "--overwrite"], { says: /annotated/ });
  });

  test("a quota counts what is made, of custom kinds too, and says what is too much", async (t) => {
    const kubectl = await inNamespace(t, "counted");
    if (kubectl === undefined) return;
    await kubectl(["create", "quota", "q", `--hard=count/boats.${seaGroup}=1,secrets=1,pods=1,requests.cpu=1`]);
    const quota = (line: RegExp) => soon(kubectl, ["describe", "quota/q"], { says: line });
    await quota(/^pods +0 +1$/m);
    // Whoever admits hears of it as others do.
    await soon(kubectl, ["run", "p", "--image=x", "--dry-run=server"], { code: 1, says: /failed quota: q/ });
    await kubectl(["create", `--filename=${await kubectl.file("ann.yaml", boat("ann"))}`]);
    const second = await kubectl.file("bea.yaml", boat("bea"));
    const counted = `count/boats.${seaGroup}=1`;
    assert.equal(
      await kubectl(["create", `--filename=${second}`], 1),
      `Error from server (Forbidden): error when creating "${second}": boats.${seaGroup} "bea" is forbidden: ` +
        `exceeded quota: q, requested: ${counted}, used: ${counted}, limited: ${counted}\n`,
    );
    await quota(/^count\/boats\.sea\.example\.com +1 +1$/m);
    assert.match(
      await kubectl(["run", "p", "--image=x"], 1),
      /^Error from server \(Forbidden\): pods "p" is forbidden: failed quota: q: must specify requests\.cpu for: p$/m,
    );
    await kubectl(["delete", "bt/ann"]);
    await soon(kubectl, ["create", `--filename=${second}`], { says: /bea created/ });
  });

  test("pod security tells what a pod would need, as a refusal and as a warning", async (t) => {
    const kubectl = await inNamespace(t, "secured");
    if (kubectl === undefined) return;
    const label = ["label", "--overwrite", "namespace/secured"];
    await kubectl(["run", "before", "--image=x"]);
    const level = "pod-security.kubernetes.io";
    assert.equal(
      await kubectl([...label, `${level}/enforce=restricted`, `${level}/warn=restricted`]),
      "namespace/secured labeled\n" +
        'Warning: existing pods in namespace "secured" violate the new PodSecurity enforce level "restricted:latest"\n' +
        "Warning: before: allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile\n",
    );
    const why = (container: string) =>
      `violate PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "${container}" must set securityContext.allowPrivilegeEscalation=false), ` +
      `unrestricted capabilities (container "${container}" must set securityContext.capabilities.drop=["ALL"]), ` +
      `runAsNonRoot != true (pod or container "${container}" must set securityContext.runAsNonRoot=true), ` +
      `seccompProfile (pod or container "${container}" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")`;
    // Whoever admits hears of the labels as others do.
    await soon(kubectl, ["run", "p", "--image=x", "--dry-run=server"], { code: 1, says: /violates PodSecurity/ });
    assert.equal(
      await kubectl(["run", "p", "--image=x"], 1),
      `Error from server (Forbidden): pods "p" is forbidden: ${why("p").replace("violate ", "violates ")}\n`,
    );
    assert.equal(
      await kubectl(["create", "deployment", "d", "--image=x"]),
      `deployment.apps/d created\nWarning: would ${why("x")}\n`,
    );
    assert.match(
      await kubectl([...label, `${level}/enforce=tight`], 1),
      /^The Namespace "secured" is invalid: metadata\.labels\[pod-security\.kubernetes\.io\/enforce\]: Invalid value: "tight": must be one of privileged, baseline, restricted$/m,
    );
  });
});

interface AdmissionReview {
  readonly kind: string;
  readonly apiVersion: string;
  readonly request: { readonly uid: string };
}

const configuration = (kind: string, clientConfig: object) => `apiVersion: admissionregistration.k8s.io/v1
kind: ${kind}WebhookConfiguration
metadata: {name: boats}
webhooks:
- name: ${kind.slice(0, 1).toLowerCase()}.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: ${JSON.stringify(clientConfig)}
  rules: [{apiGroups: [${seaGroup}], apiVersions: ["*"], operations: [CREATE, UPDATE], resources: [boats]}]
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: reviewed}}
`;
