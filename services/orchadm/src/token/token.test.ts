import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { isRecord } from "@orch/client/objects.js";
import { parseYaml } from "@orch/codec/yaml/yaml.js";
import { openTestMachine, type TestMachine } from "../testing/object-server.js";

describe("tokens by which machines join", () => {
  let machine: TestMachine;
  before(async () => {
    machine = await openTestMachine();
  });
  after(() => machine.close());
  beforeEach(() => machine.objects.clear());

  const at = (id: string): string => `/api/v1/namespaces/orch-system/secrets/bootstrap-token-${id}`;
  const dataOf = (id: string): Readonly<Record<string, string>> => {
    const data: unknown = machine.objects.get(at(id))?.["data"];
    assert.ok(isRecord(data));
    return Object.fromEntries(
      Object.entries(data).map(([key, text]) => [key, Buffer.from(String(text), "base64").toString()]),
    );
  };
  const given = "abcdef.0123456789abcdef";

  test("one that is made lasts a day and is for nodes that join", async () => {
    const { code, output, errors } = await machine.run("token", "create");
    assert.deepEqual([code, errors], [0, ""]);
    const [token = "", end] = output.split("\n");
    assert.match(token, /^[a-z0-9]{6}\.[a-z0-9]{16}$/);
    assert.equal(end, "");
    const [id = "", secret = ""] = token.split(".");
    assert.deepEqual(dataOf(id), {
      "auth-extra-groups": "system:bootstrappers:orchadm:default-node-token",
      expiration: "2026-01-02T00:00:00Z",
      "token-id": id,
      "token-secret": secret,
      "usage-bootstrap-authentication": "true",
      "usage-bootstrap-signing": "true",
    });
    assert.equal(machine.objects.get(at(id))?.["type"], "bootstrap.orch/token");
  });

  test("flags say what it is for, and until when", async () => {
    const flags = ["--ttl=0", "--usages=signing", "--description=of the office", "--groups="];
    const { code, errors } = await machine.run("token", "create", given, ...flags);
    assert.equal(code, 1);
    assert.match(errors, /token groups cannot be specified unless --usages includes "authentication"/);
    const made = await machine.run(
      "token",
      "create",
      given,
      ...["--ttl=0", "--groups=system:bootstrappers:a,system:bootstrappers:b", "--description=of the office"],
    );
    assert.deepEqual([made.code, made.output], [0, `${given}\n`]);
    assert.match(made.errors, /WARNING: a token without an end/);
    assert.deepEqual(dataOf("abcdef"), {
      "auth-extra-groups": "system:bootstrappers:a,system:bootstrappers:b",
      description: "of the office",
      "token-id": "abcdef",
      "token-secret": "0123456789abcdef",
      "usage-bootstrap-authentication": "true",
      "usage-bootstrap-signing": "true",
    });
  });

  test("a file names several", async () => {
    const config = machine.file(
      "init.yaml",
      `apiVersion: orchadm.orch/v1beta3
kind: InitConfiguration
bootstrapTokens:
- {token: ${given}, ttl: 1h}
- {token: ghijkl.0123456789abcdef, ttl: 2h, usages: [authentication]}
`,
    );
    const { code, output, errors } = await machine.run("token", "create", "--config", config);
    assert.deepEqual([code, output], [0, `${given}\n`], errors);
    assert.equal(dataOf("abcdef")["expiration"], "2026-01-01T01:00:00Z");
    assert.equal(dataOf("ghijkl")["expiration"], "2026-01-01T02:00:00Z");
    const mixed = await machine.run("token", "create", "--config", config, "--ttl=1h");
    assert.deepEqual([mixed.code, mixed.errors], [1, "can not mix '--config' with arguments [ttl]\n"]);
  });

  const refusals: readonly (readonly [argv: readonly string[], says: string, code?: number])[] = [
    [["Abcdef.0123456789abcdef"], "the bootstrap token is invalid"],
    [
      ["--usages=cooking"],
      "invalid bootstrap token usage string: cooking, valid usage options: signing,authentication",
    ],
    [["--groups=somebody"], 'bootstrap group "somebody" is invalid'],
    [["--ttl=soon"], 'invalid argument "soon" for "--ttl" flag', 2],
    [[given, given], "accepts at most 1 arg, received 2"],
  ];
  for (const [argv, says, wanted = 1] of refusals) {
    test(`refused: token create ${argv.join(" ")}`, async () => {
      const { code, errors } = await machine.run("token", "create", ...argv);
      assert.equal(code, wanted);
      assert.ok(errors.includes(says), errors);
      assert.equal(machine.objects.size, 0);
    });
  }

  test("an id is taken once", async () => {
    await machine.run("token", "create", given);
    const again = await machine.run("token", "create", "abcdef.fedcba9876543210");
    assert.deepEqual([again.code, again.errors], [1, 'a token with id "abcdef" already exists\n']);
    assert.equal(dataOf("abcdef")["token-secret"], "0123456789abcdef");
  });

  test("--print-join-command names server, token and the authority's key", async () => {
    const { output } = await machine.run("token", "create", given, "--print-join-command");
    assert.match(output, /^orchadm join 127\.0\.0\.1:\d+ --token abcdef\.0123456789abcdef/);
    assert.match(output, /--discovery-token-ca-cert-hash sha256:[0-9a-f]{64}/);
    assert.doesNotMatch(output, /--control-plane/);
    const key = "ab".repeat(32);
    const more = await machine.run("token", "create", "--print-join-command", "--certificate-key", key);
    assert.match(more.output, new RegExp(`--control-plane --certificate-key ${key}\n$`));
  });

  test("--dry-run makes nothing", async () => {
    const { output } = await machine.run("token", "create", given, "--dry-run");
    assert.equal(output, `[dryrun] Would create the Secret "bootstrap-token-abcdef"\n${given}\n`);
    assert.equal(machine.objects.size, 0);
  });

  test("a list shows all, and tells of Secrets that are none", async () => {
    await machine.run("token", "create", given, "--description=of the office", "--ttl=23h30m");
    await machine.run("token", "create", "ghijkl.0123456789abcdef", "--ttl=0", "--usages=authentication");
    machine.objects.set(at("broken"), {
      ...{ apiVersion: "v1", kind: "Secret", type: "bootstrap.orch/token", data: {} },
      metadata: { name: "bootstrap-token-broken" },
    });
    const { output, errors } = await machine.run("token", "list");
    const group = "system:bootstrappers:orchadm:default-node-token";
    assert.deepEqual(output.split("\n"), [
      "TOKEN                     TTL         EXPIRES                USAGES                   DESCRIPTION     EXTRA GROUPS",
      `abcdef.0123456789abcdef   23h         2026-01-01T23:30:00Z   authentication,signing   of the office   ${group}`,
      `ghijkl.0123456789abcdef   <forever>   <never>                authentication           <none>          ${group}`,
      "",
    ]);
    assert.equal(errors, 'the Secret "bootstrap-token-broken" is no bootstrap token: it has no token-id\n');
  });

  test("-o shows it to programs", async () => {
    await machine.run("token", "create", given, "--description=x");
    const { output } = await machine.run("token", "list", "-o", "json");
    assert.deepEqual(JSON.parse(output), {
      kind: "BootstrapToken",
      apiVersion: "output.orchadm.orch/v1alpha3",
      token: given,
      description: "x",
      expires: "2026-01-02T00:00:00Z",
      usages: ["authentication", "signing"],
      groups: ["system:bootstrappers:orchadm:default-node-token"],
    });
    const path = await machine.run("token", "list", `-o`, `jsonpath={.token} {.usages[*]}{"\\n"}`);
    assert.equal(path.output, `${given} authentication signing\n`);
    const base64 = (text: string): string => Buffer.from(text).toString("base64");
    machine.objects.set(at("ghijkl"), {
      ...{ apiVersion: "v1", kind: "Secret", type: "bootstrap.orch/token" },
      metadata: { name: "bootstrap-token-ghijkl" },
      data: { "token-id": base64("ghijkl"), "token-secret": base64("0123456789abcdef") },
    });
    const yaml = await machine.run("token", "list", "-o", "yaml");
    const documents = yaml.output.split("---\n").map((text) => parseYaml(Buffer.from(text)));
    assert.equal(documents.length, 2);
    assert.deepEqual(documents[1], {
      ok: true,
      duplicates: [],
      repeatedLines: [],
      value: {
        ...{ kind: "BootstrapToken", apiVersion: "output.orchadm.orch/v1alpha3" },
        token: "ghijkl.0123456789abcdef",
      },
    });
    const bad = await machine.run("token", "list", "-o", "wide");
    assert.deepEqual([bad.code, bad.errors.slice(0, 28)], [1, 'invalid output format "wide"']);
  });

  test("those that are deleted are gone, by token or by id", async () => {
    await machine.run("token", "create", given);
    await machine.run("token", "create", "ghijkl.0123456789abcdef");
    const { output } = await machine.run("token", "delete", given, "ghijkl");
    assert.equal(output, 'bootstrap token "abcdef" deleted\nbootstrap token "ghijkl" deleted\n');
    assert.equal(machine.objects.size, 0);
    const again = await machine.run("token", "delete", "ghijkl");
    assert.deepEqual(
      [again.code, again.errors],
      [1, 'failed to delete bootstrap token "ghijkl": "bootstrap-token-ghijkl" not found\n'],
    );
    assert.match((await machine.run("token", "delete")).errors, /^missing argument; 'token delete'/);
    assert.match((await machine.run("token", "delete", "x")).errors, /^given token or token id "x" didn't match/);
  });
});
