import type { Accepted, Negotiator, ObjectFormat } from "@orch/codec/negotiate.js";
import { type Form, formText, type IncludeObject, includeObjects, plainForm } from "@orch/render/form.js";
import { badRequest, notAcceptable } from "@orch/status/api-error.js";
import { cut } from "@orch/status/cut.js";
import type { HttpRequest } from "./http/request.js";

/** How a response body is written. */
export interface Representation {
  readonly encoding: ObjectFormat;
  readonly contentType: string;
  readonly pretty: boolean;
  /** Another kind that the objects are to be shown as. */
  readonly transform: Accepted["transform"];
}

export const plainJson: Representation = {
  encoding: "json",
  contentType: "application/json",
  pretty: false,
  transform: undefined,
};

/** What is no object of any kind is written as JSON, or as YAML that is made of it. */
export function documentOf(representation: Representation): Representation {
  const { encoding, transform } = representation;
  return transform === undefined && (encoding === "json" || encoding === "yaml") ? representation : plainJson;
}

/** @throws ApiError NotAcceptable */
export function representationOf(
  negotiator: Negotiator<ObjectFormat>,
  request: HttpRequest,
  verb: string,
): Representation {
  const header = request.header("accept");
  if (verb === "watch") {
    const { offer, stream, transform } = negotiator.acceptStream(header);
    return { encoding: offer.format, contentType: stream, pretty: false, transform };
  }
  const { offer, pretty, transform } = negotiator.accept(header);
  const { format: encoding, mediaType: contentType } = offer;
  return { encoding, contentType, pretty: encoding === "json" && isPretty(request, pretty), transform };
}

const peopleAgents = /^(curl|Wget|Mozilla\/5\.0)/;

/** Indents where `pretty` asks for it, and by default for browsers and command lines, as the reference does. */
function isPretty(request: HttpRequest, asked: boolean): boolean {
  const wish = request.query?.get("pretty");
  if (wish !== null && wish !== undefined) return wish !== "false" && wish !== "0";
  return asked || peopleAgents.test(request.header("user-agent") ?? "");
}

/**
 * The form in which objects are written for a client. YAML and indented text are made from JSON.
 * @throws ApiError NotAcceptable for a list's form of one object and the other way round
 */
export function wantedForm({ encoding, transform }: Representation, request: HttpRequest, verb: string): Form {
  const form: Form = { ...plainForm, encoding: encoding === "yaml" ? "json" : encoding };
  if (transform === undefined) return form;
  if (transform.as === "Table") {
    return { ...form, as: "Table", metaVersion: transform.version, includeObject: includeObjectOf(request) };
  }
  const wanted = verb === "list" ? "PartialObjectMetadataList" : "PartialObjectMetadata";
  if (transform.as !== wanted) throw notAcceptable([`application/json;as=${wanted}`]);
  return { ...form, as: "PartialObjectMetadata", metaVersion: transform.version };
}

/** {@link wantedForm} as text, for the services behind the gateway. @throws ApiError NotAcceptable */
export function formOf(representation: Representation, request: HttpRequest, verb: string): string {
  return formText(wantedForm(representation, request, verb));
}

function includeObjectOf({ query }: HttpRequest): IncludeObject {
  const asked = query?.get("includeObject") ?? "";
  const known = includeObjects.find((i) => i === (asked === "" ? "Metadata" : asked));
  if (known !== undefined) return known;
  const why = `Invalid value: ${JSON.stringify(cut(asked))}: must be 'Metadata', 'Object', 'None', or empty`;
  throw badRequest(`Unable to convert to Table as requested: includeObject: ${why}`);
}
