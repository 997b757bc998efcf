import type { WriteReply } from "@orch/rpc/messages.js";
import { formatMs } from "@orch/schema/formats/duration.js";
import { qualifiedName } from "@orch/schema/formats/names.js";
import { ApiError } from "@orch/status/api-error.js";
import type { AuditAnnotation } from "./advice.js";
import { rendererOf } from "./reply.js";
import type { Write } from "./write.js";

/** Keeps annotations, the first of a key; those whose keys are no names are left out, as the reference does. */
export function note({ notes }: Pick<Write, "notes">, annotations: readonly AuditAnnotation[]): void {
  if (notes === undefined) return;
  for (const { key, value } of annotations) {
    if (!notes.noted.has(key) && qualifiedName(key).length === 0) notes.noted.set(key, value);
  }
}

/** Performs a write; what was noted of it goes along with the reply, and with a refusal. */
export async function withNotes(write: Write, perform: (write: Write) => Promise<WriteReply>): Promise<WriteReply> {
  const { audit } = write.request;
  if (audit === undefined) return perform(write);
  const noted = new Map<string, string>();
  const annotations = (): Pick<WriteReply, "annotations"> => {
    const all = [...noted, ...waits(write)];
    return all.length === 0 ? {} : { annotations: Object.fromEntries(all) };
  };
  try {
    const reply = await perform({ ...write, notes: { noted, patches: audit === "patches" } });
    return { ...reply, ...annotations() };
  } catch (error) {
    // What tells when to come again has headers that the gateway makes of an error.
    if (!(error instanceof ApiError) || error.details?.retryAfterSeconds !== undefined) throw error;
    const told = annotations();
    if (told.annotations === undefined) throw error;
    const body = rendererOf(write).status({ ...error.toStatus() });
    return { code: error.code, body, warnings: error.warnings, ...told };
  }
}

/** How long webhooks were waited for. The event says so of a slow request only, which whoever makes it knows. */
function waits({ waited, deps: { naming } }: Write): readonly (readonly [key: string, value: string])[] {
  const { mutatingMs = 0, validatingMs = 0 } = waited ?? {};
  const parts = [
    ["mutating-webhook", mutatingMs],
    ["validating-webhook", validatingMs],
  ] as const;
  return parts.flatMap(([part, ms]) => (ms === 0 ? [] : [[naming.latencyKey(part), formatMs(ms)] as const]));
}
