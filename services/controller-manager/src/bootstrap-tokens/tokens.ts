import { createHmac } from "node:crypto";
import type { ApiObject } from "@orch/client/objects.js";

/** A token by which machines join, as its Secret has it. */
export interface BootstrapToken extends ApiObject {
  /** Texts of its data, decoded. */
  readonly data: Readonly<Record<string, string>>;
}

/** For `keep` of a view of Secrets of the type. */
export function tokenOf({
  metadata,
  data,
}: ApiObject & { readonly data?: Readonly<Record<string, string>> }): BootstrapToken {
  const { name = "", namespace = "", uid = "", resourceVersion = "" } = metadata;
  const texts = Object.entries(data ?? {}).map(([key, text]) => [key, Buffer.from(text, "base64").toString("utf8")]);
  return { metadata: { name, namespace, uid, resourceVersion }, data: Object.fromEntries(texts) };
}

const timeShape = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Milliseconds until it is over, 0 or less once it is; undefined where it has no end. One that cannot be read is over. */
export function leftOf({ data }: BootstrapToken, now: number): number | undefined {
  const { expiration = "" } = data;
  if (expiration === "") return undefined;
  const end = timeShape.test(expiration) ? Date.parse(expiration) : Number.NaN;
  return Number.isNaN(end) ? 0 : end - now;
}

const signaturePrefix = "jws-kubeconfig-";

/** The data of the object that says how the cluster is reached, signed by each token that may. `now`: since 1970. */
export function signedData(
  data: Readonly<Record<string, string>>,
  tokens: Iterable<BootstrapToken>,
  { now, content }: { readonly now: number; readonly content: string },
): Readonly<Record<string, string>> {
  const others = Object.entries(data).filter(([key]) => !key.startsWith(signaturePrefix));
  const text = data[content];
  if (text === undefined) return Object.fromEntries(others);
  const signatures = [...tokens].flatMap((token): readonly (readonly [string, string])[] => {
    const { "token-id": id = "", "token-secret": secret = "", "usage-bootstrap-signing": signs } = token.data;
    const left = leftOf(token, now);
    const is = signs === "true" && id !== "" && secret !== "" && token.metadata.name === `bootstrap-token-${id}`;
    return is && (left === undefined || left > 0)
      ? [[`${signaturePrefix}${id}`, detachedSignature(text, id, secret)]]
      : [];
  });
  return Object.fromEntries([...others, ...signatures]);
}

/** A JWS (RFC 7515, HS256) of the content without the content. */
export function detachedSignature(content: string, id: string, secret: string): string {
  const header = Buffer.from(JSON.stringify({ alg: "HS256", kid: id })).toString("base64url");
  const body = Buffer.from(content).toString("base64url");
  const signature = createHmac("sha256", secret).update(`${header}.${body}`).digest("base64url");
  return `${header}..${signature}`;
}
