import type { JsonObject } from "@orch/schema/descriptor.js";
import { type Operation, ownParameters, type PathItem, type Section, sharedParameters } from "./operations.js";
import type { Parameter } from "./parameters.js";
import type { Schemas } from "./schemas.js";

export interface Info {
  readonly title: string;
  readonly version: string;
}

export const bearerToken = {
  BearerToken: {
    type: "apiKey",
    name: "authorization",
    in: "header",
    description: "The word Bearer and a token.",
  },
};

/** The OpenAPI 3.0 document of one part of the interface. */
export function versionThree(section: Section, schemas: Schemas, info: Info): JsonObject {
  const paths = Object.fromEntries(section.paths.map((item) => [item.path, pathItem(item, schemas)]));
  return {
    openapi: "3.0.0",
    info,
    paths,
    components: { schemas: schemas.definitions(), securitySchemes: bearerToken },
  };
}

function pathItem(item: PathItem, schemas: Schemas): JsonObject {
  const shared = sharedParameters(item);
  const operations = item.operations.map((o) => [o.method, operation(o, shared, schemas)] as const);
  return {
    ...Object.fromEntries(operations),
    ...(shared.length === 0 ? {} : { parameters: shared.map(parameter) }),
  };
}

function operation(o: Operation, shared: readonly Parameter[], schemas: Schemas): JsonObject {
  const own = ownParameters(o, shared);
  return {
    tags: [o.tag],
    description: o.description,
    operationId: o.id,
    ...(own.length === 0 ? {} : { parameters: own.map(parameter) }),
    ...(o.body === undefined ? {} : { requestBody: requestBody(o, schemas) }),
    responses: Object.fromEntries(o.answers.map((a) => [String(a.code), response(a, o.produces, schemas)])),
    ...(o.action === undefined ? {} : { "x-kubernetes-action": o.action }),
    ...(o.kind === undefined ? {} : { "x-kubernetes-group-version-kind": o.kind }),
  };
}

function requestBody({ body, consumes }: Operation, schemas: Schemas): JsonObject {
  if (body === undefined) return {};
  return { content: content(consumes, schemas.of(body.type)), ...(body.required ? { required: true } : {}) };
}

function response(
  { description, type, other }: Operation["answers"][number],
  mediaTypes: readonly string[],
  schemas: Schemas,
): JsonObject {
  if (type === undefined) return { description };
  const schema = other === undefined ? schemas.of(type) : { oneOf: [schemas.of(type), schemas.of(other)] };
  return { description, content: content(mediaTypes, schema) };
}

function content(mediaTypes: readonly string[], schema: JsonObject): JsonObject {
  return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }]));
}

function parameter(p: Parameter): JsonObject {
  return {
    name: p.name,
    in: p.in,
    ...(p.description === undefined ? {} : { description: p.description }),
    ...(p.required ? { required: true } : {}),
    schema: { type: p.type, uniqueItems: true },
  };
}
