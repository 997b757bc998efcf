import "reflect-metadata"; // must come before the library

import { createPrivateKey, type KeyObject, randomBytes, webcrypto } from "node:crypto";
import { cryptoProvider } from "@peculiar/x509";

cryptoProvider.set(webcrypto);

/** Clocks of clients may be behind. */
export const backdatedMs = 5 * 60 * 1000;

/** A serial number in hex, positive and of full length. */
export function newSerial(): string {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  return serial.toString("hex");
}

export interface SigningKey {
  readonly key: webcrypto.CryptoKey;
  /** For signatures. */
  readonly algorithm: webcrypto.EcdsaParams | webcrypto.RsaHashedImportParams;
}

const curves: Readonly<Record<string, { readonly namedCurve: string; readonly hash: string }>> = {
  prime256v1: { namedCurve: "P-256", hash: "SHA-256" },
  secp384r1: { namedCurve: "P-384", hash: "SHA-384" },
  secp521r1: { namedCurve: "P-521", hash: "SHA-512" },
};

/** The private key of an authority, PEM: RSA, or ECDSA over a curve of NIST. @throws Error for any other */
export async function importSigningKey(pem: string): Promise<SigningKey> {
  const key = createPrivateKey(pem);
  const algorithm = algorithmOf(key);
  const der = key.export({ type: "pkcs8", format: "der" });
  return { key: await webcrypto.subtle.importKey("pkcs8", der, algorithm, false, ["sign"]), algorithm };
}

function algorithmOf(key: KeyObject) {
  if (key.asymmetricKeyType === "rsa") return { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  const curve = curves[key.asymmetricKeyDetails?.namedCurve ?? ""];
  if (key.asymmetricKeyType === "ec" && curve !== undefined) return { name: "ECDSA", ...curve };
  throw new Error("the authority's key is neither of RSA nor of ECDSA over P-256, P-384 or P-521");
}
