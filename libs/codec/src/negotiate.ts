import { notAcceptable, unsupportedMediaType } from "@orch/status/api-error.js";

/** A media type that is served or read, and the name of the codec that does it. */
export interface Offer<Format extends string = string> {
  /** Lower case, without parameters: `application/json`. */
  readonly mediaType: string;
  readonly format: Format;
}

export interface Accepted<Format extends string = string> {
  readonly offer: Offer<Format>;
  /** `pretty=1` stood on the chosen type. */
  readonly pretty: boolean;
}

export interface Negotiator<Format extends string = string> {
  /**
   * The representation to answer with (spec 1: Media types; rule 2 for the fallback list).
   * @throws ApiError NotAcceptable where the header lists nothing that is offered.
   */
  accept(header: string | undefined): Accepted<Format>;
  /**
   * The codec for a body; the first offer where the header is absent.
   * @throws ApiError UnsupportedMediaType
   */
  contentType(header: string | undefined): Offer<Format>;
}

export type ObjectFormat = "json" | "yaml";

/** What objects are read and written in, the default first. Named alike in every dialect. */
export const objectOffers: readonly Offer<ObjectFormat>[] = [
  { mediaType: "application/json", format: "json" },
  { mediaType: "application/yaml", format: "yaml" },
];

/**
 * Chooses among `offers`, of which the first is the default. Answers are remembered by header, a bounded number
 * of short ones: clients send the same few for ever.
 */
export function createNegotiator<Format extends string>(offers: readonly Offer<Format>[]): Negotiator<Format> {
  const [first] = offers;
  if (first === undefined) throw new TypeError("a negotiator needs at least one offer");
  const mediaTypes = offers.map((o) => o.mediaType);
  const preferred: Accepted<Format> = { offer: first, pretty: false };
  const accepted = remembered((header) => chooseAccepted(header, offers));
  const decoders = remembered((header) => {
    const { type, subtype } = mediaRange(header);
    return offers.find((o) => o.mediaType === `${type}/${subtype}`);
  });
  return {
    accept(header) {
      if (header === undefined || header === "") return preferred;
      const choice = accepted(header);
      if (choice === undefined) throw notAcceptable(mediaTypes);
      return choice;
    },
    contentType(header) {
      if (header === undefined || header === "") return first;
      const offer = decoders(header);
      if (offer === undefined) throw unsupportedMediaType(mediaTypes);
      return offer;
    },
  };
}

interface MediaRange {
  readonly type: string;
  readonly subtype: string;
  readonly parameters: ReadonlyMap<string, string>;
}

function chooseAccepted<Format extends string>(
  header: string,
  offers: readonly Offer<Format>[],
): Accepted<Format> | undefined {
  const ranges = splitOutsideQuotes(header, ",")
    .map(mediaRange)
    .map((range) => ({ range, quality: qualityOf(range) }))
    .filter(({ range, quality }) => quality > 0 && isServed(range))
    .sort((a, b) => b.quality - a.quality || wildness(a.range) - wildness(b.range));
  for (const { range } of ranges) {
    const offer = offers.find((o) => matches(range, o.mediaType));
    if (offer !== undefined) return { offer, pretty: range.parameters.get("pretty") === "1" };
  }
  return undefined;
}

/** Tables and partial metadata are not made yet: such an entry is passed over for the next of the list. */
function isServed(range: MediaRange): boolean {
  return range.type !== "" && range.subtype !== "" && !range.parameters.has("as");
}

function matches(range: MediaRange, mediaType: string): boolean {
  if (range.type === "*") return range.subtype === "*";
  if (range.subtype === "*") return mediaType.startsWith(`${range.type}/`);
  return mediaType === `${range.type}/${range.subtype}`;
}

/** Of equally wanted types the more exact one goes first. */
function wildness(range: MediaRange): number {
  return (range.type === "*" ? 1 : 0) + (range.subtype === "*" ? 1 : 0);
}

/** `q`, 1 where absent; what is no number counts as 0, so that it is not chosen. */
function qualityOf(range: MediaRange): number {
  const q = range.parameters.get("q");
  if (q === undefined) return 1;
  return /^(?:0(?:\.\d*)?|1(?:\.0*)?)$/.test(q) ? Number(q) : 0;
}

function mediaRange(text: string): MediaRange {
  const [range = "", ...rest] = splitOutsideQuotes(text, ";");
  const [type = "", subtype = "", ...more] = range.trim().toLowerCase().split("/");
  const parameters = new Map<string, string>();
  for (const part of rest) {
    const at = part.indexOf("=");
    if (at > 0) parameters.set(part.slice(0, at).trim().toLowerCase(), unquoted(part.slice(at + 1).trim()));
  }
  return { type, subtype: more.length === 0 ? subtype : "", parameters };
}

function unquoted(value: string): string {
  return value.length > 1 && value.startsWith('"') && value.endsWith('"')
    ? value.slice(1, -1).replace(/\\(.)/g, "$1")
    : value;
}

function splitOutsideQuotes(text: string, separator: "," | ";"): string[] {
  if (!text.includes('"')) return text.split(separator);
  const parts: string[] = [];
  let quoted = false;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (quoted && char === "\\") i++;
    else if (char === '"') quoted = !quoted;
    else if (char === separator && !quoted) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

const rememberedHeaders = 256;
const rememberedLength = 512;

/** A pure function of a header, with its last answers kept; the oldest goes when there are too many. */
function remembered<T>(compute: (header: string) => T): (header: string) => T {
  const answers = new Map<string, { readonly value: T }>();
  return (header) => {
    const known = answers.get(header);
    if (known !== undefined) return known.value;
    const value = compute(header);
    if (header.length <= rememberedLength) {
      if (answers.size >= rememberedHeaders) answers.delete(answers.keys().next().value ?? "");
      answers.set(header, { value });
    }
    return value;
  };
}
