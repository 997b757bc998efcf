import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Kubectl } from "../harness/kubectl.js";
import { startWebhookServer } from "../harness/servers/webhook-server.js";
import { until } from "../harness/until.js";
import { boat, plainDefinition, seaGroup } from "./boats.js";
import { serveBoats } from "./boats-server.js";

/** What people do by hand with kinds that somebody defined a moment ago. */
const { inNamespace } = serveBoats({ editor: "sed -i s/sloop/ketch/" });

/** Creates it at the first try: what `kubectl create` says of a definition is true at once. */
async function withAnn(kubectl: Kubectl, text = boat("ann")): Promise<string> {
  const file = await kubectl.file("ann.yaml", text);
  assert.match(
    await kubectl(["create", "--save-config", `--filename=${file}`]),
    /boat\.sea\.example\.com\/ann created/,
  );
  return file;
}

describe("kubectl and custom kinds", { concurrency: 2 }, () => {
  test("get shows the definition's columns, by every name of the kind", async (t) => {
    const kubectl = await inNamespace(t, "shown");
    if (kubectl === undefined) return;
    await withAnn(kubectl);
    const narrow = /^NAME +SAILS +PORT +READY +AGE\nann +2 +Kiel +\d+s\n$/;
    const names = ["boats", "boat", "bt", "fleet", `boats.${seaGroup}`, `boats.v1.${seaGroup}`, "Boat"];
    for (const name of names) assert.match(await kubectl(["get", name]), narrow, name);
    assert.match(
      await kubectl(["get", "bt", "--output=wide"]),
      /^NAME +SAILS +PORT +RIG +READY +AGE\nann +2 +Kiel +sloop/,
    );
    assert.match(await kubectl(["get", "all"]), /^NAME +SAILS.*\nboat\.sea\.example\.com\/ann +2 /m);
    assert.match(await kubectl(["get", "bt", "--show-labels"]), /yard=north$/m);
    assert.match(await kubectl(["get", "bt", "--all-namespaces"]), /^shown +ann +2 +Kiel/m);
    assert.equal(await kubectl(["get", "bt", "--output=name"]), `boat.${seaGroup}/ann\n`);
    const own = "--output=custom-columns=N:.metadata.name,R:.spec.crew[*].rank";
    assert.equal(await kubectl(["get", "bt/ann", own]), "N     R\nann   hand,mate\n", "with its default");
    assert.equal(await kubectl(["get", "bt", "--output=jsonpath={.items[*].kind}"]), "Boat");
    assert.match(
      await kubectl(["get", "bt/nobody"], 1),
      /^Error from server \(NotFound\): boats\.sea\.example\.com "nobody" not found$/m,
    );
    assert.match(await kubectl(["describe", "bt", "ann"]), /^ {2}Home:\n {4}Berth: +7\n {4}Port: +Kiel$/m);
    assert.match(
      await kubectl(["api-resources", `--api-group=${seaGroup}`, "--categories=fleet", "--no-headers"]),
      /^boats +bt +sea\.example\.com\/v1 +true +Boat$/m,
    );
    const raw: unknown = JSON.parse(await kubectl(["get", "--raw", `/apis/${seaGroup}/v1/namespaces/shown/boats`]));
    assert.ok(typeof raw === "object" && raw !== null && "kind" in raw && raw.kind === "BoatList");
  });

  test("get selects by labels and by the definition's fields", async (t) => {
    const kubectl = await inNamespace(t, "selected");
    if (kubectl === undefined) return;
    await withAnn(kubectl);
    await kubectl(["create", `--filename=${await kubectl.file("bea.yaml", boat("bea", { port: "Bremen" }))}`]);
    const named = async (...args: readonly string[]) =>
      await kubectl(["get", "boats", "--output=jsonpath={.items[*].metadata.name}", ...args]);
    assert.equal(await named("--field-selector=spec.home.port=Kiel"), "ann");
    assert.equal(await named("--field-selector=spec.home.port!=Kiel,metadata.namespace=selected"), "bea");
    assert.equal(await named("--field-selector=metadata.name=ann"), "ann");
    assert.equal(await named("--selector=yard in (north,south)"), "ann bea");
    assert.equal(await named("--chunk-size=1"), "ann bea");
    assert.match(
      await kubectl(["get", "boats", "--field-selector=spec.sails=2"], 1),
      /^Error from server \(BadRequest\): .*field label not supported: spec\.sails$/m,
    );
  });

  test("explain tells the schema in words, of parts and of all of it", async (t) => {
    const kubectl = await inNamespace(t, "explained");
    if (kubectl === undefined) return;
    const whole = await kubectl(["explain", "bt"]);
    assert.match(whole, /^GROUP: +sea\.example\.com\nKIND: +Boat\nVERSION: +v1\n/);
    assert.match(whole, /^DESCRIPTION:\n {4}A boat, and what is on her\.$/m);
    assert.match(whole, /^ {2}spec\t<Object> -required-\n {4}What she is to be\.$/m);
    const crew = await kubectl(["explain", "boats.spec.crew"]);
    assert.match(crew, /^FIELD: crew <\[\]Object>$/m);
    assert.match(crew, /^ {2}name\t<string> -required-\n {4}The sailor's name\.$/m);
    assert.match(await kubectl(["explain", "bt.spec.rig"]), /^FIELD: rig <string>\nENUM:\n {4}sloop\n {4}ketch$/m);
    assert.match(await kubectl(["explain", "bt.metadata.labels"]), /^FIELD: labels <map\[string\]string>$/m);
    const tree = await kubectl(["explain", "bt", "--recursive", `--api-version=${seaGroup}/v1`]);
    assert.match(tree, /^ {2}spec\t<Object> -required-\n {4}crew\t<\[\]Object>\n {6}name\t<string> -required-$/m);
    assert.match(tree, /^ {4}ownerReferences\t<\[\]OwnerReference>\n {6}apiVersion\t<string> -required-$/m);
    assert.match(await kubectl(["explain", "bt.spec.wheels"], 1), /error: field "wheels" does not exist/);
    // By the document of version 2, in Protobuf.
    const older = await kubectl(["explain", "bt", "--recursive", "--output=plaintext-openapiv2"]);
    assert.match(older, /^ {3}spec\t<Object>\n {6}crew\t<\[\]Object>\n {9}name\t<string>$/m);
  });

  test("apply, client side: again, changed, pruned by null, with unknown fields; diff shows it first", async (t) => {
    const kubectl = await inNamespace(t, "client-side");
    if (kubectl === undefined) return;
    const file = await kubectl.file("ann.yaml", boat("ann"));
    assert.match(await kubectl(["diff", `--filename=${file}`], 1), /^\+ {2}rig: sloop$/m);
    assert.match(await kubectl(["apply", `--filename=${file}`]), /ann created/);
    await kubectl.file("ann.yaml", boat("ann", { sails: 3 }));
    for (const how of ["--server-side=false", "--server-side"]) {
      const difference = await kubectl(["diff", how, `--filename=${file}`], 1);
      assert.match(difference, /^- {2}sails: 2\n\+ {2}sails: 3$/m);
      assert.match(difference, /^- {2}generation: 1\n\+ {2}generation: 2$/m);
    }
    assert.match(await kubectl(["apply", `--filename=${file}`]), /ann configured/);
    // The list is replaced as a whole: nobody merges it on the client's side.
    await kubectl.file("ann.yaml", boat("ann", { sails: 3 }).replace("{name: eve}, ", ""));
    assert.match(await kubectl(["apply", `--filename=${file}`], 1), /too many sails for 1 sailors/);
    await kubectl.file(
      "ann.yaml",
      boat("ann", { sails: 1 }).replace("{name: eve}, ", "").replace("  rig: sloop\n", ""),
    );
    await kubectl(["apply", `--filename=${file}`]);
    assert.equal(
      await kubectl(["get", "bt/ann", "--output=jsonpath={.spec.crew[*].name} {.spec.rig} {.spec.sails}"]),
      "bob  1",
    );
    const extra = await kubectl.file("extra.yaml", boat("ann", { more: "wheels: 4" }));
    assert.match(
      await kubectl(["apply", `--filename=${extra}`], 1),
      /strict decoding error: unknown field "spec\.wheels"/,
    );
    assert.match(
      await kubectl(["apply", "--validate=warn", `--filename=${extra}`]),
      /^Warning: unknown field "spec\.wheels"$/m,
    );
    assert.doesNotMatch(await kubectl(["apply", "--validate=false", `--filename=${extra}`]), /Warning/);
    assert.equal(await kubectl(["get", "bt/ann", "--output=jsonpath={.spec.wheels}"]), "", "pruned");
    const pruned = ["apply", "--prune", "--selector=yard=north", `--prune-allowlist=${seaGroup}/v1/Boat`];
    await kubectl([...pruned, `--filename=${await kubectl.file("bea.yaml", boat("bea"))}`]);
    assert.equal(await kubectl(["get", "bt", "--output=name"]), `boat.${seaGroup}/bea\n`);
  });

  test("apply, server side: merges lists by their keys, tells conflicts, takes over, lets go", async (t) => {
    const kubectl = await inNamespace(t, "server-side");
    if (kubectl === undefined) return;
    const apply = ["apply", "--server-side"];
    const file = await kubectl.file("ann.yaml", boat("ann"));
    assert.match(await kubectl([...apply, `--filename=${file}`]), /ann serverside-applied/);
    const sailor = `apiVersion: ${seaGroup}/v1\nkind: Boat\nmetadata: {name: ann}\nspec: {crew: [{name: joe}]}\n`;
    const other = await kubectl.file("joe.yaml", sailor);
    await kubectl([...apply, "--field-manager=other", `--filename=${other}`]);
    const crew = ["get", "bt/ann", "--output=jsonpath={.spec.crew[*].name}"];
    assert.equal(await kubectl(crew), "eve bob joe");
    const rigged = await kubectl.file("rigged.yaml", boat("ann", { rig: "ketch" }));
    assert.match(
      await kubectl([...apply, "--field-manager=other", `--filename=${rigged}`], 1),
      /^error: Apply failed with 1 conflict: conflict with "kubectl": \.spec\.rig$/m,
    );
    await kubectl([...apply, "--field-manager=other", "--force-conflicts", `--filename=${rigged}`]);
    assert.equal(await kubectl(crew), "eve bob", "other said no more of joe");
    assert.match(
      await kubectl([...apply, "--dry-run=server", "--field-manager=third", `--filename=${file}`], 1),
      /conflict with "other": \.spec\.rig/,
    );
  });

  test("what the rules refuse is told in the definition's words", async (t) => {
    const kubectl = await inNamespace(t, "refused");
    if (kubectl === undefined) return;
    const tried = async (parts: Parameters<typeof boat>[1]): Promise<string> =>
      await kubectl(["create", `--filename=${await kubectl.file("bad.yaml", boat("bad", parts))}`], 1);
    assert.equal(
      await tried({ sails: 5 }),
      'The Boat "bad" is invalid: spec: Invalid value: "object": too many sails for 2 sailors\n',
    );
    const several = await tried({ sails: 99, rig: "brig", port: "K" });
    assert.match(several, /^The Boat "bad" is invalid: \n(\* .*\n)+$/);
    assert.match(several, /^\* spec\.rig: Unsupported value: "brig": supported values: "sloop", "ketch"$/m);
    assert.match(
      several,
      /^\* spec\.sails: Invalid value: 99: spec\.sails in body should be less than or equal to 10$/m,
    );
    assert.match(
      several,
      /^\* spec\.home\.port: Invalid value: "K": spec\.home\.port in body should be at least 2 chars long$/m,
    );
    assert.match(several, /^\* <nil>: Invalid value: "null": some validation rules were not checked /m);
    await withAnn(kubectl);
    assert.equal(
      await kubectl(["patch", "bt/ann", "--type=merge", '--patch={"spec":{"home":{"port":"Bremen"}}}'], 1),
      'The Boat "ann" is invalid: spec.home: Invalid value: "object": her home stays where it is\n',
    );
    const wrong = plainDefinition("wrongs", "Wrong", "self.size > wheels");
    assert.match(
      await kubectl(["create", `--filename=${await kubectl.file("wrong.yaml", wrong)}`], 1),
      /x-kubernetes-validations\[0\]\.rule: Invalid value: .*: compilation failed: ERROR: <input>:1:13: undeclared reference to 'wheels'/s,
    );
  });

  test("patches, scales, labels, annotates, edits, waits, replaces and deletes", async (t) => {
    const kubectl = await inNamespace(t, "changed");
    if (kubectl === undefined) return;
    const file = await withAnn(kubectl);
    const value = async (path: string): Promise<string> =>
      await kubectl(["get", "bt/ann", `--output=jsonpath={${path}}`]);
    const patch = (...args: readonly string[]) => kubectl(["patch", "bt/ann", ...args]);
    assert.match(
      await kubectl(["patch", "bt/ann", "--patch={}"], 1),
      /^error: application\/strategic-merge-patch\+json is not supported by sea\.example\.com\/v1, Kind=Boat/m,
    );
    assert.match(await patch("--type=merge", '--patch={"spec":{"sails":3}}'), /ann patched$/m);
    assert.match(await patch("--type=merge", '--patch={"spec":{"sails":3}}'), /ann patched \(no change\)$/m);
    await patch(
      "--type=json",
      '--patch=[{"op":"test","path":"/spec/sails","value":3},{"op":"remove","path":"/spec/crew/0"}]',
    ).then(
      () => assert.fail("one sailor is too few"),
      (error: unknown) => assert.match(String(error), /too many sails for 1 sailors/),
    );
    await kubectl(["scale", "boat/ann", "--replicas=4"]);
    assert.match(await kubectl(["scale", "boat/ann", "--replicas=1", "--current-replicas=3"], 1), /was 4/);
    assert.match(await kubectl(["get", "bt/ann", "--subresource=scale", "--output=yaml"]), /^spec:\n {2}replicas: 4$/m);
    await kubectl(["label", "bt/ann", "fast=yes"]);
    assert.match(await kubectl(["label", "bt/ann", "fast=no"], 1), /--overwrite is false/);
    await kubectl(["annotate", "bt", "--all", "note=x"]);
    assert.equal(await value(".metadata.labels.fast} {.metadata.annotations.note"), "yes x");
    const generation = await value(".metadata.generation");
    const status = { sails: 4, selector: "a=b", conditions: [{ type: "Ready", status: "False" }] };
    await patch("--subresource=status", "--type=merge", `--patch=${JSON.stringify({ status })}`);
    assert.equal(await value(".metadata.generation"), generation);
    assert.match(await kubectl(["get", "bt"]), /^ann +4 +Kiel +False /m);
    assert.match(await kubectl(["wait", "bt/ann", "--for=condition=Ready", "--timeout=1s"], 1), /timed out waiting/);
    const waits = Promise.all([
      kubectl(["wait", "bt/ann", "--for=condition=Ready", "--timeout=60s"]),
      kubectl(["wait", "bt/ann", "--for=jsonpath={.spec.rig}=ketch", "--timeout=60s"]),
    ]);
    await patch(
      "--subresource=status",
      "--type=json",
      '--patch=[{"op":"replace","path":"/status/conditions/0/status","value":"True"}]',
    );
    assert.match(await kubectl(["edit", "bt/ann"]), /ann edited/);
    for (const met of await waits) assert.match(met, /ann condition met/);
    assert.match(await kubectl(["replace", `--filename=${file}`]), /ann replaced/);
    assert.equal(await value(".spec.sails} {.status.sails"), "2 4", "its status stays");
    assert.match(await kubectl(["delete", "bt/ann", "--dry-run=server"]), /"ann" deleted \(server dry run\)/);
    const gone = kubectl(["wait", "bt/ann", "--for=delete", "--timeout=60s"]);
    await kubectl(["delete", "bt/ann"]);
    await gone;
    assert.match(await kubectl(["get", "bt"]), /^No resources found in changed namespace\.$/m);
  });

  test("a definition is created, used, changed and deleted without a pause", async (t) => {
    const kubectl = await inNamespace(t, "at-once");
    if (kubectl === undefined) return;
    const object = `apiVersion: ${seaGroup}/v1\nkind: Raft\nmetadata: {name: one}\nspec: {size: 1}\n`;
    const both = await kubectl.file("both.yaml", plainDefinition("rafts", "Raft"));
    const one = await kubectl.file("one.yaml", object);
    await kubectl(["apply", `--filename=${both}`]);
    await kubectl(["wait", `crd/rafts.${seaGroup}`, "--for=condition=Established", "--timeout=60s"]);
    await kubectl(["apply", `--filename=${one}`]);
    assert.match(await kubectl(["explain", "raft.spec"]), /size\t<integer>/);
    await kubectl.file("both.yaml", plainDefinition("rafts", "Raft", "self.size < 5"));
    await kubectl(["apply", `--filename=${both}`]);
    await kubectl.file("one.yaml", object.replace("size: 1", "size: 7"));
    await until(
      "the new rule holds",
      async () =>
        /failed rule: self\.size < 5/.test(
          await kubectl(["apply", "--dry-run=server", `--filename=${one}`], 1).catch(() => ""),
        ) || undefined,
    );
    await kubectl(["delete", "crd", `rafts.${seaGroup}`, "--timeout=60s"]);
    assert.match(
      await kubectl(["get", "rafts"], 1),
      /the server could not find the requested resource|doesn't have a resource type/,
    );
    // Anew, with another scope: nothing of the old one is left.
    await kubectl.file("both.yaml", plainDefinition("rafts", "Raft").replace("Namespaced", "Cluster"));
    await kubectl(["create", `--filename=${both}`]);
    await kubectl(["api-resources", `--api-group=${seaGroup}`]);
    assert.match(await kubectl(["get", "rafts"]), /^No resources found$/m);
    await kubectl(["delete", "crd", `rafts.${seaGroup}`]);
  });

  test("two versions with a conversion webhook, the old one with a warning of its own", async (t) => {
    const kubectl = await inNamespace(t, "converted");
    if (kubectl === undefined) return;
    const webhook = await startWebhookServer<ConversionReview>();
    t.after(() => webhook.close());
    webhook.react(({ body }) => converted(body));
    const definition = await kubectl.file("canoes.yaml", canoes(webhook.url("/convert"), webhook.caBundle));
    await kubectl(["create", `--filename=${definition}`]);
    const object = (version: string, spec: string) =>
      `apiVersion: ${seaGroup}/${version}\nkind: Canoe\nmetadata: {name: one}\nspec: {${spec}}\n`;
    const old = await kubectl.file("old.yaml", object("v1", 'paddle: "oak long"'));
    const warning = /^Warning: canoes have two paddles since v2$/m;
    assert.match(await kubectl(["apply", `--filename=${old}`]), warning);
    assert.match(await kubectl(["get", "canoes"]), /^NAME +WOOD\none +oak\n$/, "in the version that is preferred");
    const first = await kubectl(["get", `canoes.v1.${seaGroup}`]);
    assert.match(first, warning);
    assert.match(first, /^one +oak long$/m);
    const value = async (path: string): Promise<string> =>
      await kubectl(["get", `canoe.v2.${seaGroup}/one`, `--output=jsonpath={${path}}`]);
    assert.equal(await value(".spec.wood} {.spec.length"), "oak long");
    const young = await kubectl.file("young.yaml", object("v2", "wood: elm, length: long"));
    assert.match(await kubectl(["apply", `--filename=${young}`]), /one configured/);
    assert.match(await kubectl(["diff", `--filename=${old}`], 1), /^-.*paddle: elm long\n\+.*paddle: oak long$/m);
    assert.match(await kubectl(["explain", "canoe.spec", `--api-version=${seaGroup}/v1`]), /paddle\t<string>/);
    assert.match(await kubectl(["explain", "canoe.spec"]), /wood\t<string>/);
    webhook.react(({ body: { kind, apiVersion, request } }) => ({
      json: { kind, apiVersion, response: { uid: request.uid, result: { status: "Failure", message: "all at sea" } } },
    }));
    await kubectl.file("young.yaml", object("v2", "wood: elm").replace("one", "two"));
    await kubectl(["create", `--filename=${young}`]);
    assert.match(
      await kubectl(["get", `canoe.v1.${seaGroup}/two`], 1),
      /conversion webhook for sea\.example\.com\/v2, Kind=Canoe failed: all at sea$/m,
    );
  });
});

interface ConversionReview {
  readonly kind: string;
  readonly apiVersion: string;
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly { readonly apiVersion: string; readonly spec: Readonly<Record<string, string>> }[];
  };
}

