import { badRequest } from "@orch/status/api-error.js";

/** Members of a patch that say how to merge instead of what. */
export const patchDirective = "$patch";
export const retainKeysDirective = "$retainKeys";

const listDirectives = ["$deleteFromPrimitiveList", "$setElementOrder"] as const;
type ListDirective = (typeof listDirectives)[number];

const malformed: Readonly<Record<ListDirective, string>> = {
  $deleteFromPrimitiveList: "invalid patch format of primitive list",
  $setElementOrder: "invalid patch format of setElementOrder list",
};

/** `$setElementOrder/ports` is about the field `ports`. */
export interface FieldDirective {
  readonly directive: ListDirective;
  readonly field: string;
}

/** What a member says about a list beside it; undefined for a member of another kind. @throws ApiError BadRequest */
export function fieldDirective(member: string): FieldDirective | undefined {
  if (!member.startsWith("$")) return undefined;
  const directive = listDirectives.find((d) => member.startsWith(d));
  if (directive === undefined) return undefined;
  if (member[directive.length] !== "/") throw badRequest(malformed[directive]);
  return { directive, field: member.slice(directive.length + 1) };
}

/** A list that `$setElementOrder` can not be about. */
export function badElementOrder(): Error {
  return badRequest(malformed.$setElementOrder);
}

export function badRetainKeys(): Error {
  return badRequest("invalid patch format of retainKeys");
}
