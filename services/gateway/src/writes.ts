import type { UserInfo } from "@orch/auth/user.js";
import type { WriteExplain, WriteVerb } from "@orch/rpc/messages.js";
import { resourceWrite } from "@orch/rpc/methods.js";
import type { NoteWork } from "@orch/rpc/note-work.js";
import type { Caller } from "@orch/rpc/rpc.js";
import type { Span } from "@orch/status/span.js";
import type { Target } from "@orch/status/target.js";
import type { CallAudit } from "./audit/call-audit.js";
import type { Seats, WriteObserver } from "./flow/seats.js";
import type { Exchange } from "./http/exchange.js";
import { warningHeaders } from "./http/warning-headers.js";
import { formOf, type Representation } from "./representation.js";
import type { Responder } from "./respond.js";
import { timeLimitOf } from "./time-limit.js";

export interface WriteDeps {
  readonly respond: Responder;
  readonly resources: (group: string) => Caller;
  readonly requestTimeoutMs: number;
  readonly noteWork?: NoteWork | undefined;
}

export interface Write extends Exchange {
  readonly target: Target;
  readonly representation: Representation;
  /** Warnings that the answer carries besides the service's own. */
  readonly warnings: readonly string[];
  readonly verb: WriteVerb;
  readonly user: UserInfo;
  /** Of flow control. */
  readonly observer?: WriteObserver | undefined;
  /** Given back early where the write waits for others. */
  readonly seats?: Pick<Seats, "release"> | undefined;
  /** Of the handler, where the request is traced. */
  readonly span?: Span | undefined;
  /** What is recorded of it; absent where nothing is. */
  readonly audit?: CallAudit | undefined;
  /** Set where the answer is to explain the write. */
  readonly explain?: WriteExplain | undefined;
}

/** A request body over this is refused before it is parsed. */
export const maxBodyBytes = 3 * 1024 * 1024;

/** Sends a write to the group's resource service, with its body as it came. */
export async function serveWrite(deps: WriteDeps, write: Write): Promise<void> {
  const { request, response, target } = write;
  const body = await request.body(maxBodyBytes);
  write.span?.event("limitedReadBody succeeded", { len: body.length });
  write.audit?.sent(body);
  deps.noteWork?.(write.verb, target, body.length);
  write.observer?.began();
  const wanted = {
    verb: write.verb,
    ...target,
    body,
    contentType: request.header("content-type") ?? "",
    options: optionsOf(request.query),
    form: formOf(write.representation, request, write.verb === "deletecollection" ? "list" : write.verb),
    user: write.user,
    userAgent: request.header("user-agent") ?? "",
    ifMatch: request.header("if-match") ?? "",
    auditId: request.id,
    audit: write.audit?.wanted,
    explain: write.explain,
  };
  let answered = 0;
  try {
    const options = { deadlineMs: timeLimitOf(request.query, deps.requestTimeoutMs), span: write.span };
    const { staging } = request.peer;
    const reply = await (staging === undefined
      ? deps.resources(target.group).call(resourceWrite, wanted, options)
      : staging.write(wanted, { ...options, onStaged: () => write.seats?.release() }));
    answered = reply.body.length;
    response.waitedMs += reply.waitedMs ?? 0;
    if (reply.annotations !== undefined) write.audit?.annotate(Object.entries(reply.annotations));
    const headers = warningHeaders([...write.warnings, ...reply.warnings]);
    await deps.respond.document(response, write.representation, { code: reply.code, body: reply.body, headers });
  } finally {
    write.observer?.ended(body.length, answered);
  }
}

/**
 * The query's options. The first of repeated ones counts, except for `dryRun`, whose values are joined, one a line. `dryRun`
 * is kept even if its value is invalid: a request that was meant as a trial must not become a write.
 */
export function optionsOf(query: URLSearchParams | undefined): Readonly<Record<string, string>> {
  if (query === undefined) return {};
  const first = [...query].reverse();
  return Object.fromEntries(query.has("dryRun") ? [...first, ["dryRun", query.getAll("dryRun").join("\n")]] : first);
}
