import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { type Answer, connect, type Http } from "./harness/http.js";
import { startDistributed, startStandalone, type Target } from "./harness/target.js";
import { until } from "./harness/until.js";

const configMaps = "/api/v1/namespaces/policed/configmaps";
const tried = { dryRun: "All" };
const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["configmaps"] };
const labelled = { matchLabels: { policed: "yes" } };

function validating(name: string, spec: object): object {
  return { metadata: { name }, spec: { matchConstraints: { resourceRules: [rule] }, ...spec } };
}

function bound(name: string, validationActions: readonly string[], more: object = {}): object {
  const matchResources = { namespaceSelector: labelled };
  return { metadata: { name }, spec: { policyName: name, validationActions, matchResources, ...more } };
}

interface Place {
  readonly name: string;
  readonly skip: string | false;
  readonly start: () => Promise<Target>;
  /** Whether it runs all controllers, and mutating policies. */
  readonly whole: boolean;
}

const flags = ["--controllers=*", "--feature-gates=MutatingAdmissionPolicy=true", "--runtime-config=api/alpha=true"];
const places: readonly Place[] = [
  { name: "standalone", skip: false, start: () => startStandalone({ args: flags }), whole: true },
  { name: "services of their own", skip: etcdMissing() ?? false, start: () => startDistributed(), whole: false },
];

for (const place of places) {
  describe(`admission policies: ${place.name}`, { skip: place.skip }, () => {
    let target: Target;
    let http: Http;
    before(async () => {
      target = await place.start();
      http = connect(target);
      await made("/api/v1/namespaces", { metadata: { name: "policed", labels: { policed: "yes" } } });
      await made("/api/v1/namespaces", { metadata: { name: "free" } });
    });
    after(async () => {
      http.close();
      await target.stop();
    });

    const of = (kind: string, version = "v1"): string =>
      `/apis/${target.naming.group("admissionregistration")}/${version}/${kind}`;

    async function made(path: string, object: object): Promise<void> {
      const answer = await http.post(path, object);
      assert.equal(answer.status, 201, answer.text);
    }

    const trial = (data: object = { a: "12345" }): Promise<Answer> =>
      http.post(configMaps, { metadata: { name: "z" }, data }, tried);

    /** Requests go to every resource service in turn: each has heard of it when so many in a row say so. */
    async function soon(what: string, says: (answer: Answer) => boolean): Promise<Answer> {
      let inRow = 0;
      return until(what, async () => {
        const answer = await trial();
        inRow = says(answer) ? inRow + 1 : 0;
        return inRow >= 8 ? answer : undefined;
      });
    }

    test("a policy with parameters refuses in its own words, where its binding says", async () => {
      await made("/api/v1/namespaces/free/configmaps", { metadata: { name: "limits" }, data: { max: "3" } });
      const expression = "object.data.all(k, object.data[k].size() <= int(params.data['max']))";
      await made(
        of("validatingadmissionpolicies"),
        validating("cm", {
          paramKind: { apiVersion: "v1", kind: "ConfigMap" },
          validations: [{ expression, messageExpression: "'max ' + params.data['max']" }],
        }),
      );
      const paramRef = { name: "limits", namespace: "free", parameterNotFoundAction: "Deny" };
      await made(of("validatingadmissionpolicybindings"), bound("cm", ["Deny"], { paramRef }));
      const denied = await soon("the policy refuses", ({ status }) => status === 422);
      const why = "ValidatingAdmissionPolicy 'cm' with binding 'cm' denied request: max 3";
      assert.equal(denied.at("message"), `configmaps "z" is forbidden: ${why}`);
      assert.equal(denied.at("reason"), "Invalid");
      assert.deepEqual(denied.at("details"), { name: "z", kind: "configmaps", causes: [{ message: why }] });
      assert.equal((await trial({ a: "1" })).status, 201);
      const elsewhere = "/api/v1/namespaces/free/configmaps";
      assert.equal((await http.post(elsewhere, { metadata: { name: "z" }, data: { a: "12345" } }, tried)).status, 201);
      assert.equal((await http.call({ method: "DELETE", path: `${elsewhere}/limits` })).status, 200);
      const missing = await soon("the parameters are gone", ({ text }) => text.includes("no params found"));
      assert.match(
        String(missing.at("message")),
        /failed to configure binding: no params found for policy binding with `Deny` /,
      );
      for (const kind of ["validatingadmissionpolicybindings", "validatingadmissionpolicies"]) {
        assert.equal((await http.call({ method: "DELETE", path: `${of(kind)}/cm` })).status, 200);
      }
      await soon("the policy is gone", ({ status }) => status === 201);
    });

    test("a policy warns, and asks whether the writer may do something else", async () => {
      const expression = "authorizer.group('').resource('configmaps').namespace('other').check('create').allowed()";
      await made(
        of("validatingadmissionpolicies"),
        validating("may", { validations: [{ expression: `!${expression}` }] }),
      );
      await made(of("validatingadmissionpolicybindings"), bound("may", ["Warn"]));
      const warned = await soon("the policy warns", ({ headers }) => headers["warning"] !== undefined);
      assert.equal(warned.status, 201);
      const text = `Validation failed for ValidatingAdmissionPolicy 'may' with binding 'may': failed expression: !${expression}`;
      assert.equal(warned.headers["warning"], `299 - "${text}"`);
      for (const kind of ["validatingadmissionpolicybindings", "validatingadmissionpolicies"]) {
        assert.equal((await http.call({ method: "DELETE", path: `${of(kind)}/may` })).status, 200);
      }
      await soon("the policy is gone", ({ headers }) => headers["warning"] === undefined);
    });

    test("the status says what an expression gets wrong", {
      skip: !place.whole && "no such controller here",
    }, async () => {
      const path = `${of("validatingadmissionpolicies")}/typed`;
      const validations = [{ expression: "object.foo == 1" }];
      await made(of("validatingadmissionpolicies"), validating("typed", { validations }));
      const status = await until("the status is told", async () => (await http.get(path)).at("status.typeChecking"));
      const warning =
        "/v1, Kind=ConfigMap: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n";
      assert.deepEqual(status, { expressionWarnings: [{ fieldRef: "spec.validations[0].expression", warning }] });
      assert.equal((await http.get(path)).at("status.observedGeneration"), 1);
    });

    test("a mutating policy changes what is written", { skip: !place.whole && "behind its gate" }, async () => {
      const expression = 'Object{metadata: Object.metadata{labels: {"made-by": request.userInfo.username}}}';
      const mutations = [{ patchType: "ApplyConfiguration", applyConfiguration: { expression } }];
      const matchConstraints = { resourceRules: [rule] };
      await made(of("mutatingadmissionpolicies", "v1alpha1"), {
        metadata: { name: "label" },
        spec: { matchConstraints, failurePolicy: "Fail", reinvocationPolicy: "Never", mutations },
      });
      const matchResources = { namespaceSelector: labelled };
      await made(of("mutatingadmissionpolicybindings", "v1alpha1"), {
        metadata: { name: "label" },
        spec: { policyName: "label", matchResources },
      });
      const changed = await soon("the policy labels", (answer) => answer.at("metadata.labels") !== undefined);
      assert.equal(typeof changed.at("metadata.labels.made-by"), "string");
    });
  });
}
