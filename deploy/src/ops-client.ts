import { type RequestOptions, request } from "node:https";
import { identityOf } from "@orch/runtime/service-identity.js";
import type { TlsIdentity } from "@orch/runtime/tls-files.js";

export interface OpsAnswer {
  readonly status: number;
  readonly text: string;
}

/** Asks a service for health or metrics; as nobody without a certificate. @throws Error where there is no answer */
export function askOps(
  address: string,
  path: string,
  { ca, cert, key }: Pick<TlsIdentity, "ca"> & Partial<TlsIdentity>,
): Promise<OpsAnswer> {
  const options: RequestOptions = {
    ca,
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    agent: false,
    // A service is known by its identity, not by where it runs.
    checkServerIdentity: (_host, certificate) =>
      identityOf(certificate) === undefined ? new Error(`${address} is no service`) : undefined,
  };
  return new Promise((resolve, reject) => {
    const sent = request(`https://${address}${path}`, options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      response.on("error", reject);
    });
    sent.on("error", reject).end();
  });
}
