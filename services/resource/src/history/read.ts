import { isStored } from "@orch/api/catalog.js";
import { hasHistory } from "@orch/history/rules.js";
import { type ObjectState, type ObjectStates, readStates } from "@orch/history/states.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { badRequest, methodNotAllowed, notFound, unknownPath } from "@orch/status/api-error.js";
import { cut } from "@orch/status/cut.js";
import { revision } from "@orch/store/revision.js";
import { objectReply } from "../write/reply.js";
import { keyOf, resourceOf, type Write } from "../write/write.js";
import { checkNotAhead, keptOf, lost, type Moment, parseMoment, stateAt, tooFarBack } from "./at.js";
import { listDeleted } from "./deleted.js";
import { differenceDocument, historyDocument, jsonReply } from "./documents.js";
import { listAt } from "./list-at.js";
import { checkOptions } from "./options.js";

/**
 * Answers what is asked of objects' past; nothing is changed.
 *
 * ```
 * name  subresource          query        answer
 * x     history                           the states of x
 * x     history              diff=9       what has changed since 9
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
  if (subresource === "deleted") {
    checkOptions(options, "deleted");
    return jsonReply(await listDeleted(whole));
  }
  if (subresource === "history" || subresource.startsWith("history/")) {
    checkOptions(options, "history");
    const { diff } = options;
    const wanted = subresource === "history" ? undefined : subresource.slice("history/".length);
    if (wanted === undefined && diff === undefined)
      return jsonReply(await historyDocument(whole, await statesOf(whole)));
    return readState(whole, wanted, diff);
  }
  if (subresource !== "" || options["at"] === undefined) throw methodNotAllowed();
  const moment = parseMoment(options["at"]);
  checkOptions(options, request.name === "" ? "listAt" : "at");
  return request.name === "" ? listAt(whole, moment) : readAt(whole, moment);
}

/** @throws ApiError NotFound where nothing is known of such an object */
async function statesOf(write: Write): Promise<ObjectStates> {
  const { deps, kind, request } = write;
  const states = await readStates(deps.store, keyOf(write, request.name));
  if (states.isEmpty) throw notFound(resourceOf(kind), request.name);
  return states;
}

/** The state of a revision, the newest where none is named, or what differs between it and another one. */
async function readState(write: Write, text: string | undefined, other: string | undefined): Promise<WriteReply> {
  const states = await statesOf(write);
  const state = text === undefined ? newestOf(states) : stateOf(write, states, text);
  if (state === undefined) throw notFound(resourceOf(write.kind), write.request.name);
  if (other === undefined) return stateReply(write, state);
  return jsonReply(differenceDocument(write, { from: stateOf(write, states, other), to: state }));
}

function newestOf(states: ObjectStates): ObjectState | undefined {
  for (const state of states) return state;
  return undefined;
}

/** The state that came with just this revision. @throws ApiError NotFound, BadRequest */
export function stateOf(write: Write, states: ObjectStates, text: string): ObjectState {
  const { kind, request } = write;
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`${JSON.stringify(cut(text))} is no revision`);
  for (const state of states) if (state.revision === Number(text)) return state;
  throw notFound(resourceOf(kind), `${request.name} at revision ${text}`);
}

async function readAt(write: Write, moment: Moment): Promise<WriteReply> {
  const { deps, kind, request } = write;
  await checkNotAhead(write, moment);
  const found = stateAt(await readStates(deps.store, keyOf(write, request.name)), moment, keptOf(write));
  if (found.type === "nothing") throw notFound(resourceOf(kind), request.name);
  if (found.type === "unknown") throw tooFarBack(request.name);
  return stateReply(write, found.state);
}

async function stateReply(write: Write, { value, revision: at, change }: ObjectState): Promise<WriteReply> {
  const { kind, request } = write;
  if (change === "deleted") throw notFound(resourceOf(kind), request.name);
  if (value === undefined) throw lost(at);
  const reply = await objectReply(write, { is: "unchanged", bytes: value, revision: revision(at), warnings: [] });
  return { ...reply, warnings: [] };
}
