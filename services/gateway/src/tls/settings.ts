import { createSecureContext } from "node:tls";
import { type CertificateBundle, certificateBundle } from "@orch/auth/client-certificate.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import { type ReloadDeps, type Reloaded, reloadedFiles } from "@orch/runtime/tls-files.js";
import { messageOf } from "@orch/status/message-of.js";
import { cipherList } from "./cipher-suites.js";
import type { NamedFiles, TlsFlagValues } from "./flags.js";
import type { NamedPair, TlsMaterial, TlsSource } from "./material.js";

/** What the files that {@link tlsFlags} name hold now, and from a second after each change on. */
export interface TlsFiles extends TlsSource {
  /** Of `--client-ca-file`: for the authenticator of client certificates. Empty without the flag. */
  readonly clientAuthorities: CertificateBundle;
  /** Of `--requestheader-client-ca-file`: for the authenticator of front proxies. Empty without the flag. */
  readonly proxyAuthorities: CertificateBundle;
  stop(): void;
}

export interface TlsFilesDeps extends Omit<ReloadDeps, "counted"> {
  readonly metrics: Pick<Metrics, "counter">;
  /** Ends the start with a sentence about wrong flags or files. */
  readonly refuse: (problem: string) => never;
}

type Files = Pick<
  TlsFlagValues,
  | "tls-cert-file"
  | "tls-private-key-file"
  | "tls-sni-cert-key"
  | "tls-min-version"
  | "tls-cipher-suites"
  | "client-ca-file"
  | "requestheader-client-ca-file"
>;

interface Authorities {
  readonly pem: string | undefined;
  readonly bundle: CertificateBundle;
}

const minVersions = { VersionTLS12: "TLSv1.2", VersionTLS13: "TLSv1.3" } as const;
const nobody: Authorities = { pem: undefined, bundle: { has: () => false } };

/**
 * Reads the files and follows them, each on its own: a broken one keeps what it held and does not hold up the others.
 * Connections that are there stay; whoever they were let in by, each request asks the authorities anew.
 */
export async function createTlsFiles(values: Files, deps: TlsFilesDeps): Promise<TlsFiles> {
  const { metrics, refuse } = deps;
  const suites = cipherList(values["tls-cipher-suites"]);
  if (!suites.ok) return refuse(`--tls-cipher-suites: ${suites.problem}`);
  for (const flag of ["tls-cert-file", "tls-private-key-file"] as const) {
    if (values[flag] === "") return refuse(`--${flag} is needed`);
  }
  const reloads = metrics.counter({
    name: "apiserver_tls_reloads_total",
    help: "Changes of the files of certificates, by what they are for and whether they are in force.",
    stability: "ALPHA",
    labels: ["files", "result"],
  });
  const follow = <T>(
    flag: string,
    paths: readonly string[],
    make: (texts: readonly string[]) => T,
  ): Promise<Reloaded<T>> =>
    reloadedFiles({ ...deps, paths, make, counted: (result) => reloads.with({ files: flag, result }).inc() }).catch(
      (error: unknown) => refuse(`--${flag}: ${messageOf(error)}`),
    );
  const bundleOf = async (flag: "client-ca-file" | "requestheader-client-ca-file"): Promise<Reloaded<Authorities>> =>
    values[flag] === "" ? fixed(nobody) : await follow(flag, [values[flag]], authorities);

  const main = await follow("tls-cert-file", [values["tls-cert-file"], values["tls-private-key-file"]], pair);
  const named = await Promise.all(
    values["tls-sni-cert-key"].map(({ cert, key, names }: NamedFiles) =>
      follow("tls-sni-cert-key", [cert, key], (texts): NamedPair => ({ ...pair(texts), names })),
    ),
  );
  const clients = await bundleOf("client-ca-file");
  const proxies = await bundleOf("requestheader-client-ca-file");
  const parts = [main, ...named, clients, proxies];
  const compose = (): TlsMaterial => ({
    ...main.current(),
    clientCa: clients.current().pem,
    proxyCa: proxies.current().pem,
    named: named.map((one) => one.current()),
    minVersion: minVersions[values["tls-min-version"]],
    ciphers: suites.ciphers,
  });
  return {
    current: compose,
    onChange: (run) => {
      for (const part of parts) part.onChange(run);
    },
    clientAuthorities: { has: (fingerprint) => clients.current().bundle.has(fingerprint) },
    proxyAuthorities: { has: (fingerprint) => proxies.current().bundle.has(fingerprint) },
    stop: () => {
      for (const part of parts) part.stop();
    },
  };
}

const fixed = <T>(value: T): Reloaded<T> => ({ current: () => value, onChange: () => () => {}, stop: () => {} });

function pair([cert = "", key = ""]: readonly string[]): { readonly cert: string; readonly key: string } {
  createSecureContext({ cert, key });
  return { cert, key };
}

function authorities([pem = ""]: readonly string[]): Authorities {
  const bundle = certificateBundle(pem);
  if (!bundle.ok) throw new Error(bundle.problems.join("; "));
  return { pem, bundle: bundle.value };
}
