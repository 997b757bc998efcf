import type { Naming } from "@orch/naming/naming.js";
import { type CallerDeps, createOutboundCaller, type Question } from "@orch/outbound/caller.js";
import { createDestinations } from "@orch/outbound/destinations.js";
import { CallError } from "@orch/outbound/failure.js";
import type { CallReply, CallRequest, StatusReply } from "@orch/rpc/messages.js";
import { admissionCall, admissionStatus } from "@orch/rpc/methods.js";
import type { Services } from "@orch/rpc/rpc.js";
import { unavailable } from "@orch/status/api-error.js";
import { type Span, traceHeaders } from "@orch/status/span.js";
import type { Backends } from "./backends.js";
import type { CallMetrics } from "./metrics.js";

export interface AdmissionDeps {
  readonly naming: Naming;
  readonly services: Services;
  readonly connections: Omit<CallerDeps, "userAgent"> & { readonly backends: Backends };
  readonly metrics: CallMetrics;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

export interface Admission {
  /** Ends what is under way. */
  stop(): Promise<void>;
}

/**
 * The longest answers. The reference's client reads whatever comes; here one webhook must not fill the memory of all. A page of
 * converted objects is as long as the question, and they may have grown. A patch makes at most an object of 3 MiB, which is
 * 4 MiB in Base64. Who decides about images says yes or no, and a few words.
 */
const maxAnswerBytes: Readonly<Record<CallRequest["purpose"], number>> = {
  conversion: 16 << 20,
  mutating: 8 << 20,
  validating: 1 << 20,
  image: 1 << 20,
};

/** Makes the calls to webhooks that users run: it holds connections to them, and nothing of any request. */
export function createAdmission({ naming, services, connections, metrics, now }: AdmissionDeps): Admission {
  const userAgent = naming.systemName("apiserver-admission");
  const caller = createOutboundCaller({ ...connections, userAgent });
  const nothing: Question["credentialsOf"] = () => ({});

  const destinationFor = createDestinations();

  const questionOf = ({ purpose, client, body, timeoutMs }: CallRequest, span: Span | undefined): Question => {
    const shared = { body, timeoutMs, maxAnswerBytes: maxAnswerBytes[purpose], headers: traceHeaders(span) };
    const { backends } = connections;
    if (purpose === "image") {
      if (backends.image === undefined) throw unavailable("no backend that decides about images is configured");
      return { ...shared, ...backends.image, tellTimeout: false };
    }
    const credentialsOf = (purpose === "conversion" ? undefined : backends[purpose]) ?? nothing;
    return { ...shared, to: destinationFor(client), credentialsOf, tellTimeout: true };
  };

  const call = async (request: CallRequest, span: Span | undefined): Promise<CallReply> => {
    const question = questionOf(request, span);
    try {
      return { type: "answered", body: await caller.post(question) };
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      const { failure, message, status = 0 } = error;
      return { type: "failed", failure, message, status };
    }
  };

  services.unary(admissionCall, async (request, { span }) => {
    const since = now();
    metrics.begun(request.purpose);
    try {
      const reply = await call(request, span);
      metrics.ended(request.purpose, reply.type === "answered" ? "success" : reply.failure, (now() - since) / 1000);
      return reply;
    } catch (error) {
      metrics.ended(request.purpose, "error", (now() - since) / 1000);
      throw error;
    }
  });
  services.unary(admissionStatus, (): StatusReply => ({ ready: true, revision: 0, message: "", unfinished: [] }));
  return { stop: () => caller.close() };
}
