import type { Naming } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import { readJson } from "@orch/status/read-json.js";
import type { Client } from "../client.js";
import { isRecord, pathOf } from "../objects.js";
import { bearer, type CredentialSource, type Obtained, renewedCredentials } from "./credentials.js";
import { isToken, timeOf } from "./exec-plugin.js";

export interface ServiceAccountOptions {
  /** Who may ask for tokens of the account, and create it. */
  readonly client: Pick<Client, "raw" | "create">;
  readonly naming: Naming;
  readonly namespace: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** For whom the tokens are meant; the server itself where absent. */
  readonly audiences?: readonly string[];
  /** Of a token's life; an hour where absent. The server may give another. */
  readonly seconds?: number;
}

/** Of a token's life, after which another is asked for. */
const renewAfter = 0.8;

/** Tokens of a service account, asked for with TokenRequest; the account is created when it is not there. */
export function serviceAccountCredentials(options: ServiceAccountOptions): CredentialSource {
  const { client, naming, namespace, name, now, audiences, seconds = 3600 } = options;
  const accounts = { group: "", version: "v1", resource: "serviceaccounts", namespace };
  const spec = { expirationSeconds: seconds, ...(audiences === undefined ? {} : { audiences }) };
  const body = JSON.stringify({ apiVersion: `${naming.group("authentication")}/v1`, kind: "TokenRequest", spec });
  const ask = () => client.raw({ method: "POST", path: pathOf(accounts, name, "token"), body });
  const obtain = async (): Promise<Obtained> => {
    const asked = now();
    const answer = await ask().catch(async (error: unknown) => {
      if (!isReason(error, "NotFound")) throw error;
      await client.create(accounts, { metadata: { name, namespace } }).catch((problem: unknown) => {
        if (!isReason(problem, "AlreadyExists")) throw problem;
      });
      return await ask();
    });
    return obtainedOf(answer.body, asked);
  };
  return renewedCredentials({ obtain, now });
}

const isReason = (error: unknown, reason: ApiError["reason"]): boolean =>
  error instanceof ApiError && error.reason === reason;

/** The errors do not quote the answer: there may be a token in it. */
function obtainedOf(body: Buffer, asked: number): Obtained {
  const status = statusOf(body);
  const token = status["token"];
  const expiry = status["expirationTimestamp"];
  if (typeof token !== "string" || token === "" || !isToken(token)) throw new Error("the answer holds no token");
  const expiresAt = typeof expiry === "string" ? timeOf(expiry) : undefined;
  if (expiresAt === undefined) throw new Error("the answer does not say when the token expires");
  return {
    credentials: { authorization: bearer(token) },
    renewAt: asked + (expiresAt - asked) * renewAfter,
    expiresAt,
  };
}

function statusOf(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const answer: unknown = readJson(body.toString("utf8"));
    if (isRecord(answer) && isRecord(answer["status"])) return answer["status"];
  } catch {
    // told below
  }
  throw new Error("the answer is no TokenRequest");
}
