/** How a client wants objects to be written (rules: Media types and headers; Table representation). */
export interface Form {
  readonly encoding: Encoding;
  /** What an object is shown as. */
  readonly as: Transform;
  /** Version of the meta group in which a table or a partial object is asked for. */
  readonly metaVersion: string;
  /** What the rows of a table carry of their objects. */
  readonly includeObject: IncludeObject;
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
  const { encoding, as, metaVersion, includeObject } = form;
  if (as === "Object") return encoding === "json" ? "" : encoding;
  return [encoding, as, metaVersion, ...(as === "Table" ? [includeObject] : [])].join(";");
}

/** The form of a text of {@link formText}; undefined for any other. */
export function parseForm(text: string): Form | undefined {
  if (text === "") return plainForm;
  const [encodingWord, asWord = "Object", metaVersion = "v1", includeWord = "Metadata"] = text.split(";");
  const encoding = encodings.find((e) => e === encodingWord);
  const as = transforms.find((t) => t === asWord);
  const includeObject = includeObjects.find((i) => i === includeWord);
  if (encoding === undefined || as === undefined || includeObject === undefined) return undefined;
  const form: Form = { encoding, as, metaVersion, includeObject };
  return formText(form) === text ? form : undefined;
}
