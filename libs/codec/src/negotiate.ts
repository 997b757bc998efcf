import type { Naming } from "@orch/naming/naming.js";
import { notAcceptable, unsupportedMediaType } from "@orch/status/api-error.js";

/** A media type that is served or read, and the name of the codec that does it. */
export interface Offer<Format extends string = string> {
  /** Lower case, without parameters: `application/json`. */
  readonly mediaType: string;
  readonly format: Format;
  /** The media type of a watch in this format; undefined where it has none. */
  readonly stream?: string;
  /** Only answers of another kind are written in it, and no body is read. */
  readonly transformedOnly?: true;
}

/** Another kind in which a client may ask for an answer: `;as=Table;g=…;v=v1` on a media type. */
export interface Transform<Format extends string = string> {
  readonly as: string;
  readonly group: string;
  readonly versions: readonly string[];
  readonly formats: readonly Format[];
}

export interface Accepted<Format extends string = string> {
  readonly offer: Offer<Format>;
  /** The chosen media type had the parameter `pretty=1`. */
  readonly pretty: boolean;
  readonly transform: { readonly as: string; readonly version: string } | undefined;
}

export interface Negotiator<Format extends string = string> {
  /**
   * The representation to answer with (rules: Media types and headers; rule 2 for the fallback list).
   * @throws ApiError NotAcceptable where the header lists nothing that is offered.
   */
  accept(header: string | undefined): Accepted<Format>;
  /**
   * The same for a watch, with its media type. A format that is chosen and has no stream is not passed over for the
   * next of the list, as in the reference.
   * @throws ApiError NotAcceptable
   */
  acceptStream(header: string | undefined): Accepted<Format> & { readonly stream: string };
  /**
   * The codec for a body; the first offer where the header is absent.
   * @throws ApiError UnsupportedMediaType
   */
  contentType(header: string | undefined): Offer<Format>;
}

export type TextFormat = "json" | "yaml";
export type ObjectFormat = TextFormat | "protobuf" | "cbor";

const allFormats: readonly ObjectFormat[] = ["json", "yaml", "protobuf", "cbor"];

const json = { mediaType: "application/json", format: "json", stream: "application/json" } as const;
const yaml = { mediaType: "application/yaml", format: "yaml" } as const;

/** The formats that every object has, the default first. Named alike in every dialect. */
export const textOffers: readonly Offer<TextFormat>[] = [json, yaml];

/** What built-in objects are read and written in; CBOR where its gate is on (rules: Media types and headers). */
export function objectOffers(naming: Naming, options: { readonly cbor: boolean }): readonly Offer<ObjectFormat>[] {
  const mediaType = naming.protobufMediaType;
  const protobuf = { mediaType, format: "protobuf", stream: `${mediaType};stream=watch` } as const;
  const cbor = { mediaType: "application/cbor", format: "cbor", stream: "application/cbor-seq" } as const;
  return options.cbor ? [json, yaml, protobuf, cbor] : [json, yaml, protobuf];
}

/**
 * What custom resources are read and written in: no Protobuf, of which they have no messages; their metadata can be had in
 * it (rules: Media types and headers).
 */
export function customOffers(offers: readonly Offer<ObjectFormat>[]): readonly Offer<ObjectFormat>[] {
  return offers.map((offer) => (offer.format === "protobuf" ? { ...offer, transformedOnly: true } : offer));
}

/** The answers that resources may be asked for instead of their objects (rules: Behavior rules, 2). */
export function objectTransforms(naming: Naming): readonly Transform<ObjectFormat>[] {
  const of = { group: naming.metaGroup, versions: ["v1", "v1beta1"] };
  return [
    { as: "Table", ...of, formats: ["json", "yaml"] },
    { as: "PartialObjectMetadata", ...of, formats: allFormats },
    { as: "PartialObjectMetadataList", ...of, formats: allFormats },
  ];
}

/** Those of what has no table: what is asked and not kept, as reviews and tokens, and most parts of objects. */
export function tablelessTransforms(naming: Naming): readonly Transform<ObjectFormat>[] {
  return objectTransforms(naming).filter(({ as }) => as !== "Table");
}

