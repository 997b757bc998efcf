import { type FieldPath, formatPath, parseFieldPaths } from "@orch/api/field-paths.js";
import { badRequest } from "@orch/status/api-error.js";

/** How a client wants objects to be written (rules: Media types and headers; Table representation). */
export interface Form {
  readonly encoding: Encoding;
  /** What an object is shown as. */
  readonly as: Transform;
  /** Version of the meta group in which a table or a partial object is asked for. */
  readonly metaVersion: string;
  /** What the rows of a table carry of their objects. */
  readonly includeObject: IncludeObject;
  /** Of an object these fields alone are shown, besides what says which object it is; all of them where absent. */
  readonly fields?: readonly FieldPath[] | undefined;
}

export const encodings = ["json", "protobuf", "cbor"] as const;
export type Encoding = (typeof encodings)[number];

export const transforms = ["Object", "Table", "PartialObjectMetadata"] as const;
export type Transform = (typeof transforms)[number];

export const includeObjects = ["Metadata", "None", "Object"] as const;
export type IncludeObject = (typeof includeObjects)[number];

export const plainForm: Form = { encoding: "json", as: "Object", metaVersion: "v1", includeObject: "Metadata" };

/** A form as it crosses a hop: "" for plain JSON. Equal texts, equal forms. */
export function formText(form: Form): string {
  const { encoding, as, metaVersion, includeObject, fields } = form;
  if (as === "Object") {
    const text = encoding === "json" ? "" : encoding;
    return fields === undefined ? text : `${text}${beforeFields}${fieldsText(fields)}`;
  }
  return [encoding, as, metaVersion, ...(as === "Table" ? [includeObject] : [])].join(";");
}

const beforeFields = "?";

/** Whether a form's text chooses fields: of such there are as many as clients think of. */
export const choosesFields = (text: string): boolean => text.includes(beforeFields);

/** Each path once, in order. */
function fieldsText(fields: readonly FieldPath[]): string {
  return [...new Set(fields.map(formatPath))].sort().join();
}

/** The form of a text of {@link formText}; undefined for any other. */
export function parseForm(text: string): Form | undefined {
  if (text === "") return plainForm;
  const fieldsAt = text.indexOf(beforeFields);
  if (fieldsAt >= 0) {
    const encoding = parseForm(text.slice(0, fieldsAt));
    return encoding?.as === "Object" ? projectedForm(encoding, text.slice(fieldsAt + 1)) : undefined;
  }
  const [encodingWord, asWord = "Object", metaVersion = "v1", includeWord = "Metadata"] = text.split(";");
  const encoding = encodings.find((e) => e === encodingWord);
  const as = transforms.find((t) => t === asWord);
  const includeObject = includeObjects.find((i) => i === includeWord);
  if (encoding === undefined || as === undefined || includeObject === undefined) return undefined;
  const form: Form = { encoding, as, metaVersion, includeObject };
  return formText(form) === text ? form : undefined;
}

/** What one request may ask for. */
const fieldBounds = { parameter: "fields", maxPaths: 64, maxLength: 4096 } as const;

/**
 * The form with the fields of a `fields` parameter alone. @throws ApiError BadRequest where they cannot be read, or objects in the
 * form cannot lack fields
 */
export function projectedForm(form: Form, text: string): Form {
  const paths = parseFieldPaths(text, fieldBounds);
  if (paths.some(({ descending }) => descending)) throw badRequest("invalid fields: no field begins with a minus");
  if (form.as !== "Object") throw badRequest("fields are chosen of whole objects, not of tables or metadata");
  if (form.encoding === "protobuf") throw badRequest("fields are chosen in JSON, YAML and CBOR, not in Protobuf");
  return { ...form, fields: paths.map(({ path }) => path) };
}
