import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Tls } from "../etcd/tls.js";

export interface TestCertificates {
  readonly directory: string;
  /** For a server on 127.0.0.1 that asks clients for certificates. */
  readonly server: { readonly certFile: string; readonly keyFile: string; readonly trustedCaFile: string };
  readonly client: Tls;
}

/** A new CA with a server's and a client's certificate, made by the openssl program. */
export function makeCertificates(): TestCertificates {
  const directory = mkdtempSync(join(tmpdir(), "orch-certs-"));
  const openssl = (...args: string[]): Buffer => execFileSync("openssl", args, { cwd: directory, stdio: "pipe" });
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl("req", "-x509", ...newKey, "-keyout", "ca.key", "-out", "ca.crt", "-days", "2", "-subj", "/CN=test-ca");
  const issue = (name: string, ...extensions: string[]): void => {
    const add = extensions.flatMap((extension) => ["-addext", extension]);
    const ca = ["-CA", "ca.crt", "-CAkey", "ca.key", "-days", "2"];
    openssl(
      "req",
      "-x509",
      ...newKey,
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.crt`,
      "-subj",
      `/CN=${name}`,
      ...add,
      ...ca,
    );
  };
  const leaf = "basicConstraints=critical,CA:FALSE";
  issue("server", leaf, "subjectAltName=IP:127.0.0.1,DNS:localhost", "extendedKeyUsage=serverAuth,clientAuth");
  issue("client", leaf, "extendedKeyUsage=clientAuth");
  const file = (name: string): string => join(directory, name);
  const read = (name: string): Buffer => readFileSync(file(name));
  return {
    directory,
    server: { certFile: file("server.crt"), keyFile: file("server.key"), trustedCaFile: file("ca.crt") },
    client: { ca: read("ca.crt"), cert: read("client.crt"), key: read("client.key") },
  };
}
