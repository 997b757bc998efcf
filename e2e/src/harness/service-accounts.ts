import assert from "node:assert/strict";
import type { Scene } from "../suite/scene.js";
import type { Answer, Credentials, Http } from "./http.js";
import { freshNamespace } from "./manifests.js";
import { done } from "./status.js";
import { until } from "./until.js";

export interface AccountScene extends Scene {
  /** One for each gateway: none of them may go on with what another one has learnt to be over. */
  readonly gateways: readonly Http[];
}

/** A service account in a namespace of a test's own. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  readonly uid: string;
}

interface Bound {
  readonly kind: string;
  readonly name: string;
  readonly uid?: string;
  readonly apiVersion?: string;
}

export interface Wanted {
  readonly audiences?: readonly string[];
  readonly expirationSeconds?: number;
  readonly boundObjectRef?: Bound;
}

export const authentication = "/apis/authentication.k8s.io/v1";
export const issuer = "https://kubernetes.default.svc";
export const bearer = (token: string): Credentials => ({ type: "token", token });

export async function freshAccount(http: Http, name = "robot", given?: string): Promise<Account> {
  const namespace = given ?? (await freshNamespace(http));
  const collection = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  const made = await done(http.post(collection, { metadata: { name } }));
  return { namespace, name, path: `${collection}/${name}`, uid: String(made.at("metadata.uid")) };
}

export const ask = (http: Http, { path }: Pick<Account, "path">, spec: Wanted = {}): Promise<Answer> =>
  http.post(`${path}/token`, { spec });

export async function tokenOf(http: Http, account: Account, spec: Wanted = {}): Promise<string> {
  const token = (await done(ask(http, account, spec))).at("status.token");
  assert.ok(typeof token === "string" && token !== "");
  return token;
}

export const whoIs = (http: Http, token: string): Promise<Answer> =>
  http.call({ method: "POST", path: `${authentication}/selfsubjectreviews`, body: {}, as: bearer(token) });

export const review = (http: Http, token: string, audiences?: readonly string[]): Promise<Answer> =>
  http.post(`${authentication}/tokenreviews`, { spec: { token, ...(audiences === undefined ? {} : { audiences }) } });

/** What every gateway says of a token: the first calls fill whatever they remember. */
export async function onEveryGateway({ gateways }: AccountScene, token: string): Promise<readonly number[]> {
  return (await Promise.all(gateways.map((gateway) => whoIs(gateway, token)))).map(({ status }) => status);
}

/** The token is good everywhere, and soon after `end` nowhere. */
export async function endsWith(scene: AccountScene, token: string, end: () => Promise<unknown>): Promise<void> {
  assert.ok((await onEveryGateway(scene, token)).every((status) => status === 201));
  await end();
  await until("the token is refused everywhere", async () =>
    (await onEveryGateway(scene, token)).every((status) => status === 401) ? true : undefined,
  );
}

export const podSpec = (more: object = {}) => ({ containers: [{ name: "c", image: "example.com/c:1" }], ...more });

export async function freshPod(http: Http, { namespace, name }: Account, more: object = {}): Promise<Answer> {
  const spec = podSpec({ serviceAccountName: name, ...more });
  return done(http.post(`/api/v1/namespaces/${namespace}/pods`, { metadata: { name: "p" }, spec }));
}

export async function freshSecret(http: Http, { namespace }: Account): Promise<Answer> {
  return done(http.post(`/api/v1/namespaces/${namespace}/secrets`, { metadata: { name: "s" } }));
}
