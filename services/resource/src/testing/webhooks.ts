import type { TestContext } from "node:test";
import { createInProcess } from "@orch/rpc/in-process.js";
import type { CallReply, CallRequest } from "@orch/rpc/messages.js";
import { admissionCall } from "@orch/rpc/methods.js";
import type { Caller } from "@orch/rpc/rpc.js";
import { type Admitted, type AdmittedOptions, admitted, clusterWide } from "./admitted.js";

export interface AskedReview {
  /** The URL of the webhook. */
  readonly url: string;
  readonly apiVersion: string;
  readonly timeoutMs: number;
  readonly request: {
    readonly uid: string;
    readonly operation: string;
    readonly [field: string]: unknown;
  };
}

/** A response without its uid, a whole review, or what the way to the webhook comes to. */
export type Reaction = (asked: AskedReview) => object | { readonly review: object } | { readonly reply: CallReply };

/** A cluster whose webhooks are a function. */
export interface Hooked extends Admitted {
  /** Everything that webhooks were asked, in order. */
  readonly asked: AskedReview[];
  react(reaction: Reaction): void;
  /** A configuration of webhooks in force, by default about everything. */
  configure(kind: "Mutating" | "Validating", name: string, webhooks: readonly object[]): Promise<void>;
}

export const everything = {
  operations: ["*"],
  apiGroups: ["*"],
  apiVersions: ["*"],
  resources: ["*/*"],
} as const;

export async function hooked(t: TestContext, options: AdmittedOptions = {}): Promise<Hooked> {
  const asked: AskedReview[] = [];
  let reaction: Reaction = () => ({ allowed: true });
  const cluster = await admitted(t, { ...options, webhooks: webhooksBy((one) => reaction(one), asked) });
  return {
    ...cluster,
    asked,
    react: (to) => {
      reaction = to;
    },
    async configure(kind, name, webhooks) {
      const resource = `${kind.toLowerCase()}webhookconfigurations`;
      await cluster.make(clusterWide(resource, cluster.naming.group("admissionregistration")), {
        metadata: { name },
        webhooks: webhooks.map((webhook, i) => ({
          name: `${name}-${i}.example.com`,
          clientConfig: { url: `https://webhook.example.com/${name}-${i}` },
          rules: [everything],
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          ...webhook,
        })),
      });
      await cluster.settled();
    },
  };
}

function webhooksBy(react: Reaction, asked: AskedReview[]): Pick<Caller, "call"> {
  const { services, caller } = createInProcess();
  services.unary(admissionCall, ({ client, body, timeoutMs }: CallRequest): CallReply => {
    const { kind, apiVersion, request } = JSON.parse(body.toString());
    const one = { url: JSON.parse(client).url, apiVersion, timeoutMs, request };
    asked.push(one);
    const said = react(one);
    if ("reply" in said) return said.reply;
    const review = "review" in said ? said.review : { kind, apiVersion, response: { uid: request.uid, ...said } };
    return { type: "answered", body: Buffer.from(JSON.stringify(review)) };
  });
  return caller;
}
