import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { printClientConfig } from "@orch/client/config.js";
import { createNaming } from "@orch/naming/naming.js";
import { connect, type Http } from "./harness/http.js";
import { startWebhookServer, type WebhookServer } from "./harness/servers/webhook-server.js";
import { newFolder, removeFolder, type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

interface Review {
  readonly kind: string;
  readonly apiVersion: string;
  readonly request?: { readonly uid: string };
  readonly spec?: { readonly containers: readonly { readonly image: string }[]; readonly namespace: string };
}

const naming = createNaming("kubernetes");
const pods = "/api/v1/namespaces/default/pods";
const pod = (name: string, image: string, more: object = {}) => ({
  metadata: { name, ...more },
  spec: { containers: [{ name: "c", image }] },
});

describe("admission plugins that a file configures", () => {
  let folder: string;
  let webhook: WebhookServer<Review>;
  let target: StandaloneTarget;
  let http: Http;
  before(async () => {
    folder = await newFolder();
    webhook = await startWebhookServer<Review>();
    const backend = join(folder, "images.conf");
    const ca = Buffer.from(webhook.caBundle, "base64").toString();
    await writeFile(
      backend,
      printClientConfig({ naming, server: webhook.url("/images"), ca, user: "u", token: "for-images" }),
    );
    const users = [{ name: "127.0.0.1", user: { token: "for-webhooks" } }];
    await writeFile(join(folder, "webhooks.conf"), JSON.stringify({ apiVersion: "v1", kind: "Config", users }));
    const imagePolicy = { kubeConfigFile: backend, allowTTL: 50, denyTTL: -1, retryBackoff: -1, defaultAllow: false };
    const webhooks = { apiVersion: "apiserver.config.k8s.io/v1", kind: "WebhookAdmissionConfiguration" };
    const plugins = [
      { name: "ImagePolicyWebhook", configuration: { imagePolicy } },
      { name: "ValidatingAdmissionWebhook", path: "validating.json" },
    ];
    const file = join(folder, "admission.json");
    await writeFile(
      join(folder, "validating.json"),
      JSON.stringify({ ...webhooks, kubeConfigFile: join(folder, "webhooks.conf") }),
    );
    await writeFile(
      file,
      JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "AdmissionConfiguration", plugins }),
    );
    target = await startStandalone({
      args: [`--admission-control-config-file=${file}`, "--enable-admission-plugins=ImagePolicyWebhook"],
    });
    http = connect(target);
    webhook.react(({ body, path }) => {
      const { kind, apiVersion, request, spec } = body;
      if (path.startsWith("/images")) {
        const allowed = spec?.containers.every(({ image }) => image.startsWith("good")) ?? false;
        return {
          json: { kind, apiVersion, status: allowed ? { allowed } : { allowed, reason: "no such image here" } },
        };
      }
      return { json: { kind, apiVersion, response: { uid: request?.uid, allowed: true } } };
    });
    const account = "/api/v1/namespaces/default/serviceaccounts/default";
    await until("the account of pods", async () => (await http.get(account)).status === 200 || undefined);
  });
  after(async () => {
    await webhook.close();
    http.close();
    await target.stop();
    await removeFolder(folder);
  });

  test("a backend decides about the images of pods, and its yes is remembered", async () => {
    const made = await http.post(pods, pod("a", "good/a"));
    assert.equal(made.status, 201, made.text);
    const [question] = webhook.asked;
    assert.equal(question?.path, "/images");
    assert.equal(question?.headers.authorization, "Bearer for-images");
    assert.deepEqual(question?.body, {
      kind: "ImageReview",
      apiVersion: "imagepolicy.k8s.io/v1alpha1",
      metadata: {},
      spec: { containers: [{ image: "good/a" }], namespace: "default" },
      status: { allowed: false },
    });
    assert.equal((await http.post(pods, pod("b", "good/a"))).status, 201);
    assert.equal(webhook.asked.length, 1);
  });

  test("an image that the backend refuses does not run, in a large pod neither", async () => {
    for (const more of [{}, { annotations: { padding: "x".repeat(200_000) } }]) {
      const refused = await http.post(pods, pod("bad", "bad/image", more));
      assert.equal(refused.status, 403, refused.text.slice(0, 500));
      assert.match(
        String(refused.at("message")),
        /image policy webhook backend denied one or more images: no such image here$/,
      );
    }
  });

  test("webhooks are shown the user that the file names for their host", async () => {
    const group = naming.group("admissionregistration");
    const made = await http.post(`/apis/${group}/v1/validatingwebhookconfigurations`, {
      metadata: { name: "c" },
      webhooks: [
        {
          name: "v.example.com",
          clientConfig: { url: webhook.url("/ok"), caBundle: webhook.caBundle },
          rules: [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
        },
      ],
    });
    assert.equal(made.status, 201, made.text);
    await until("the webhook", async () => {
      const written = await http.post("/api/v1/namespaces/default/configmaps", { metadata: { generateName: "m-" } });
      assert.equal(written.status, 201, written.text);
      return webhook.asked.some(({ path }) => path.startsWith("/ok")) || undefined;
    });
    const asked = webhook.asked.find(({ path }) => path.startsWith("/ok"));
    assert.equal(asked?.headers.authorization, "Bearer for-webhooks");
  });
});
