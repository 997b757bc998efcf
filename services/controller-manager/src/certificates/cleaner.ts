import { X509Certificate } from "node:crypto";
import { listAll } from "@orch/client/list-all.js";
import type { ApiObject } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import { pause } from "@orch/client/pause.js";
import type { Controller } from "../controller.js";
import { type ControllerTools, failureTeller } from "../tools.js";
import { type SigningRequestView, signingRequests, viewOf } from "./signing-request.js";

const name = "certificatesigningrequest-cleaner-controller";
const hourMs = 3_600_000;
const betweenMs = hourMs;
const afterFailureMs = 60_000;
/** How long requests are kept: after their certificate was issued, they were denied or failed, or were never decided. */
const keptMs = { issued: hourMs, denied: hourMs, failed: hourMs, pending: 24 * hourMs };

/** Deletes requests for certificates that nobody needs any more, each hour. */
export function createCleaner(tools: ControllerTools): Controller {
  const failed = failureTeller(tools, name);
  return {
    async run(signal) {
      while (!signal.aborted) {
        const next = await clean(tools, signal).then(
          () => betweenMs,
          (error: unknown) => {
            if (!signal.aborted) failed(error);
            return afterFailureMs;
          },
        );
        await pause(next, { clock: tools.clock, signal });
      }
    },
  };
}

async function clean(
  { client, naming, clock }: Pick<ControllerTools, "client" | "naming" | "clock">,
  signal: AbortSignal,
): Promise<void> {
  const requests = signingRequests(naming);
  const { items } = await listAll(client, requests, { signal });
  for (const object of items) {
    if (!isOver(object, clock.now())) continue;
    const { name: request = "", uid = "", resourceVersion = "" } = object.metadata;
    // Whoever changed it meanwhile has a reason: it is looked at again in an hour.
    await client.delete(requests, request, { preconditions: { uid, resourceVersion }, signal }).catch(unlessPast);
  }
}

/** Whether a request has been there long enough. `now` in milliseconds since 1970. */
export function isOver(object: ApiObject, now: number): boolean {
  const view = viewOf(object);
  const { conditions, certificate } = view;
  const isOlder = (type: string, ms: number): boolean =>
    conditions.some((c) => c.type === type && now - c.lastUpdate > ms);
  const isIssued = certificate !== "";
  if (isIssued && isOlder("Approved", keptMs.issued)) return true;
  if (isOlder("Denied", keptMs.denied) || isOlder("Failed", keptMs.failed)) return true;
  const created = Date.parse(String(object.metadata["creationTimestamp"]));
  if (conditions.length === 0 && now - created > keptMs.pending) return true;
  return conditions.some((c) => c.type === "Approved") && hasExpired(view, now);
}

function hasExpired({ certificate }: SigningRequestView, now: number): boolean {
  try {
    return now > Date.parse(new X509Certificate(certificate).validTo);
  } catch {
    return false; // none is issued, or another signer's that is no certificate
  }
}
