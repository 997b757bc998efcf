import { listAt, textAt, textsAt, valueAt } from "../json.js";

/** A state that an object had, and the change that led to it. */
export interface PastState {
  readonly revision: string;
  /** `created`, `changed`, `deleted`; `""` where it is not known. */
  readonly change: string;
  readonly time: string;
  readonly user: string;
  readonly manager: string;
  readonly userAgent: string;
  readonly verb: string;
  readonly fields: readonly string[];
  readonly moreFields: boolean;
  /** The state is kept: it can be compared and rolled back to. */
  readonly restorable: boolean;
}

/** Of an ObjectHistory, newest first. */
export function pastStates(document: unknown): readonly PastState[] {
  return listAt(document, "items").map((item) => ({
    revision: textAt(item, "revision"),
    change: textAt(item, "change"),
    time: textAt(item, "time"),
    user: textAt(item, "user"),
    manager: textAt(item, "manager"),
    userAgent: textAt(item, "userAgent"),
    verb: textAt(item, "verb"),
    fields: textsAt(item, "fields"),
    moreFields: valueAt(item, "moreFields") === true,
    restorable: valueAt(item, "restorable") === true,
  }));
}

/** Nobody's wish has changed, only what the cluster says of it. */
export function isStatusAlone({ change, fields, moreFields }: PastState): boolean {
  if (change !== "changed" || moreFields || fields.length === 0) return false;
  return fields.every((field) => field.startsWith(".status") || field === ".metadata.resourceVersion");
}

/** Numbers that go up with every change say nothing of it. */
const counted: ReadonlySet<string> = new Set([".metadata.generation", ".metadata.resourceVersion"]);

/** The fields of a change as a list of a few words: wishes first, each by the end of its path. */
export function shownFields({ fields }: PastState): readonly string[] {
  const rank = (field: string): number =>
    field.startsWith(".spec") || field.startsWith(".data") ? 0 : field.startsWith(".status") ? 2 : 1;
  return fields
    .filter((field) => !counted.has(field))
    .sort((a, b) => rank(a) - rank(b))
    .map(shortField);
}

/** `.spec.template.spec.containers[name="web"].image` → `containers[web].image`. */
export function shortField(path: string): string {
  const parts: string[] = [];
  let part = "";
  let isQuoted = false;
  for (const char of path) {
    if (char === '"') isQuoted = !isQuoted;
    if (char === "." && !isQuoted) {
      parts.push(part);
      part = "";
    } else part += char;
  }
  const last = [...parts, part].filter((each) => each !== "").slice(-2);
  return last.map(shortKey).join(".");
}

/** `containers[name="web"]` → `containers[web]`. */
function shortKey(part: string): string {
  const [bracket, first, last] = [part.indexOf("["), part.indexOf('"'), part.lastIndexOf('"')];
  if (bracket < 0 || first < 0 || last <= first) return part;
  return `${part.slice(0, bracket)}[${part.slice(first + 1, last)}]`;
}

const accountStart = "system:serviceaccount:";

/** `system:serviceaccount:ns:name` → `name`: the rest is in the hint. */
export function shortUser(user: string): string {
  return user.startsWith(accountStart) ? user.slice(user.lastIndexOf(":") + 1) : user;
}

/** An object that is gone. */
export interface DeletedObject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly revision: string;
  readonly time: string;
  readonly user: string;
  readonly manager: string;
  readonly restorable: boolean;
}

/** Of a DeletedObjectList. */
export function deletedObjects(document: unknown): readonly DeletedObject[] {
  return listAt(document, "items").map((item) => ({
    namespace: textAt(item, "metadata", "namespace"),
    name: textAt(item, "metadata", "name"),
    uid: textAt(item, "metadata", "uid"),
    revision: textAt(item, "revision"),
    time: textAt(item, "time"),
    user: textAt(item, "user"),
    manager: textAt(item, "manager"),
    restorable: valueAt(item, "restorable") === true,
  }));
}
