import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { parseWebhookAdmission, readAdmissionControl } from "./admission-control.js";
import { webhookCredentials } from "./webhook-credentials.js";

const naming = createNaming("kubernetes");
const head = { apiVersion: "apiserver.config.k8s.io/v1", kind: "AdmissionConfiguration" };
const webhooks = { apiVersion: "apiserver.config.k8s.io/v1", kind: "WebhookAdmissionConfiguration" };
const hook = "ValidatingAdmissionWebhook";

interface Row {
  readonly what: string;
  readonly file: string | object | undefined;
  readonly others?: Readonly<Record<string, string>>;
  /** What is wrong, or the part of the plugin. */
  readonly problems?: RegExp;
  readonly part?: unknown;
}

const rows: readonly Row[] = [
  {
    what: "no file",
    file: undefined,
    problems: /^failed to read plugin config: unable to read admission control configuration from "\/etc\/adm.yaml" \[/,
  },
  { what: "an empty file", file: "", problems: /^failed to read plugin config: / },
  { what: "no YAML", file: "x: [", problems: /^failed to read plugin config: / },
  { what: "no plugins", file: { ...head, plugins: [] }, part: undefined },
  { what: "the older version", file: { ...head, apiVersion: "apiserver.config.k8s.io/v1alpha1" }, part: undefined },
  { what: "another kind", file: { ...head, kind: "Other" }, problems: /^failed to read plugin config: kind: / },
  { what: "a field that nobody knows", file: { ...head, bogus: 1 }, problems: /unknown field "bogus"$/ },
  { what: "a plugin that nobody knows", file: { ...head, plugins: [{ name: "Nope", path: "" }] }, part: undefined },
  { what: "a plugin without a part", file: { ...head, plugins: [{ name: hook }] }, part: undefined },
  {
    what: "a file that is not there",
    file: { ...head, plugins: [{ name: hook, path: "absent.yaml" }] },
    problems: /^Couldn't open admission plugin configuration \/etc\/absent.yaml: /,
  },
  {
    what: "a path beside the file",
    file: { ...head, plugins: [{ name: hook, path: "wh.yaml" }] },
    others: { "/etc/wh.yaml": "a: 1" },
    part: { a: 1 },
  },
  {
    what: "a path and a configuration, which wins",
    file: { ...head, plugins: [{ name: hook, path: "wh.yaml", configuration: { b: 2 } }] },
    others: { "/etc/wh.yaml": "garbage: [" },
    part: { b: 2 },
  },
  {
    what: "a file that is no YAML",
    file: { ...head, plugins: [{ name: hook, path: "wh.yaml" }] },
    others: { "/etc/wh.yaml": "garbage: [" },
    problems: /^couldn't init admission plugin "ValidatingAdmissionWebhook": /,
  },
  {
    what: "a plugin twice, of which the first counts",
    file: {
      ...head,
      plugins: [
        { name: hook, configuration: { c: 1 } },
        { name: hook, configuration: { c: 2 } },
      ],
    },
    part: { c: 1 },
  },
];

for (const { what, file, others = {}, problems, part } of rows) {
  test(`the admission configuration: ${what}`, () => {
    const files: Record<string, string> = { ...others };
    if (file !== undefined) files["/etc/adm.yaml"] = typeof file === "string" ? file : JSON.stringify(file);
    const read = (path: string): string => files[path] ?? assert.fail(`ENOENT: ${path}`);
    const parsed = readAdmissionControl("/etc/adm.yaml", { naming, read });
    if (problems !== undefined) {
      assert.ok(!parsed.ok);
      assert.match(parsed.problems.join("; "), problems);
      return;
    }
    assert.ok(parsed.ok, parsed.ok ? "" : parsed.problems.join("; "));
    assert.deepEqual(parsed.value.get(hook), part);
  });
}

const parts: readonly (readonly [part: unknown, problem: RegExp])[] = [
  [{ ...webhooks, kubeConfigFile: "/absent.conf" }, /^stat \/absent.conf: no such file or directory$/],
  [{ ...webhooks, kind: "WebhookAdmission", kubeConfigFile: "/x" }, /^stat \/x: no such file or directory$/],
  [webhooks, /^kubeConfigFile: Invalid value: "": must be an absolute file path$/],
  [
    { ...webhooks, kubeConfigFile: "rel/path" },
    /^kubeConfigFile: Invalid value: "rel\/path": must be an absolute file path$/,
  ],
  [{ apiVersion: "v1", kind: "ConfigMap" }, /apiVersion: Unsupported value: "v1"/],
  ["text", /must be an object/],
];

for (const [part, problem] of parts) {
  test(`webhooks are not configured by ${JSON.stringify(part)}`, () => {
    const parsed = parseWebhookAdmission(part, naming);
    assert.ok(!parsed.ok);
    assert.match(parsed.problems.join("; "), problem);
  });
}

test("a webhook is shown the user that is named as its host, or as near to it as there is one", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "orch-credentials-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "webhooks.conf");
  const named = ["hook.ns.svc", "hook.ns.svc:8443", "*.example.com", "*.b.example.com:99", "*"];
  const users = named.map((name) => ({ name, user: { token: `of-${name}` } }));
  await writeFile(path, JSON.stringify({ apiVersion: "v1", kind: "Config", users }));
  const credentials = await webhookCredentials(path);
  const shown = [
    "hook.ns.svc",
    "hook.ns.svc:8443",
    "hook.ns.svc:1",
    "a.example.com:5",
    "a.b.example.com:99",
    "127.0.0.1:1",
  ];
  assert.deepEqual(
    shown.map((host) => credentials(host).authorization),
    ["hook.ns.svc", "hook.ns.svc:8443", "hook.ns.svc", "*.example.com", "*.b.example.com:99", "*"].map(
      (name) => `Bearer of-${name}`,
    ),
  );
});
