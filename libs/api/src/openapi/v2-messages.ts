import { isObject } from "@orch/schema/descriptor.js";
import {
  any,
  choice,
  either,
  type Fields,
  flag,
  inside,
  integer,
  listOf,
  messageOf,
  named,
  number,
  type Shape,
  text,
} from "./protobuf.js";

/**
 * Numbers of the messages that tools exchange version 2 documents in (gnostic's `openapi.v2`), as far as our
 * documents use them; a key that is missing here is an error of `encode`.
 */
const schema: Shape = messageOf(() => schemaFields, 31);

const additional = either((value) => (typeof value === "boolean" ? inside(2, choice) : inside(1, schema)));

const externalDocs = messageOf(() => ({ description: [1, text], url: [2, text] }), 3);

const schemaFields: Fields = {
  $ref: [1, text],
  format: [2, text],
  title: [3, text],
  description: [4, text],
  default: [5, any],
  multipleOf: [6, number],
  maximum: [7, number],
  exclusiveMaximum: [8, flag],
  minimum: [9, number],
  exclusiveMinimum: [10, flag],
  maxLength: [11, integer],
  minLength: [12, integer],
  pattern: [13, text],
  maxItems: [14, integer],
  minItems: [15, integer],
  uniqueItems: [16, flag],
  maxProperties: [17, integer],
  minProperties: [18, integer],
  required: [19, listOf(text)],
  enum: [20, listOf(any)],
  additionalProperties: [21, additional],
  type: [22, inside(1, text)],
  items: [23, inside(1, schema)],
  properties: [25, named(schema)],
  externalDocs: [29, externalDocs],
  example: [30, any],
};

const bodyParameter = messageOf(() => ({
  description: [1, text],
  name: [2, text],
  in: [3, text],
  required: [4, flag],
  schema: [5, schema],
}));

const queryParameter = messageOf(() => ({
  required: [1, flag],
  in: [2, text],
  description: [3, text],
  name: [4, text],
  type: [6, text],
  uniqueItems: [20, flag],
}));

const pathParameter = messageOf(() => ({
  required: [1, flag],
  in: [2, text],
  description: [3, text],
  name: [4, text],
  type: [5, text],
  uniqueItems: [19, flag],
}));

const byPlace: Readonly<Record<string, Shape>> = {
  body: inside(1, bodyParameter),
  query: inside(2, inside(3, queryParameter)),
  path: inside(2, inside(4, pathParameter)),
};

const parameter = either((value) => (isObject(value) ? byPlace[String(value.in)] : undefined));

const reference = messageOf(() => ({ $ref: [1, text] }));

const parametersItem = either((value) =>
  isObject(value) && "$ref" in value ? inside(2, reference) : inside(1, parameter),
);

const response = messageOf(() => ({
  description: [1, text],
  schema: [2, inside(1, schema)],
}));

const operation = messageOf(
  () => ({
    tags: [1, listOf(text)],
    description: [3, text],
    operationId: [5, text],
    produces: [6, listOf(text)],
    consumes: [7, listOf(text)],
    parameters: [8, listOf(parametersItem)],
    responses: [9, named(inside(1, response))],
    schemes: [10, listOf(text)],
  }),
  13,
);

const pathItem = messageOf(() => ({
  get: [2, operation],
  put: [3, operation],
  post: [4, operation],
  delete: [5, operation],
  options: [6, operation],
  head: [7, operation],
  patch: [8, operation],
  parameters: [9, listOf(parametersItem)],
}));

const apiKey = messageOf(() => ({ type: [1, text], name: [2, text], in: [3, text], description: [4, text] }));

export const documentV2: Shape = messageOf(() => ({
  swagger: [1, text],
  info: [2, messageOf(() => ({ title: [1, text], version: [2, text] }))],
  paths: [8, named(pathItem, 2)],
  definitions: [9, named(schema)],
  parameters: [10, named(parameter)],
  security: [12, listOf(named(inside(1, listOf(text))))],
  securityDefinitions: [13, named(inside(2, apiKey))],
}));
