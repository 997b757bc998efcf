import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { issueAuthority, issueService } from "@orch/pki/certificates.js";
import type { KeyPair } from "@orch/pki/key-pair.js";
import { serviceIdentity } from "@orch/runtime/service-identity.js";
import type { TlsIdentity } from "@orch/runtime/tls-files.js";
import { writePrivateFile } from "@orch/service-standalone/pki/private-file.js";

/** Who one is among the services of a cluster. */
export interface ServiceFiles {
  readonly identity: TlsIdentity;
  /** Flags that name the files with it. */
  readonly flags: readonly string[];
}

export interface LocalServices {
  readonly resource: ServiceFiles;
  readonly watchCache: ServiceFiles;
  readonly gateway: ServiceFiles;
  readonly controllerManager: ServiceFiles;
  readonly admission: ServiceFiles;
  readonly kms: ServiceFiles;
  readonly audit: ServiceFiles;
  /** Of whoever reads the metrics of the others. */
  readonly monitoring: ServiceFiles;
  /** Signs them all; it is on no disk. */
  readonly authority: KeyPair;
}

export const trustDomain = "cluster.local";

/**
 * An authority for services alone and a certificate for each, below `<dataDir>/pki/services`. They are made anew at each
 * start, when no service runs that could still trust the one before.
 */
export async function issueServiceFiles(dataDir: string, now: number): Promise<LocalServices> {
  const folder = join(dataDir, "pki", "services");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const authority = await issueAuthority("services-ca", now);
  const ca = join(folder, "ca.crt");
  await writePrivateFile(ca, authority.certificate);
  const issued = async (name: string): Promise<ServiceFiles> => {
    const pair = await issueService(authority, { name, uri: serviceIdentity(trustDomain, name) }, now);
    const path = join(folder, name);
    await writePrivateFile(`${path}.key`, pair.key);
    await writePrivateFile(`${path}.crt`, pair.certificate);
    return {
      identity: { ca: authority.certificate, cert: pair.certificate, key: pair.key },
      flags: [`--rpc-ca-file=${ca}`, `--rpc-cert-file=${path}.crt`, `--rpc-key-file=${path}.key`],
    };
  };
  const [resource, watchCache, gateway, controllerManager, admission, audit, kms, monitoring] = await Promise.all([
    issued("resource"),
    issued("watch-cache"),
    issued("gateway"),
    issued("controller-manager"),
    issued("admission"),
    issued("audit"),
    issued("kms"),
    issued("monitoring"),
  ]);
  return { resource, watchCache, gateway, controllerManager, admission, audit, kms, monitoring, authority };
}
