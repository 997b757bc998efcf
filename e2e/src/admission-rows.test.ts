import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { issueAuthority } from "@orch/pki/certificates.js";
import { writePolicy } from "./audit-bed.js";
import { startServer, temporaryFolder } from "./command-line-program.js";
import { startWebhookServer } from "./harness/servers/webhook-server.js";
import { play, type Stage } from "./reference-player.js";
import { readSections } from "./reference-rows.js";
import type { Review } from "./reference-webhooks.js";

const files = [
  "admission-definitions.json",
  "admission-plugins.json",
  "admission-webhooks.json",
  "pod-security.json",
  "admission-in-tree.json",
];

/** Events of somebody have bodies, those of others have none; each request has one event. */
const rules = [
  { level: "Request", users: ["bob"], omitStages: ["RequestReceived"] },
  { level: "Metadata", omitStages: ["RequestReceived"] },
];

const users = [
  'bobs-token,bob,1,"system:masters"',
  'exempts-token,exempt,2,"system:masters"',
  // That he may do everything does not make him less of a node.
  'nodes-token,system:node:n1,3,"system:nodes,system:masters"',
  "limiteds-token,limited,4",
];

/** Of the plugins that usually do not run, those that nobody else notices. */
const enabled = [
  ...["LimitPodHardAntiAffinityTopology", "AlwaysPullImages", "PodNodeSelector", "PodTolerationRestriction"],
  ...["ExtendedResourceToleration", "OwnerReferencesPermissionEnforcement", "DenyServiceExternalIPs"],
  ...["NodeRestriction", "EventRateLimit"],
];

/** Who is exempt from the standards of pods. */
const configuration = {
  apiVersion: "apiserver.config.k8s.io/v1",
  kind: "AdmissionConfiguration",
  plugins: [
    {
      name: "PodSecurity",
      configuration: {
        apiVersion: "pod-security.admission.config.k8s.io/v1",
        kind: "PodSecurityConfiguration",
        exemptions: { usernames: ["exempt"], namespaces: ["exempt"], runtimeClasses: ["exempt.example.com"] },
      },
    },
    {
      name: "EventRateLimit",
      configuration: {
        apiVersion: "eventratelimit.admission.k8s.io/v1alpha1",
        kind: "Configuration",
        limits: [{ type: "Namespace", qps: 1, burst: 2 }],
      },
    },
  ],
};

async function stage(t: TestContext): Promise<Stage> {
  const folder = await temporaryFolder(t);
  const auditLog = join(folder, "audit.log");
  const tokens = join(folder, "tokens.csv");
  await writeFile(tokens, users.map((line) => `${line}\n`).join(""));
  const admission = join(folder, "admission.yaml");
  await writeFile(admission, JSON.stringify(configuration));
  const policy = await writePolicy(folder, rules);
  const server = await startServer(t, {
    args: [
      // The rows say themselves which pods a ReplicaSet has and how a claim is bound.
      "--controllers=*,-replicaset-controller,-persistentvolume-binder-controller",
      `--token-auth-file=${tokens}`,
      `--admission-control-config-file=${admission}`,
      `--audit-policy-file=${policy}`,
      `--audit-log-path=${auditLog}`,
      `--enable-admission-plugins=${enabled.join(",")}`,
      "--disable-admission-plugins=ServiceAccount",
      "--feature-gates=MutatingAdmissionPolicy=true",
      "--runtime-config=admissionregistration.k8s.io/v1alpha1=true",
    ],
  });
  const webhooks = await startWebhookServer<Review>();
  t.after(() => webhooks.close());
  const kept = new Map([
    ["webhook", webhooks.url("")],
    ["caBundle", webhooks.caBundle],
    ["otherCaBundle", Buffer.from((await issueAuthority("other", Date.now())).certificate).toString("base64")],
  ]);
  return { server, kept, auditLog, webhooks };
}

test("every request about admission is answered as the reference answers it", async (t) => {
  const where = await stage(t);
  for (const file of files) {
    for (const section of readSections(file)) {
      await t.test(section.title, async (inSection) => {
        for (const row of section.rows) await inSection.test(row.title, () => play(where, row));
      });
    }
  }
});
