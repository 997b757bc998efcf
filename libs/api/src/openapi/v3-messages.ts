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
 * Numbers of the messages that tools exchange version 3 documents in (gnostic's `openapi.v3`), as far as our
 * documents use them; a key that is missing here is an error of `encode`.
 */
const reference = messageOf(() => ({ $ref: [1, text] }));

const schemaMessage: Shape = messageOf(() => schemaFields, 36);

const schema: Shape = either((value) =>
  isObject(value) && "$ref" in value ? inside(2, reference) : inside(1, schemaMessage),
);

/** The message knows numbers, texts and truth values; `{}` and the like cannot be said. */
const fallback: Shape = either((value) => {
  if (typeof value === "number") return inside(1, number);
  if (typeof value === "boolean") return inside(2, choice);
  return typeof value === "string" ? inside(3, text) : undefined;
});

const additional = either((value) => (typeof value === "boolean" ? inside(2, choice) : inside(1, schema)));

const externalDocs = messageOf(() => ({ description: [1, text], url: [2, text] }), 3);

const schemaFields: Fields = {
  nullable: [1, flag],
  externalDocs: [6, externalDocs],
  example: [7, any],
  title: [9, text],
  multipleOf: [10, number],
  maximum: [11, number],
  exclusiveMaximum: [12, flag],
  minimum: [13, number],
  exclusiveMinimum: [14, flag],
  maxLength: [15, integer],
  minLength: [16, integer],
  pattern: [17, text],
  maxItems: [18, integer],
  minItems: [19, integer],
  uniqueItems: [20, flag],
  maxProperties: [21, integer],
  minProperties: [22, integer],
  required: [23, listOf(text)],
  enum: [24, listOf(any)],
  type: [25, text],
  allOf: [26, listOf(schema)],
  oneOf: [27, listOf(schema)],
  anyOf: [28, listOf(schema)],
  not: [29, schemaMessage],
  items: [30, inside(1, schema)],
  properties: [31, named(schema)],
  additionalProperties: [32, additional],
  default: [33, fallback],
  description: [34, text],
  format: [35, text],
};

const parameter = inside(
  1,
  messageOf(() => ({
    name: [1, text],
    in: [2, text],
    description: [3, text],
    required: [4, flag],
    schema: [10, schema],
  })),
);

const content = named(messageOf(() => ({ schema: [1, schema] })));

const requestBody = inside(
  1,
  messageOf(() => ({ content: [2, content], required: [3, flag] })),
);

const response = inside(
  1,
  messageOf(() => ({ description: [1, text], content: [3, content] })),
);

const operation = messageOf(
  () => ({
    tags: [1, listOf(text)],
    description: [3, text],
    operationId: [5, text],
    parameters: [6, listOf(parameter)],
    requestBody: [7, requestBody],
    responses: [8, named(response, 2)],
  }),
  13,
);

const pathItem = messageOf(() => ({
  get: [4, operation],
  put: [5, operation],
  post: [6, operation],
  delete: [7, operation],
  options: [8, operation],
  head: [9, operation],
  patch: [10, operation],
  parameters: [13, listOf(parameter)],
}));

const securityScheme = inside(
  1,
  messageOf(() => ({ type: [1, text], description: [2, text], name: [3, text], in: [4, text] })),
);

export const documentV3: Shape = messageOf(() => ({
  openapi: [1, text],
  info: [2, messageOf(() => ({ title: [1, text], version: [6, text] }))],
  paths: [4, named(pathItem)],
  components: [5, messageOf(() => ({ schemas: [1, named(schema)], securitySchemes: [7, named(securityScheme)] }))],
}));