/** What `/api` and `/apis` may be asked for: all groups with their resources in one answer. */
export function discoveryTransforms(naming: Naming): readonly Transform<ObjectFormat>[] {
  const group = naming.group("apidiscovery");
  return [{ as: "APIGroupDiscoveryList", group, versions: ["v2", "v2beta1"], formats: allFormats }];
}

/**
 * Chooses among `offers`, of which the first is the default, and the `transforms` of them. Answers are remembered by
 * header, a bounded number of short ones: clients send the same few for ever.
 */
export function createNegotiator<Format extends string>(
  offers: readonly Offer<Format>[],
  transforms: readonly Transform<Format>[] = [],
): Negotiator<Format> {
  const [first] = offers;
  if (first === undefined) throw new TypeError("a negotiator needs at least one offer");
  const whole = offers.filter((o) => o.transformedOnly === undefined);
  const mediaTypes = whole.map((o) => o.mediaType);
  const streamed = whole.filter((o) => o.stream !== undefined).map((o) => o.mediaType);
  const preferred: Accepted<Format> = { offer: first, pretty: false, transform: undefined };
  const accepted = remembered((header) => chooseAccepted(header, offers, transforms));
  const decoders = remembered((header) => {
    const { type, subtype } = mediaRange(header);
    return whole.find((o) => o.mediaType === `${type}/${subtype}`);
  });
  const choose = (header: string | undefined): Accepted<Format> | undefined =>
    header === undefined || header === "" ? preferred : accepted(header);
  return {
    accept(header) {
      const choice = choose(header);
      if (choice === undefined) throw notAcceptable(mediaTypes);
      return choice;
    },
    acceptStream(header) {
      const choice = choose(header);
      if (choice?.offer.stream === undefined) throw notAcceptable(streamed);
      return { ...choice, stream: choice.offer.stream };
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
  transforms: readonly Transform<Format>[],
): Accepted<Format> | undefined {
  const ranges = splitOutsideQuotes(header, ",")
    .map(mediaRange)
    .map((range) => ({ range, quality: qualityOf(range) }))
    .filter(({ range, quality }) => quality > 0 && range.type !== "" && range.subtype !== "")
    .sort((a, b) => b.quality - a.quality || wildness(a.range) - wildness(b.range));
  for (const { range } of ranges) {
    const wanted = wantedTransform(range);
    for (const offer of offers) {
      if (!matches(range, offer.mediaType) || !hasStream(range, offer)) continue;
      const pretty = range.parameters.get("pretty") === "1";
      if (wanted === undefined && offer.transformedOnly === true) continue;
      if (wanted === undefined) return { offer, pretty, transform: undefined };
      if (transforms.some((t) => allows(t, wanted, offer.format))) {
        return { offer, pretty, transform: { as: wanted.as, version: wanted.version } };
      }
    }
  }
  return undefined;
}

interface WantedTransform {
  readonly as: string;
  readonly group: string;
  readonly version: string;
}

/** Any one of `as`, `g` and `v` asks for another kind, even if it names none that exists. */
function wantedTransform({ parameters }: MediaRange): WantedTransform | undefined {
  const [as, group, version] = ["as", "g", "v"].map((name) => parameters.get(name));
  if (as === undefined && group === undefined && version === undefined) return undefined;
  return { as: as ?? "", group: group ?? "", version: version ?? "" };
}

function allows<Format extends string>(t: Transform<Format>, wanted: WantedTransform, format: Format): boolean {
  return (
    t.as === wanted.as && t.group === wanted.group && t.versions.includes(wanted.version) && t.formats.includes(format)
  );
}

/** `stream=watch` asks for a format that has a stream; no other stream is known. */
function hasStream(range: MediaRange, offer: Offer): boolean {
  const stream = range.parameters.get("stream") ?? "";
  return stream === "" || (stream === "watch" && offer.stream !== undefined);
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

/** `q`, or 1 if it is absent; an invalid number counts as 0, so that the type is not chosen. */
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

/** Remembers the last answers of a pure function of a header; the oldest answer goes first. */
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
