import type { Kind } from "@orch/api/catalog.js";
import { type Convert, mostOfQuestion } from "@orch/api/custom/convert.js";
import { shapedAs } from "@orch/api/custom/shaped.js";
import type { AnyObject } from "@orch/api/object.js";
import type { Span } from "@orch/status/span.js";
import type { LRUCache } from "lru-cache";
import { type CachedObject, parsedWhole } from "../object.js";

/**
 * How the cached objects of a custom resource become those of one of its versions. What was stored in this version, under
 * this definition, is shown as it is; what an older definition left is called and filled in as this one says.
 */
export interface CustomVersion {
  /** Whether there is a webhook that converts objects of other versions. */
  readonly asks: boolean;
  /** Whether the cached bytes show the object as it is in this version. */
  isCurrent(object: CachedObject): boolean;
  /** @throws TypeError for an object that a webhook converts and that was not prepared */
  parsed(object: CachedObject): AnyObject;
  /** The same with what a webhook makes of these objects; undefined where none of them needs one. */
  prepare(objects: readonly CachedObject[], span?: Span): Promise<CustomVersion> | undefined;
}

export interface CustomVersionDeps {
  readonly convert: Convert;
  /** What webhooks made, while it is hot. */
  readonly converted: LRUCache<string, AnyObject>;
  /** What webhooks are being asked about: others that want the same wait for it. */
  readonly pending: Map<string, PendingAnswer>;
  /** Equal for no two states of a definition. */
  readonly id: string;
}

/** The answer to a question about several objects, of which this is one. */
export interface PendingAnswer {
  readonly answers: Promise<readonly AnyObject[]>;
  readonly at: number;
  /** Of how many. */
  readonly count: number;
}

/** What a tree takes in memory, compared with its JSON. */
const treeFactor = 4;

/** An object about which somebody else asks. */
interface Waiting {
  readonly object: CachedObject;
  readonly asked: PendingAnswer;
}

export function customVersion(kind: Kind, { convert, converted, pending, id }: CustomVersionDeps): CustomVersion {
  const { since = 0, isStoredShape = true, webhook } = kind.custom ?? {};
  const asks = webhook !== undefined;
  const named = `{"kind":${JSON.stringify(kind.kind)},"apiVersion":${JSON.stringify(kind.apiVersion)},`;
  const isNamedSo = ({ head }: CachedObject): boolean => head === named;
  const keyOf = (object: CachedObject): string => `${id}|${kind.version}|${object.key}@${object.revision}`;

  /** Asks in one question, which others may wait for. @throws ApiError */
  const askNow = (objects: readonly CachedObject[], span: Span | undefined): Promise<readonly AnyObject[]> => {
    const asked = convert(kind, objects.map(parsedWhole), span);
    const answers = asked.then((made) => made.map((object) => shapedAs(kind, object)));
    for (const [at, object] of objects.entries()) pending.set(keyOf(object), { answers, at, count: objects.length });
    // Of a history that is over meanwhile nothing is kept.
    const isAwaited = (object: CachedObject): boolean => pending.get(keyOf(object))?.answers === answers;
    const done = answers.then((shown) => {
      for (const [i, object] of objects.entries()) {
        const one = shown[i];
        if (one !== undefined && isAwaited(object)) {
          converted.set(keyOf(object), one, { size: treeFactor * object.size });
        }
      }
      return shown;
    });
    return done.finally(() => {
      for (const object of objects) if (isAwaited(object)) pending.delete(keyOf(object));
    });
  };

  /** What somebody else asks about; undefined where that failed, perhaps for an object that is not wanted here. @throws ApiError */
  const awaited = async (
    answers: PendingAnswer["answers"],
    wanted: readonly Waiting[],
  ): Promise<readonly AnyObject[] | undefined> =>
    answers.catch((error: unknown) => {
      // It was about nothing else: it would fail again.
      if (wanted.length === wanted[0]?.asked.count) throw error;
      return undefined;
    });

  /** What the webhook makes of each; of those that are known, or asked about, it is not asked again. */
  const ask = async (
    objects: readonly CachedObject[],
    span: Span | undefined,
  ): Promise<ReadonlyMap<CachedObject, AnyObject>> => {
    const made = new Map<CachedObject, AnyObject>();
    for (const part of questions(objects)) {
      const own: CachedObject[] = [];
      const others = new Map<PendingAnswer["answers"], Waiting[]>();
      for (const object of part) {
        const key = keyOf(object);
        const known = converted.get(key);
        const asked = known === undefined ? pending.get(key) : undefined;
        if (known !== undefined) made.set(object, known);
        else if (asked === undefined) own.push(object);
        else waitingFor(others, { object, asked });
      }
      const set = (object: CachedObject, answer: AnyObject | undefined): void => {
        if (answer !== undefined) made.set(object, answer);
      };
      const again: CachedObject[] = [];
      await Promise.all([
        own.length === 0
          ? []
          : askNow(own, span).then((shown) => own.forEach((object, i) => void set(object, shown[i]))),
        ...[...others].map(async ([answers, wanted]) => {
          const shown = await awaited(answers, wanted);
          if (shown === undefined) again.push(...wanted.map(({ object }) => object));
          else for (const { object, asked } of wanted) set(object, shown[asked.at]);
        }),
      ]);
      if (again.length > 0) for (const [object, answer] of await ask(again, span)) made.set(object, answer);
    }
    return made;
  };

  const having = (given: ReadonlyMap<CachedObject, AnyObject>): CustomVersion => ({
    asks,
    isCurrent: (object) => object.revision > since && isNamedSo(object),
    parsed(object) {
      if (asks && !isNamedSo(object)) {
        const known = given.get(object);
        if (known === undefined) throw new TypeError(`${object.key} was not converted`);
        return known;
      }
      const whole = parsedWhole(object);
      const isSame = isStoredShape && object.revision > since;
      return isSame ? { ...whole, kind: kind.kind, apiVersion: kind.apiVersion } : shapedAs(kind, whole);
    },
    prepare(objects, span) {
      if (!asks) return undefined;
      const foreign = objects.filter((object) => !isNamedSo(object));
      return foreign.length === 0 ? undefined : ask(foreign, span).then(having);
    },
  });
  return having(new Map());
}

function waitingFor(others: Map<PendingAnswer["answers"], Waiting[]>, one: Waiting): void {
  const known = others.get(one.asked.answers);
  if (known === undefined) others.set(one.asked.answers, [one]);
  else known.push(one);
}

/** Objects that are read and asked about in one turn of the event loop: as many as go into one question. */
function* questions(objects: readonly CachedObject[]): Generator<readonly CachedObject[]> {
  let part: CachedObject[] = [];
  let bytes = 0;
  for (const object of objects) {
    const isFull = part.length >= mostOfQuestion.objects || bytes + object.size > mostOfQuestion.bytes;
    if (part.length > 0 && isFull) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(object);
    bytes += object.size;
  }
  if (part.length > 0) yield part;
}
