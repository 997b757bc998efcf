import { Reader } from "protobufjs/minimal.js";

/** A span as a collector gets it. Ids are in hex; the parent's is "" for a root. */
export interface CollectedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  readonly traceState: string;
  readonly name: string;
  readonly kind: "INTERNAL" | "SERVER" | "OTHER";
  readonly attributes: CollectedAttributes;
  readonly events: readonly CollectedEvent[];
  /** Ids of linked traces. */
  readonly links: readonly string[];
  readonly failed: boolean;
}

export type CollectedAttributes = Readonly<Record<string, string | number | boolean>>;

export interface CollectedEvent {
  readonly name: string;
  readonly attributes: CollectedAttributes;
}

/** Hands each field to `take` with its number; what `take` does not read is passed over. */
function fields(reader: Reader, length: number, take: (field: number, reader: Reader) => boolean): void {
  const end = reader.pos + length;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (!take(tag >>> 3, reader)) reader.skipType(tag & 7);
  }
}

function message(reader: Reader, take: (field: number, reader: Reader) => boolean): true {
  fields(reader, reader.uint32(), take);
  return true;
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** An ExportTraceServiceRequest of OTLP 1, as far as tests ask about it. */
export function readExport(bytes: Buffer): readonly CollectedSpan[] {
  const spans: CollectedSpan[] = [];
  const reader = Reader.create(bytes);
  fields(reader, bytes.length, (field) => field === 1 && message(reader, resourceSpans(spans)));
  return spans;
}

function resourceSpans(spans: CollectedSpan[]) {
  let service = "";
  return (field: number, reader: Reader): boolean => {
    if (field === 1) {
      const attributes: Record<string, string | number | boolean> = {};
      message(reader, (inner) => inner === 1 && attribute(reader, attributes));
      service = String(attributes["service.name"]);
      return true;
    }
    return field === 2 && message(reader, (inner) => inner === 2 && span(reader, service, spans));
  };
}

function span(reader: Reader, service: string, spans: CollectedSpan[]): true {
  const attributes: Record<string, string | number | boolean> = {};
  const events: CollectedEvent[] = [];
  const links: string[] = [];
  let [traceId, spanId, parentId, traceState, name, kind, failed] = ["", "", "", "", "", 0, false];
  message(reader, (field) => {
    if (field === 1) traceId = hexOf(reader.bytes());
    else if (field === 2) spanId = hexOf(reader.bytes());
    else if (field === 3) traceState = reader.string();
    else if (field === 4) parentId = hexOf(reader.bytes());
    else if (field === 5) name = reader.string();
    else if (field === 6) kind = reader.int32();
    else if (field === 9) return attribute(reader, attributes);
    else if (field === 11) return event(reader, events);
    else if (field === 13) {
      return message(reader, (inner) => inner === 1 && links.push(hexOf(reader.bytes())) > 0);
    } else if (field === 15) {
      return message(reader, (inner) => {
        if (inner !== 3) return false;
        failed = reader.int32() === 2;
        return true;
      });
    } else return false;
    return true;
  });
  const shown = kind === 1 ? "INTERNAL" : kind === 2 ? "SERVER" : "OTHER";
  spans.push({ service, traceId, spanId, parentId, traceState, name, kind: shown, attributes, events, links, failed });
  return true;
}

function event(reader: Reader, events: CollectedEvent[]): true {
  const attributes: Record<string, string | number | boolean> = {};
  let name = "";
  message(reader, (field) => {
    if (field === 2) name = reader.string();
    else return field === 3 && attribute(reader, attributes);
    return true;
  });
  events.push({ name, attributes });
  return true;
}

function attribute(reader: Reader, attributes: Record<string, string | number | boolean>): true {
  let key = "";
  let value: string | number | boolean = "";
  message(reader, (field) => {
    if (field === 1) key = reader.string();
    else if (field === 2) {
      return message(reader, (inner) => {
        if (inner === 1) value = reader.string();
        else if (inner === 2) value = reader.bool();
        else if (inner === 3) value = Number(reader.int64());
        else if (inner === 4) value = reader.double();
        else return false;
        return true;
      });
    } else return false;
    return true;
  });
  attributes[key] = value;
  return true;
}
