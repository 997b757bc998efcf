import { issueAuthority, issueServing } from "@orch/pki/certificates.js";
import type { KeyPair } from "@orch/pki/key-pair.js";
import type { AgentFlags } from "../simulator.js";
import type { AgentConfig } from "./agent.js";

export interface AgentParts {
  /** A file's text; its error says why there is none. */
  readonly read: (path: string) => string;
  /** By which clients are known where no flag names one. PEM. */
  readonly clientCa: string;
  /** Vouches for the agent where no flag names a certificate; it vouches for itself where there is none. */
  readonly authority?: KeyPair | undefined;
  readonly now: number;
}

/** The agent as flags have it, with what they leave open. @throws Error for a file that cannot be read */
export async function agentConfig(
  { address, port, certFile, keyFile, clientCaFile }: AgentFlags,
  { read, clientCa, authority, now }: AgentParts,
): Promise<AgentConfig> {
  const at = { address, port, clientCa: clientCaFile === "" ? clientCa : read(clientCaFile) };
  if (certFile !== "") return { ...at, cert: read(certFile), key: read(keyFile) };
  const issuer = authority ?? (await issueAuthority("simulated-nodes", now));
  const { certificate: cert, key } = await issueServing(issuer, [address], now);
  return { ...at, cert, key };
}
