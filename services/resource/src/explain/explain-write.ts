import type { Convert } from "@orch/api/custom/convert.js";
import { dryRunOf } from "@orch/render/write-options.js";
import type { WriteExplain, WriteReply } from "@orch/rpc/messages.js";
import { isObject } from "@orch/schema/descriptor.js";
import { ApiError, badRequest } from "@orch/status/api-error.js";
import { readJson } from "@orch/status/read-json.js";
import type { Write } from "../write/write.js";
import { explanationOf, type Outcome } from "./document.js";
import { createExplaining, type Explaining } from "./explaining.js";

/**
 * Answers what a write would come to, stage by stage, and who would have changed, allowed or refused it. What the write is refused
 * for is a part of the answer. @throws ApiError BadRequest for what is no dry run, or goes through no stages
 */
export async function explainWrite(
  write: Write,
  asked: WriteExplain,
  perform: (write: Write) => Promise<WriteReply>,
): Promise<WriteReply> {
  if (!dryRunOf(write.request.options).includes("All"))
    throw badRequest("explain is only possible together with dryRun=All");
  if (!hasStages(write)) throw badRequest("explain is for objects that are created, updated, patched or applied");
  const explaining = createExplaining();
  explaining.enter("read");
  const { deps, request } = write;
  const told: Write = {
    ...write,
    request: { ...request, form: "" },
    deps: { ...deps, admission: deps.explainedAdmission, convert: toldConversions(deps.convert, explaining) },
    explaining,
  };
  const { outcome, reply } = await outcomeOf(() => perform(told));
  const { warnings, annotations } = reply;
  const body = await explanationOf(write, { explaining, asked, outcome, warnings });
  return { code: 200, body, warnings, ...(annotations === undefined ? {} : { annotations }) };
}

/** An object, or the part of it that a subresource shows. */
function hasStages({ requested, request: { verb, subresource } }: Write): boolean {
  if (subresource === "")
    return requested.kind !== "Binding" && (verb === "create" || verb === "update" || verb === "patch");
  const part = requested.subresources.find(({ name }) => name === subresource);
  const isPart = part !== undefined && (part.kind === requested.kind || part.name === "scale");
  return isPart && (verb === "update" || verb === "patch");
}

type Told = { readonly outcome: Outcome; readonly reply: Pick<WriteReply, "warnings" | "annotations"> };

async function outcomeOf(perform: () => Promise<WriteReply>): Promise<Told> {
  try {
    const reply = await perform();
    const { code, body } = reply;
    return {
      reply,
      outcome: code < 400 ? { type: "stored", code, object: body } : refused(readJson(body.toString("utf8"))),
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { reply: { warnings: error.warnings }, outcome: refused(error.toStatus()) };
  }
}

function refused(status: unknown): Outcome {
  return { type: "refused", status: isObject(status) ? status : {} };
}

/** By the webhooks of custom resources' definitions. */
function toldConversions(convert: Convert, explaining: Explaining): Convert {
  return async (to, objects, span) => {
    const by = { type: "conversion", name: `${to.plural}.${to.group}`, to: to.apiVersion } as const;
    try {
      const made = await convert(to, objects, span);
      explaining.asked({ by, outcome: "changed" });
      return made;
    } catch (error) {
      explaining.asked({ by, outcome: "failed", message: error instanceof ApiError ? error.message : "" });
      throw error;
    }
  };
}
