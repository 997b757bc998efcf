import { createHash } from "node:crypto";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { type Operation, ownParameters, type PathItem, type Section, sharedParameters } from "./operations.js";
import type { Parameter } from "./parameters.js";
import type { Schemas } from "./schemas.js";
import { bearerToken, type Info } from "./v3.js";

/** The OpenAPI 2.0 (Swagger) document of the whole interface. */
export function versionTwo(sections: readonly Section[], schemas: Schemas, info: Info): JsonObject {
  const parameters = createParameters();
  const items = sections.flatMap((section) => section.paths);
  const paths = Object.fromEntries(items.map((item) => [item.path, pathItem(item, schemas, parameters)]));
  return {
    swagger: "2.0",
    info,
    paths,
    definitions: schemas.definitions(),
    parameters: parameters.definitions(),
    securityDefinitions: bearerToken,
    security: [{ BearerToken: [] }],
  };
}

interface Parameters {
  of(p: Parameter): JsonObject;
  definitions(): JsonObject;
}

/** Older clients look for these in the operation itself, to learn what a server can do. */
const inPlace = new Set(["dryRun", "fieldValidation", "name"]);

/** A parameter is written once and referred to by its name and a hash. */
function createParameters(): Parameters {
  const known = new Map<string, JsonObject>();
  return {
    of(p) {
      const full = parameter(p);
      if (inPlace.has(p.name)) return full;
      const hash = createHash("sha256").update(JSON.stringify(full)).digest("base64url").slice(0, 8);
      const name = `${p.name}-${hash}`;
      known.set(name, full);
      return { $ref: `#/parameters/${name}` };
    },
    definitions: () => Object.fromEntries([...known].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function pathItem(item: PathItem, schemas: Schemas, parameters: Parameters): JsonObject {
  const shared = sharedParameters(item);
  const operations = item.operations.map((o) => [
    o.method,
    operation(o, { own: ownParameters(o, shared), schemas, parameters }),
  ]);
  return {
    ...Object.fromEntries(operations),
    ...(shared.length === 0 ? {} : { parameters: shared.map(parameters.of) }),
  };
}

interface Parts {
  readonly own: readonly Parameter[];
  readonly schemas: Schemas;
  readonly parameters: Parameters;
}

function operation(o: Operation, { own, schemas, parameters }: Parts): JsonObject {
  const all = [...(o.body === undefined ? [] : [bodyParameter(o.body, schemas)]), ...own.map(parameters.of)];
  return {
    tags: [o.tag],
    description: o.description,
    operationId: o.id,
    consumes: o.consumes,
    produces: o.produces,
    schemes: ["https"],
    ...(all.length === 0 ? {} : { parameters: all }),
    responses: Object.fromEntries(o.answers.map((a) => [String(a.code), response(a, schemas)])),
    ...(o.action === undefined ? {} : { "x-kubernetes-action": o.action }),
    ...(o.kind === undefined ? {} : { "x-kubernetes-group-version-kind": o.kind }),
  };
}

function bodyParameter({ type, required }: NonNullable<Operation["body"]>, schemas: Schemas): JsonObject {
  return { name: "body", in: "body", ...(required ? { required } : {}), schema: schemas.of(type) };
}

function response({ description, type, other }: Operation["answers"][number], schemas: Schemas): JsonObject {
  // It stands among the definitions all the same, by its group, version and kind.
  if (other !== undefined) schemas.of(other);
  return type === undefined ? { description } : { description, schema: schemas.of(type) };
}

function parameter(p: Parameter): JsonObject {
  return {
    name: p.name,
    in: p.in,
    ...(p.description === undefined ? {} : { description: p.description }),
    ...(p.required ? { required: true } : {}),
    type: p.type,
    uniqueItems: true,
  };
}
