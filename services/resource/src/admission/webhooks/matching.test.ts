import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { key, revision } from "@orch/store/revision.js";
import { requestOfLine } from "../../testing/request-line.js";
import { thingsCluster } from "../../testing/things.js";
import type { Hooked } from "../../testing/webhooks.js";

/** A line of `testdata/webhook-matching.jsonl`. */
interface Row {
  readonly about: string;
  readonly webhook: object;
  readonly cases: readonly {
    readonly write: string;
    readonly body?: object;
    readonly code: number;
    readonly message?: string;
    readonly asked: readonly string[];
  }[];
}

const path = new URL("../../../testdata/webhook-matching.jsonl", import.meta.url);
const rows: readonly Row[] = readFileSync(path, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

const usual = {
  name: "v.example.com",
  clientConfig: { url: "https://webhook.example.com/ok" },
  ...{ failurePolicy: "Fail", matchPolicy: "Equivalent", sideEffects: "None", timeoutSeconds: 10 },
  ...{ admissionReviewVersions: ["v1"], namespaceSelector: {}, objectSelector: {} },
};

/** Stored past its validation, as the reference was given it. */
async function store({ store, naming, settled }: Hooked, webhook: object, n: number): Promise<() => Promise<void>> {
  const at = key(`${naming.storePrefix}validatingwebhookconfigurations/c`);
  const configuration = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "c", uid: String(n), generation: 1 },
    webhooks: [{ ...usual, ...webhook }],
  };
  const value = Buffer.from(JSON.stringify(configuration));
  const put = await store.swap({ key: at, expected: revision(0), value });
  assert.ok(put.done);
  await settled();
  return async () => {
    await store.swap({ key: at, expected: put.revision, value: undefined });
    await settled();
  };
}

const nameOf = (of: unknown): string => Object.values(Object(of)).join("/");

async function check(one: Hooked, { write, body, code, message, asked }: Row["cases"][number]): Promise<void> {
  one.asked.length = 0;
  const said = await one.says(requestOfLine(write), body);
  assert.equal(said, code < 300 ? "ok" : `${code} ${message}`, write);
  const seen = one.asked.map(({ request: { resource, requestResource, subResource } }) =>
    [nameOf(resource), nameOf(requestResource), ...(subResource === undefined ? [] : [subResource])].join(" "),
  );
  assert.deepEqual(seen, asked, write);
}

test("webhooks are asked about the writes that the reference asks about", async (t) => {
  const one = await thingsCluster(t);
  await one.make(requestOfLine("POST /apis/wh.example.com/v1/namespaces/obs/things"), {
    ...{ apiVersion: "wh.example.com/v1", kind: "Thing" },
    metadata: { name: "s", labels: { tier: "gold" } },
    spec: { n: 1, replicas: 3 },
  });
  for (const [n, { about, webhook, cases }] of rows.entries()) {
    await t.test(about, async () => {
      const away = await store(one, webhook, n);
      try {
        for (const each of cases) await check(one, each);
      } finally {
        await away();
      }
    });
  }
});
