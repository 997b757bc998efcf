import { createHash, X509Certificate } from "node:crypto";
import type { Naming } from "@orch/naming/naming.js";

/** `sha256:` and the hash of a certificate's public key, in hex: by which a machine that joins knows the authority. */
export const publicKeyPin = (pem: string): string => {
  const der = new X509Certificate(pem).publicKey.export({ type: "spki", format: "der" });
  return `sha256:${createHash("sha256").update(der).digest("hex")}`;
};

export interface JoinText {
  /** `https://host:port` */
  readonly server: string;
  readonly token: string;
  /** PEM of the authority. */
  readonly ca: string;
  /** For one more machine of the control plane. */
  readonly certificateKey?: string;
  readonly isControlPlane?: boolean;
}

/** The command that has another machine join, for copying. */
export function joinCommand(
  { server, token, ca, certificateKey, isControlPlane = false }: JoinText,
  naming: Naming,
): string {
  const lines = [
    `orchadm join ${server.replace("https://", "")} --token ${token}`,
    `--discovery-token-ca-cert-hash ${publicKeyPin(ca)}`,
    ...(naming.dialect === "orch" ? [] : [`--api-dialect ${naming.dialect}`]),
    ...(isControlPlane
      ? [`--control-plane${certificateKey === undefined ? "" : ` --certificate-key ${certificateKey}`}`]
      : []),
  ];
  return lines.join(" \\\n\t");
}
