import { generateKeyPairSync } from "node:crypto";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface ServingPair {
  readonly certificate: string;
  readonly key: string;
}

/** The paths of the serving certificate in a folder, named as the reference names them; made where they are missing. */
export async function servingPair(folder: string, names: readonly string[], now: number): Promise<ServingPair> {
  const certificate = join(folder, "apiserver.crt");
  const key = join(folder, "apiserver.key");
  if (existsSync(certificate) && existsSync(key)) return { certificate, key };
  // Loaded where a certificate is made: the library takes a tenth of a second.
  const { issueAuthority, issueServing } = await import("@orch/pki/certificates.js");
  const authority = await issueAuthority("orch-envtest-ca", now);
  const pair = await issueServing(authority, names, now);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  write(key, pair.key);
  // With its authority: who trusts this file can verify the server by it.
  write(certificate, `${pair.certificate.trimEnd()}\n${authority.certificate.trimEnd()}\n`);
  return { certificate, key };
}

/** A new key that signs tokens of service accounts, in a folder that is made where it is missing. */
export function accountKey(folder: string): string {
  const path = join(folder, "service-accounts.key");
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  write(path, privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  return path;
}

function write(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
