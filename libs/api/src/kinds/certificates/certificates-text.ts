import { X509Certificate } from "node:crypto";
import { pemBlocks } from "./pem.js";

/** The certificate in these bytes; undefined where they are none. */
export function parseCertificate(bytes: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(bytes);
  } catch {
    return undefined;
  }
}

/** The first thing wrong with an issued chain of certificates. */
export function certificateProblems(pem: string): readonly string[] {
  const blocks = pemBlocks(pem);
  for (const { type, hasHeaders, bytes } of blocks) {
    if (type !== "CERTIFICATE") {
      return [`only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`];
    }
    if (hasHeaders) return ["no PEM block headers are permitted"];
    if (parseCertificate(bytes) === undefined) return ["x509: malformed certificate"];
  }
  return blocks.length === 0 ? ["must contain at least one CERTIFICATE PEM block"] : [];
}
