import assert from "node:assert/strict";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { readClientConfig } from "@orch/client/config.js";
import { type Client, createClient } from "@orch/client/http/http.js";
import type { ApiObject } from "@orch/client/objects.js";
import { ApiError } from "@orch/status/api-error.js";
import { type Exit, execute } from "./clients/program.js";
import { connect, type Http, valueAt } from "./harness/http.js";
import { freshNamespace } from "./harness/manifests.js";
import { done } from "./harness/status.js";
import { newFolder, removeFolder, type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

/** A user who is a program (rules: Plugin credential): it tells tokens of a service account, to kubectl and to us. */
let target: StandaloneTarget;
let http: Http;
let folder: string;
let kubectlMissing: string | undefined;

before(async () => {
  const version = await execute(["kubectl", "version", "--client"]);
  if (version.code !== 0) kubectlMissing = `SKIPPED: there is no kubectl here: ${version.errors}`;
  folder = await newFolder();
  target = await startStandalone({ dialect: "kubernetes" });
  http = connect(target);
});
after(async () => {
  http.close();
  await target.stop();
  await removeFolder(folder);
});

/** Answers with what lies beside it, and writes down what it was told. */
const program = `#!${process.execPath}
const fs = require("node:fs");
const path = require("node:path");
const at = (name) => path.join(path.dirname(__filename), name);
const told = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
fs.appendFileSync(at("runs"), JSON.stringify({ told, more: process.env.MORE, args: process.argv.slice(2) }) + "\\n");
const answer = JSON.parse(fs.readFileSync(at("answer"), "utf8"));
if (answer.exit) process.exit(answer.exit);
const out = { apiVersion: told.apiVersion, kind: "ExecCredential", status: answer };
// Slow enough that requests pile up behind it.
setTimeout(() => process.stdout.write(JSON.stringify(out)), 150);
`;

interface Run {
  readonly told: unknown;
  readonly more: string;
  readonly args: readonly string[];
}

interface Plugin {
  readonly namespace: string;
  readonly config: string;
  readonly folder: string;
  /** Makes a token that dies with a secret of this name, and has the plugin answer with it. */
  tokenOf(secret: string, status?: object): Promise<string>;
  answers(status: object): Promise<void>;
  /** The server knows the token no more. */
  revoke(secret: string, token: string): Promise<void>;
  runs(): Promise<readonly Run[]>;
}

async function freshPlugin(version: "v1" | "v1beta1", exec: object = {}): Promise<Plugin> {
  const namespace = await freshNamespace(http);
  const own = await newFolder();
  const command = join(own, "plugin.cjs");
  await writeFile(command, program, { mode: 0o700 });
  const config = join(own, "config");
  const file = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "c",
        cluster: {
          server: target.urls[0],
          "certificate-authority-data": Buffer.from(target.pki.ca).toString("base64"),
          extensions: [{ name: "client.authentication.k8s.io/exec", extension: { realm: "e2e" } }],
        },
      },
    ],
    users: [
      {
        name: "u",
        user: {
          exec: {
            ...{ apiVersion: `client.authentication.k8s.io/${version}`, command: "./plugin.cjs", args: ["login"] },
            ...{ env: [{ name: "MORE", value: "more" }], interactiveMode: "Never", provideClusterInfo: true },
            ...exec,
          },
        },
      },
    ],
    contexts: [{ name: "x", context: { cluster: "c", user: "u", namespace } }],
    "current-context": "x",
  };
  await writeFile(config, JSON.stringify(file));
  const base = `/api/v1/namespaces/${namespace}`;
  await done(http.post(`${base}/serviceaccounts`, { metadata: { name: "robot" } }));
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" };
  const subjects = [{ kind: "ServiceAccount", name: "robot", namespace }];
  const bindings = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`;
  await done(http.post(bindings, { metadata: { name: "robot" }, roleRef, subjects }));
  const answers = (status: object) => writeFile(join(own, "answer"), JSON.stringify(status));
  return {
    namespace,
    config,
    folder: own,
    answers,
    async tokenOf(secret, status = {}) {
      await done(http.post(`${base}/secrets`, { metadata: { name: secret } }));
      const spec = { boundObjectRef: { apiVersion: "v1", kind: "Secret", name: secret } };
      const token = (await done(http.post(`${base}/serviceaccounts/robot/token`, { spec }))).at("status.token");
      assert.ok(typeof token === "string");
      await until("the account may do what it is to do", async () => {
        const answer = await http.call({ path: `${base}/configmaps`, as: { type: "token", token } });
        return answer.status === 200 ? true : undefined;
      });
      await answers({ token, ...status });
      return token;
    },
    async revoke(secret, token) {
      await done(http.delete(`${base}/secrets/${secret}`));
      await until("the token is over", async () => {
        const answer = await http.call({ path: `${base}/configmaps`, as: { type: "token", token } });
        return answer.status === 401 ? true : undefined;
      });
    },
    async runs() {
      const text = await readFile(join(own, "runs"), "utf8").catch(() => "");
      return text
        .split("\n")
        .filter((line) => line !== "")
        .map((line): Run => JSON.parse(line));
    },
  };
}

/** Our own client by that configuration, on a clock that can be put forward. */
async function ourClient({ config }: Plugin): Promise<{ client: Client; clock: { aheadMs: number } }> {
  const clock = { aheadMs: 0 };
  const read = await readClientConfig(config, {
    tools: {
      clock: {
        now: () => Date.now() + clock.aheadMs,
        after(ms, run) {
          const timer = setTimeout(run, ms);
          return () => clearTimeout(timer);
        },
      },
      environment: process.env,
      interactive: false,
    },
  });
  return { client: createClient(read), clock };
}

const mapsIn = (namespace: string) => ({ group: "", version: "v1", resource: "configmaps", namespace });
const whoAmI = async (client: Client): Promise<unknown> => {
  const reviews = { group: "authentication.k8s.io", version: "v1", resource: "selfsubjectreviews" };
  return valueAt(await client.create(reviews, { metadata: {} }), "status.userInfo.username");
};
const soon = (ms: number): string => new Date(Date.now() + ms).toISOString();

/** What programs keep: nothing of a token may be in there. */
async function findsOnDisk(where: string, token: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(where, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name === "answer") continue;
    const path = join(entry.parentPath, entry.name);
    if ((await readFile(path)).includes(token)) found.push(path);
  }
  return found;
}

describe("our client with a plugin", { concurrency: 4 }, () => {
  for (const version of ["v1", "v1beta1"] as const) {
    test(`asks ${version} once for all who wait, and again after its time`, async () => {
      const plugin = await freshPlugin(version);
      const { client, clock } = await ourClient(plugin);
      try {
        const token = await plugin.tokenOf("first", { expirationTimestamp: soon(600_000) });
        const maps = mapsIn(plugin.namespace);
        const names = Array.from({ length: 20 }, (_, i) => `m-${i}`);
        const made = await Promise.all(names.map((name) => client.create(maps, { metadata: { name } })));
        assert.deepEqual(made.map(({ metadata }: ApiObject) => metadata.name).toSorted(), names.toSorted());
        const user = `system:serviceaccount:${plugin.namespace}:robot`;
        assert.equal(await whoAmI(client), user);
        const [first, ...others] = await plugin.runs();
        assert.deepEqual(others, []);
        assert.deepEqual(first, {
          told: {
            kind: "ExecCredential",
            apiVersion: `client.authentication.k8s.io/${version}`,
            spec: {
              cluster: {
                server: target.urls[0],
                "certificate-authority-data": Buffer.from(target.pki.ca).toString("base64"),
                config: { realm: "e2e" },
              },
              interactive: false,
            },
          },
          more: "more",
          args: ["login"],
        });
        await plugin.tokenOf("second", { expirationTimestamp: soon(3600_000) });
        assert.equal(await whoAmI(client), user);
        assert.equal((await plugin.runs()).length, 1, "the first is still good");
        clock.aheadMs = 601_000;
        assert.deepEqual(new Set(await Promise.all([1, 2, 3].map(() => whoAmI(client)))), new Set([user]));
        assert.equal((await plugin.runs()).length, 2);
        assert.deepEqual(await findsOnDisk(plugin.folder, token), []);
      } finally {
        await client.close();
        await removeFolder(plugin.folder);
      }
    });
  }

  test("asks again when the server refuses, once, and serves everybody by the new answer", async () => {
    const plugin = await freshPlugin("v1");
    const { client } = await ourClient(plugin);
    try {
      const first = await plugin.tokenOf("first");
      const maps = mapsIn(plugin.namespace);
      await client.create(maps, { metadata: { name: "a" } });
      await plugin.revoke("first", first);
      await plugin.tokenOf("second");
      const lists = await Promise.all(Array.from({ length: 20 }, () => client.list(maps)));
      assert.deepEqual(new Set(lists.map(({ items }) => items.length)), new Set([1]));
      assert.equal((await plugin.runs()).length, 2);
      await client.create(maps, { metadata: { name: "b" } });
      assert.equal((await plugin.runs()).length, 2);
    } finally {
      await client.close();
      await removeFolder(plugin.folder);
    }
  });

  test("tells of refusals that no other answer helps against, and comes back", async () => {
    const plugin = await freshPlugin("v1");
    const { client } = await ourClient(plugin);
    try {
      const first = await plugin.tokenOf("first");
      const maps = mapsIn(plugin.namespace);
      await client.list(maps);
      await plugin.revoke("first", first);
      const refused = (error: unknown): boolean => {
        assert.ok(error instanceof ApiError && error.reason === "Unauthorized", String(error));
        assert.ok(!error.message.includes(first));
        return true;
      };
      await assert.rejects(client.list(maps), refused);
      await plugin.answers({ exit: 3 });
      await assert.rejects(client.list(maps), refused);
      await plugin.tokenOf("second");
      assert.equal((await client.list(maps)).items.length, 0);
    } finally {
      await client.close();
      await removeFolder(plugin.folder);
    }
  });

  test("shows the certificate that a plugin tells", async () => {
    const plugin = await freshPlugin("v1");
    const { client } = await ourClient(plugin);
    try {
      const { certificate, key } = target.pki.admin;
      await plugin.answers({ clientCertificateData: certificate, clientKeyData: key });
      assert.equal(await whoAmI(client), "admin");
    } finally {
      await client.close();
      await removeFolder(plugin.folder);
    }
  });
});

describe("kubectl with a plugin", { concurrency: 2 }, () => {
  const kubectlOf = (plugin: Plugin) => {
    const home = join(plugin.folder, "home");
    return async (args: readonly string[], code = 0): Promise<string> => {
      const command = ["kubectl", `--kubeconfig=${plugin.config}`, `--cache-dir=${home}/cache`, ...args];
      const exit: Exit = await execute(command, { cwd: plugin.folder, env: { HOME: home }, timeoutMs: 120_000 });
      const text = `${exit.output}${exit.errors}`;
      assert.equal(exit.code, code, `kubectl ${args.join(" ")}: ${text}`);
      return text;
    };
  };

  for (const version of ["v1", "v1beta1"] as const) {
    test(`takes the answer of ${version}, and asks again after its time`, async (t) => {
      if (kubectlMissing !== undefined) return t.skip(kubectlMissing);
      const plugin = await freshPlugin(version);
      const kubectl = kubectlOf(plugin);
      try {
        const token = await plugin.tokenOf("first", { expirationTimestamp: soon(600_000) });
        const objects = ["a", "b", "c"].map((name) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } }));
        const file = join(plugin.folder, "maps.json");
        await writeFile(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
        await kubectl(["create", `--filename=${file}`]);
        assert.equal((await plugin.runs()).length, 1, "one for all requests of a command");
        const who = await kubectl(["auth", "whoami"]);
        assert.match(who, new RegExp(`^Username +system:serviceaccount:${plugin.namespace}:robot$`, "m"));
        await rm(join(plugin.folder, "runs"));
        await plugin.answers({ token, expirationTimestamp: soon(-1000) });
        await kubectl(["delete", `--filename=${file}`, "--wait=false"]);
        assert.ok((await plugin.runs()).length > 1, "what is over already is got anew for each request");
        assert.deepEqual(await findsOnDisk(plugin.folder, token), []);
      } finally {
        await removeFolder(plugin.folder);
      }
    });
  }

  test("says that it is not logged in where the answer is refused, and is once it is not", async (t) => {
    if (kubectlMissing !== undefined) return t.skip(kubectlMissing);
    const plugin = await freshPlugin("v1");
    const kubectl = kubectlOf(plugin);
    try {
      const token = await plugin.tokenOf("first");
      await kubectl(["get", "configmaps"]);
      await plugin.revoke("first", token);
      assert.match(await kubectl(["get", "configmaps"], 1), /You must be logged in to the server/);
      await plugin.tokenOf("second");
      await Promise.all([1, 2, 3].map(() => kubectl(["get", "configmaps"])));
    } finally {
      await removeFolder(plugin.folder);
    }
  });
});
