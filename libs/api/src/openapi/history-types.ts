import { historyGroup } from "@orch/naming/naming.js";
import { type Field, field, type MessageType, message, type Type } from "@orch/schema/descriptor.js";
import type { GroupVersionKind } from "./schemas.js";

const version = "v1alpha1";
const home = `${historyGroup}/${version}`;
const text: Type = { kind: "string" };
const flag: Type = { kind: "bool" };

const texts = (...names: readonly string[]): readonly Field[] => names.map((name) => field({ name, type: text }));
const listOf = (item: Type): Type => ({ kind: "list", item, listType: "atomic", keys: [], wrapped: false });

const head = (metadata: MessageType): readonly Field[] => [field({ name: "metadata", type: metadata })];

const author = texts("time", "verb", "subresource", "user", "manager", "userAgent", "auditID");

const typeOf = (name: string, fields: () => readonly Field[]): MessageType =>
  message({ name: `${home}.${name}`, fields });

const documentOf = (name: string, fields: () => readonly Field[]): MessageType =>
  message({ name: `${home}.${name}`, object: true, fields });

export interface HistoryTypes {
  readonly history: MessageType;
  readonly difference: MessageType;
  readonly deleted: MessageType;
  readonly migration: MessageType;
  readonly rollback: MessageType;
  readonly undelete: MessageType;
}

/** The documents about objects' past, and what restores one. */
export function historyTypes(typeNamed: (name: string) => MessageType): HistoryTypes {
  const object = typeNamed("meta/v1.ObjectMeta");
  const list = typeNamed("meta/v1.ListMeta");
  const state = typeOf("ObjectState", () => [
    ...texts("revision", "change"),
    ...author,
    field({ name: "fields", type: listOf(text) }),
    field({ name: "moreFields", type: flag }),
    field({ name: "restorable", type: flag }),
  ]);
  const change = typeOf("FieldChange", () => [
    ...texts("path", "operation"),
    field({ name: "before", type: { kind: "any" } }),
    field({ name: "after", type: { kind: "any" } }),
  ]);
  const deletion = typeOf("DeletedObject", () => [
    field({ name: "metadata", type: object }),
    ...texts("revision", "lastRevision"),
    ...author,
    field({ name: "restorable", type: flag }),
  ]);
  return {
    history: documentOf("ObjectHistory", () => [...head(object), field({ name: "items", type: listOf(state) })]),
    difference: documentOf("ObjectDifference", () => [
      ...head(object),
      ...texts("from", "to"),
      field({ name: "changes", type: listOf(change) }),
      field({ name: "more", type: flag }),
    ]),
    deleted: documentOf("DeletedObjectList", () => [...head(list), field({ name: "items", type: listOf(deletion) })]),
    migration: documentOf("ObjectHistoryMigration", () => [
      ...head(list),
      ...["records", "rewritten", "unreadable"].map((name) => field({ name, type: { kind: "int64" } })),
    ]),
    rollback: documentOf("ObjectRollback", () => texts("revision", "resourceVersion")),
    undelete: documentOf("ObjectUndelete", () => texts("revision")),
  };
}

/** What a type of ours is called in `apiVersion` and `kind`. */
export function historyKind({ name }: MessageType): GroupVersionKind {
  return { group: historyGroup, version, kind: name.slice(name.lastIndexOf(".") + 1) };
}
