import assert from "node:assert/strict";
import { createNaming } from "@orch/naming/naming.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { type TestGateway, type TestGatewayOptions, testGateway } from "./gateway.js";

const naming = createNaming("kubernetes");
export const paths = {
  tokens: "/apis/authentication.k8s.io/v1/tokenreviews",
  self: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
  access: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
  ownAccess: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
  localAccess: "/apis/authorization.k8s.io/v1/namespaces/n/localsubjectaccessreviews",
  ownRules: "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
} as const;

export const bob = { name: "bob", uid: "7", groups: ["devs", "all"], extra: { scopes: ["a", "b"] } };
export const shownBob = { username: "bob", uid: "7", groups: ["devs", "all"], extra: { scopes: ["a", "b"] } };

export interface Reply {
  readonly code: number;
  readonly warnings: readonly string[];
  readonly body: JsonObject;
}

export async function post(gateway: TestGateway, target: string, body: object | string): Promise<Reply> {
  const answer = await gateway.ask({
    method: "POST",
    target,
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const { code, header } = answer;
  return { code, warnings: header("warning"), body: gateway.reader.body("json", answer.body) };
}

/** Of the Kubernetes dialect; everybody is bob. */
export function start(options: TestGatewayOptions = {}): TestGateway {
  return testGateway({ naming, user: bob, ...options });
}

export async function statusOf(gateway: TestGateway, target: string, body: object): Promise<unknown> {
  const reply = await post(gateway, target, body);
  assert.equal(reply.code, 201, JSON.stringify(reply.body));
  return reply.body["status"];
}
