import { listAt, numberAt, textAt } from "../json.js";

/** What went wrong with a request: the server's own words, or why there are none. */
export class Failure extends Error {
  /** Of HTTP; 0 where no answer came. */
  readonly status: number;
  /** `NotFound`, `Forbidden`…; `""` where the server gave none. */
  readonly reason: string;
  /** What is wrong with single fields. */
  readonly causes: readonly FieldCause[];

  constructor(status: number, message: string, more: { reason?: string; causes?: readonly FieldCause[] } = {}) {
    super(message);
    this.status = status;
    this.reason = more.reason ?? "";
    this.causes = more.causes ?? [];
  }
}

export interface FieldCause {
  readonly field: string;
  readonly message: string;
}

/** Of a document of kind Status, or of whatever else came. */
export function failureOf(status: number, document: unknown): Failure {
  const causes = listAt(document, "details", "causes").map((cause) => ({
    field: textAt(cause, "field"),
    message: textAt(cause, "message"),
  }));
  const code = numberAt(document, "code") ?? status;
  return new Failure(code, textAt(document, "message") || `the server answered ${status}`, {
    ...{ reason: textAt(document, "reason"), causes },
  });
}

export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure(0, error instanceof Error ? error.message : String(error));
}

/** What whoever reads it can do about it. */
export function adviceOf({ status, reason }: Failure): string {
  if (status === 0)
    return "Look whether the server runs and this machine reaches it. Where the console shows what is live it goes on trying.";
  if (status === 401) return "Sign in again.";
  if (status === 403)
    return "Your user lacks this right. Who gives rights away is told by “Who can”; a namespace of your own may work.";
  if (status === 404) return "It may have been deleted: look among the deleted objects.";
  if (status === 409 && reason === "AlreadyExists") return "An object of this name is there already.";
  if (status === 409) return "Somebody changed the object meanwhile. Take over their state and make your change again.";
  if (status === 410) return "That state is not kept any more.";
  if (status === 422) return "Mend the fields below and try again.";
  if (status === 429) return "The server is busy. Try again in a moment.";
  if (status >= 500) return "The server met an error of its own; its log says more.";
  return "";
}
