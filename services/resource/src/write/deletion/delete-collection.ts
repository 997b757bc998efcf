import { type ListOptions, type ListStart, listStart } from "@orch/api/list-options.js";
import type { AnyObject } from "@orch/api/object.js";
import { isTrue, wholeNumber } from "@orch/api/query-values.js";
import type { Selectors } from "@orch/api/selectors/selectors.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { ApiError, invalid, tooLargeResourceVersion } from "@orch/status/api-error.js";
import { fieldError } from "@orch/status/field-error.js";
import {
  type ContinueToken,
  forgottenPage,
  listName,
  parseToken,
  printToken,
  type TokenSeal,
} from "@orch/store/continue-token.js";
import { key, type Revision, revision } from "@orch/store/revision.js";
import type { Entry, Range } from "@orch/store/store.js";
import { readAllStored } from "../conversions.js";
import { type GatheredWarnings, gatherWarnings } from "../gathered-warnings.js";
import { listBody } from "../list-body.js";
import { matcher, selectorsOf } from "../selected.js";
import { done, untilDone } from "../storing/attempts.js";
import { warned } from "../warned.js";
import { keyPrefix, type Write } from "../write.js";
import { removeState } from "./delete.js";
import { type DeleteOptions, deleteOptions, unreadOption } from "./delete-options.js";
import { deletionOf } from "./deletion.js";

const pageSize = 500;
/** Deletions under way at once, so that they share the store's commits. */
const width = 16;

/**
 * Deletes every matching object of a collection, or of a page of it, and answers the list of them (rules: Verbs to
 * HTTP; Paged lists). What it deletes is what a list with the same parameters shows; nothing is, where it is illegal.
 */
export function removeCollection(write: Write): Promise<WriteReply> {
  const warnings = gatherWarnings();
  return warned(write, [], async () => {
    try {
      return { ...(await removeAll(write, warnings)), warnings: warnings.all };
    } catch (error) {
      throw error instanceof ApiError ? error.withWarnings(warnings.all) : error;
    }
  });
}

async function removeAll(write: Write, warnings: GatheredWarnings): Promise<Omit<WriteReply, "warnings">> {
  const options = deleteOptions(write);
  if (options.unread) throw notForMany(write);
  const listing = listOptions(write.request.options);
  const start = listStart(listing, write.deps.naming.metaGroup);
  const selectors = selectorsOf(write);
  const { limit, continueToken: given } = listing;
  const seal = limit > 0 || given !== "" ? await sealOf(write) : undefined;
  const token = seal === undefined || given === "" ? undefined : parseToken(given, seal);
  const removed: AnyObject[] = [];
  const take = async (chosen: readonly Chosen[]): Promise<void> => {
    for (let i = 0; i < chosen.length; i += width) {
      const part = chosen.slice(i, i + width);
      const replies = await Promise.all(part.map(({ entry }) => removeOne(write, entry, options)));
      for (const reply of replies) warnings.add(reply?.warnings ?? []);
      removed.push(...part.filter((_, index) => replies[index] !== undefined).map(({ object }) => object));
    }
  };
  const at = await revisionOf(write, start, token);
  warnings.add(deletionOf(write.kind).warnings(write.requested.version, options));
  const page = { limit: limit > 0 ? limit : Number.POSITIVE_INFINITY, at, token, selectors };
  const { last, ...walked } = await walk(write, page, take).catch((error: unknown) => {
    const forgotten = error instanceof ApiError && error.reason === "Expired";
    throw forgotten && token !== undefined && seal !== undefined ? forgottenPage(token, seal) : error;
  });
  const left = hasSelectors(selectors) ? undefined : walked.left;
  const more = last !== undefined && seal !== undefined;
  const next = more ? printToken({ revision: walked.at, after: last, remaining: left }, seal) : undefined;
  return { code: 200, body: listBody(write, removed, { ...walked, left, next }) };
}

/** What cannot be read is deleted one by one, by name. */
function notForMany({ deps }: Write): ApiError {
  const why = "is not allowed with DELETECOLLECTION, try again after removing the option";
  const error = fieldError.invalid(unreadOption, true, why);
  return invalid({ group: deps.naming.metaGroup, kind: "DeleteOptions" }, "", [error]);
}

