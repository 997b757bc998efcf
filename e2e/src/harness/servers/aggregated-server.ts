import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { issueAuthority, issueClient, issueServing } from "@orch/pki/certificates.js";

/** The certificates by which a gateway and the servers behind it know each other, in files. */
export interface AggregationFiles {
  readonly folder: string;
  /** PEM of who signs the servers' certificates. */
  readonly ca: string;
  readonly servingCert: string;
  readonly servingKey: string;
  /** Of a gateway. */
  readonly args: readonly string[];
  remove(): Promise<void>;
}

/** `names`: of the servers, `<service>.<namespace>.svc`. */
export async function aggregationFiles(names: readonly string[]): Promise<AggregationFiles> {
  const folder = await mkdtemp(join(tmpdir(), "orch-aggregated-"));
  const now = Date.now();
  const servers = await issueAuthority("servers", now);
  const proxies = await issueAuthority("front proxies", now);
  const serving = await issueServing(servers, names, now);
  const client = await issueClient(proxies, { name: "aggregator" }, now);
  const file = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  };
  const servingCert = await file("serving.crt", serving.certificate);
  const servingKey = await file("serving.key", serving.key);
  return {
    ...{ folder, ca: servers.certificate, servingCert, servingKey },
    args: [
      "--secure-port=0",
      `--requestheader-client-ca-file=${await file("proxies.crt", proxies.certificate)}`,
      "--requestheader-allowed-names=aggregator",
      "--requestheader-username-headers=X-Remote-User",
      "--requestheader-group-headers=X-Remote-Group",
      "--requestheader-extra-headers-prefix=X-Remote-Extra-",
      `--proxy-client-cert-file=${await file("aggregator.crt", client.certificate)}`,
      `--proxy-client-key-file=${await file("aggregator.key", client.key)}`,
    ],
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
