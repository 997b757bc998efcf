/** TLS 1.3 has these and no weak ones: they are always on, as in the reference. */
const always = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"];

/** Suites of TLS 1.2 by the names of `--tls-cipher-suites`, with OpenSSL's. */
const secure: ReadonlyMap<string, string> = new Map([
  ["TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"],
  ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256"],
  ["TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384"],
  ["TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384"],
  ["TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"],
  ["TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305"],
]);

/** Taken when asked for: the reference does not count them as insecure. */
const onDemand: ReadonlyMap<string, string> = new Map([
  ...secure,
  ["TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305", "ECDHE-ECDSA-CHACHA20-POLY1305"],
  ["TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305", "ECDHE-RSA-CHACHA20-POLY1305"],
  ["TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "ECDHE-ECDSA-AES128-SHA"],
  ["TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", "ECDHE-ECDSA-AES256-SHA"],
  ["TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "ECDHE-RSA-AES128-SHA"],
  ["TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", "ECDHE-RSA-AES256-SHA"],
]);

/** The reference takes these with a warning; here they are refused. */
const insecure: ReadonlySet<string> = new Set([
  "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
  "TLS_ECDHE_ECDSA_WITH_RC4_128_SHA",
  "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA",
  "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256",
  "TLS_ECDHE_RSA_WITH_RC4_128_SHA",
  "TLS_RSA_WITH_3DES_EDE_CBC_SHA",
  "TLS_RSA_WITH_AES_128_CBC_SHA",
  "TLS_RSA_WITH_AES_128_CBC_SHA256",
  "TLS_RSA_WITH_AES_128_GCM_SHA256",
  "TLS_RSA_WITH_AES_256_CBC_SHA",
  "TLS_RSA_WITH_AES_256_GCM_SHA384",
  "TLS_RSA_WITH_RC4_128_SHA",
]);

export const cipherSuiteNames: readonly string[] = [...always, ...onDemand.keys()].sort();

/** The default suites: authenticated encryption with keys that are used for one connection. */
export const modernCiphers: string = [...always, ...secure.values()].join(":");

export type CipherSuites =
  | { readonly ok: true; readonly ciphers: string }
  | { readonly ok: false; readonly problem: string };

/** OpenSSL's list of `--tls-cipher-suites`; the order says what is preferred. An empty list asks for the modern ones. */
export function cipherList(names: readonly string[]): CipherSuites {
  if (names.length === 0) return { ok: true, ciphers: modernCiphers };
  const chosen: string[] = [];
  for (const name of names) {
    if (insecure.has(name)) return { ok: false, problem: `${name} is not secure` };
    const cipher = onDemand.get(name);
    if (cipher === undefined && !always.includes(name)) {
      return {
        ok: false,
        problem: `${JSON.stringify(name)} is no cipher suite; there are ${cipherSuiteNames.join(", ")}`,
      };
    }
    if (cipher !== undefined) chosen.push(cipher);
  }
  return { ok: true, ciphers: [...new Set([...always, ...chosen])].join(":") };
}