/** Of v1 `paddle` is the wood and the length of v2 in one. */
function converted({ kind, apiVersion, request: { uid, desiredAPIVersion, objects } }: ConversionReview) {
  const convertedObjects = objects.map(({ spec, ...object }) => {
    const { paddle, wood, length } = spec;
    const [first = "", second = ""] = (paddle ?? `${wood} ${length}`).split(" ");
    const of = desiredAPIVersion.endsWith("/v1") ? { paddle: `${first} ${second}` } : { wood: first, length: second };
    return { ...object, apiVersion: desiredAPIVersion, spec: of };
  });
  return { json: { kind, apiVersion, response: { uid, result: { status: "Success" }, convertedObjects } } };
}

const canoes = (url: string, caBundle: string) => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: canoes.${seaGroup}}
spec:
  group: ${seaGroup}
  scope: Namespaced
  names: {plural: canoes, singular: canoe, kind: Canoe, listKind: CanoeList}
  conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1], clientConfig: {url: "${url}", caBundle: ${caBundle}}}
  versions:
  - name: v1
    served: true
    storage: false
    deprecated: true
    deprecationWarning: canoes have two paddles since v2
    additionalPrinterColumns: [{name: Paddle, type: string, jsonPath: .spec.paddle}]
    schema:
      openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {paddle: {type: string}}}}}
  - name: v2
    served: true
    storage: true
    additionalPrinterColumns: [{name: Wood, type: string, jsonPath: .spec.wood}]
    schema:
      openAPIV3Schema:
        {type: object, properties: {spec: {type: object, properties: {wood: {type: string}, length: {type: string}}}}}
`;
