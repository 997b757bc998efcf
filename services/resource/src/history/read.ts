import { isStored } from "@orch/api/catalog.js";
import { hasHistory } from "@orch/history/rules.js";
import { type ObjectState, readStates } from "@orch/history/states.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { badRequest, methodNotAllowed, notFound, unknownPath } from "@orch/status/api-error.js";
import { cut } from "@orch/status/cut.js";
import { revision } from "@orch/store/revision.js";
import { objectReply } from "../write/reply.js";
import { keyOf, resourceOf, type Write } from "../write/write.js";
import { checkNotAhead, lost, type Moment, parseMoment, stateAt } from "./at.js";
import { listDeleted } from "./deleted.js";
import { differenceDocument, historyDocument } from "./documents.js";
import { listAt } from "./list-at.js";

/**
 * Answers what is asked of objects' past; nothing is changed.
 *
 * ```
 * name  subresource          query        answer
 * x     history                           the states of x
 * x     history/12                        x as it was from revision 12 on
 * x     history/12           diff=9       what 12 changed since 9
 * x     (none)               at=MOMENT    x as it was then
 *       (none)               at=MOMENT    the collection as it was then
 * x, -  deleted                           deletions of x, or of anything
 * ```
 *
 * @throws ApiError
 */
export async function readHistory(write: Write): Promise<WriteReply> {
  const { deps, kind, request } = write;
  const { history } = deps;
  if (history === undefined || !isStored(kind) || !hasHistory(history, { group: kind.group, resource: kind.plural })) {
    throw unknownPath();
  }
  const { subresource, options } = request;
  const whole: Write = { ...write, request: { ...request, subresource: "" } };
  if (subresource === "deleted") return jsonReply(await listDeleted(whole));
  if (subresource === "history") return jsonReply(await historyDocument(whole, await statesOf(whole)));
  if (subresource.startsWith("history/"))
    return readState(whole, subresource.slice("history/".length), options["diff"]);
  if (subresource !== "" || options["at"] === undefined) throw methodNotAllowed();
  const moment = parseMoment(options["at"]);
  return request.name === "" ? listAt(whole, moment) : readAt(whole, moment);
}

function jsonReply(document: object): WriteReply {
  return { code: 200, body: Buffer.from(`${JSON.stringify(document)}\n`), warnings: [] };
}

/** @throws ApiError NotFound where nothing is known of such an object */
async function statesOf(write: Write): Promise<readonly ObjectState[]> {
  const { deps, kind, request } = write;
  const states = await readStates(deps.store, keyOf(write, request.name));
  if (states.length === 0) throw notFound(resourceOf(kind), request.name);
  return states;
}

async function readState(write: Write, text: string, other: string | undefined): Promise<WriteReply> {
  const states = await statesOf(write);
  const state = stateOf(write, states, text);
  if (other !== undefined)
    return jsonReply(differenceDocument(write, { from: stateOf(write, states, other), to: state }));
  return stateReply(write, state);
}

/** The state that came with just this revision. @throws ApiError NotFound, BadRequest */
export function stateOf(write: Write, states: readonly ObjectState[], text: string): ObjectState {
  const { kind, request } = write;
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`${JSON.stringify(cut(text))} is no revision`);
  const state = states.find(({ revision }) => revision === Number(text));
  if (state === undefined) throw notFound(resourceOf(kind), `${request.name} at revision ${text}`);
  return state;
}

async function readAt(write: Write, moment: Moment): Promise<WriteReply> {
  const { deps, kind, request } = write;
  if (moment.type === "revision") await checkNotAhead(write, moment.revision);
  const state = stateAt(await readStates(deps.store, keyOf(write, request.name)), moment);
  if (state === undefined) throw notFound(resourceOf(kind), request.name);
  return stateReply(write, state);
}

async function stateReply(write: Write, { value, revision: at, change }: ObjectState): Promise<WriteReply> {
  const { kind, request } = write;
  if (change === "deleted") throw notFound(resourceOf(kind), request.name);
  if (value === undefined) throw lost(at);
  const reply = await objectReply(write, { is: "unchanged", bytes: value, revision: revision(at), warnings: [] });
  return { ...reply, warnings: [] };
}
