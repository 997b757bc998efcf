// What the cluster keeps to itself: certificates by `orch certificates`, and keys that are made where they are missing and never replaced.
// Each lies in a volume of its own, below /certificates. Arguments go on to `orch certificates`.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";

/** Whom the images run as. */
const uid = 65532;
for (const name of readdirSync("/certificates")) chownSync(`/certificates/${name}`, uid, uid);
process.setgroups([]);
process.setgid(uid);
process.setuid(uid);

const command = ["/orch/cli/main.js", "certificates", "--output=/certificates", ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, command, { stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);

/** Whole or not at all. */
function write(path, text) {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

function make(path, text) {
  if (existsSync(path)) return;
  write(path, text());
  console.log(`${path}: written`);
}

const group = process.argv.includes("--api-dialect=kubernetes") ? "apiserver.config.k8s.io" : "apiserver.config.orch";
const key = () => randomBytes(32).toString("base64");
make("/certificates/redis/key", key);
make(
  "/certificates/encryption/encryption.yaml",
  () => `apiVersion: ${group}/v1
kind: EncryptionConfiguration
resources:
- resources: [secrets]
  providers:
  - aesgcm: { keys: [{ name: key1, secret: "${key()}" }] }
  - identity: {}
`,
);
// Gateways verify tokens, and shall not be able to sign them.
write("/certificates/service-accounts-public/tls.crt", readFileSync("/certificates/service-accounts/tls.crt", "utf8"));