/** The options of a list in a query. @throws ApiError BadRequest for numbers that are none */
function listOptions(options: Write["request"]["options"]): ListOptions {
  const initial = options["sendInitialEvents"];
  // A list does not end by it either, but what is no number is told.
  wholeNumber(options["timeoutSeconds"]);
  return {
    resourceVersion: options["resourceVersion"] ?? "",
    resourceVersionMatch: options["resourceVersionMatch"] ?? "",
    limit: wholeNumber(options["limit"]) ?? 0,
    continueToken: options["continue"] ?? "",
    sendInitialEvents: initial === undefined ? undefined : isTrue(initial),
  };
}

/**
 * The one revision whose objects are meant; undefined for the newest, which every version that is not newer is content
 * with. @throws ApiError Timeout for a version that there is not yet
 */
async function revisionOf(
  write: Write,
  start: ListStart,
  token: ContinueToken | undefined,
): Promise<Revision | undefined> {
  if (start.type === "continue")
    return token === undefined || token.revision === 0 ? undefined : revision(token.revision);
  if (start.type !== "exact" && start.type !== "notOlderThan") return undefined;
  const newest = await write.deps.store.revision(keyPrefix(write));
  if (start.revision > newest) throw tooLargeResourceVersion(start.revision, newest);
  return start.type === "exact" ? revision(start.revision) : undefined;
}

interface Chosen {
  readonly entry: Entry;
  readonly object: AnyObject;
}

interface Page {
  readonly limit: number;
  /** The revision whose objects are chosen; the newest where absent. */
  readonly at: Revision | undefined;
  readonly token: ContinueToken | undefined;
  readonly selectors: Selectors;
}

interface Walked {
  readonly at: Revision;
  /** The key, below the resource's prefix, behind which the next page begins; undefined where there is none. */
  readonly last: string | undefined;
  /** Objects behind the page. */
  readonly left: number;
}

/** The entries that a page chooses, a chunk of them after the other; a page with a limit shows one revision. */
async function walk(write: Write, page: Page, take: (chosen: readonly Chosen[]) => Promise<void>): Promise<Walked> {
  const { deps, kind } = write;
  const root = `${deps.naming.storePrefix}${kind.storage.prefix}/`;
  const matches = matcher(write, page.selectors);
  const { token } = page;
  let { at } = page;
  let from = token === undefined ? undefined : key(`${root}${token.after}\0`);
  let room = page.limit;
  for (;;) {
    const begin = { ...(from === undefined ? {} : { from }), ...(at === undefined ? {} : { at }) };
    const range: Range = await deps.store.range({ prefix: keyPrefix(write), limit: pageSize, ...begin });
    if (page.limit < Number.POSITIVE_INFINITY) at ??= range.revision;
    const objects = await readAllStored(write, range.entries);
    const all = range.entries.flatMap((entry, i) => {
      const object = objects[i];
      return object === undefined ? [] : [{ entry, object }];
    });
    const chosen = all.filter(({ object }) => matches(object)).slice(0, room);
    await take(chosen);
    room -= chosen.length;
    const full = room === 0;
    const last = (full ? chosen : all).at(-1)?.entry.key;
    const passed = full ? range.entries.findIndex((entry) => entry.key === last) + 1 : range.entries.length;
    const left = range.count - passed;
    if (last === undefined || left <= 0) return { at: range.revision, last: undefined, left: 0 };
    if (full) return { at: range.revision, last: last.slice(root.length), left };
    from = key(`${last}\0`);
  }
}

async function sealOf({ deps, kind, request }: Write): Promise<TokenSeal> {
  return { key: await deps.tokenKey.get(), list: listName(kind.storage.prefix, request.namespace) };
}

/** Undefined when somebody else deleted it first. */
function removeOne(write: Write, entry: Entry, options: DeleteOptions): Promise<WriteReply | undefined> {
  return untilDone<WriteReply | undefined>(entry, async (state) =>
    state === undefined ? done(undefined) : removeState(write, state, options),
  );
}

const hasSelectors = ({ labels, fields }: Selectors): boolean => labels !== undefined || fields !== undefined;
