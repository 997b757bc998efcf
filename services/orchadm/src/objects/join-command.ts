import type { Naming } from "@orch/naming/naming.js";
import { pinOf } from "../discovery/pins.js";

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
    `--discovery-token-ca-cert-hash ${pinOf(ca)}`,
    ...(naming.dialect === "orch" ? [] : [`--api-dialect ${naming.dialect}`]),
    ...(isControlPlane
      ? [`--control-plane${certificateKey === undefined ? "" : ` --certificate-key ${certificateKey}`}`]
      : []),
  ];
  return lines.join(" \\\n\t");
}
