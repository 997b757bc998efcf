import { type ChunkMemory, freshMemory } from "@orch/status/chunk-memory.js";
import { readJson } from "@orch/status/read-json.js";
import { JsonString } from "./json-string.js";
import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  newline,
  openBrace,
  openBracket,
  quote,
  type Rewriter,
  Slice,
  sliceBytes,
  space,
} from "./rewriter.js";
import { type YamlPlace, yamlText } from "./yaml-text.js";

/** Writes a JSON text as YAML: blocks indented by two spaces, the items of a list where its key stands. */
export function blockYaml(memory: ChunkMemory = freshMemory): Rewriter {
  return new BlockYaml(memory);
}

/** A map or a list that is open. */
interface Frame {
  readonly isMap: boolean;
  /** Spaces before each of its lines. */
  readonly indent: number;
  readonly place: Place;
  /** Nothing of it is written yet: if it is empty, it goes on the line of its key. */
  empty: boolean;
}

/** What stands before a value. */
type Place = "root" | "item" | "key" | "longKey";

/** A string on its way: lines of a block, or of no further indentation. */
interface Rest {
  readonly bytes: Buffer;
  at: number;
  readonly indent: number;
}

/** A string's bytes: all of them, or the lines of a block, which are yet to be indented. */
interface Written {
  readonly header?: string;
  readonly bytes: Buffer;
}

const none = Buffer.alloc(0);
/** Longer strings are written slice by slice. */
const longText = 4096;
/** YAML readers do not look further than this for the colon after a key. */
const longestKey = 1024;
const dash = 0x2d;

class BlockYaml implements Rewriter {
  readonly #memory: ChunkMemory;
  readonly #frames: Frame[] = [];
  readonly #string = new JsonString();
  #slice: Slice;
  #part: Buffer = none;
  #at = 0;
  #place: Place = "root";
  /** The next string is a key. */
  #isKey = false;
  #inString = false;
  #inLiteral = false;
  #rest: Rest | undefined;
  /** The document is complete except for its last newline. */
  #over = false;

  constructor(memory: ChunkMemory) {
    this.#memory = memory;
    this.#slice = new Slice(freshMemory);
  }

  get usedUp(): boolean {
    return this.#at >= this.#part.length && this.#rest === undefined && !this.#over;
  }

  feed(part: Buffer): void {
    this.#part = part;
    this.#at = 0;
    if (this.#inString) this.#string.resume(part);
  }

  next(): Buffer {
    const slice = new Slice(this.#memory);
    this.#slice = slice;
    while (slice.at < sliceBytes) {
      if (this.#rest !== undefined) this.#goOn(this.#rest);
      else if (this.#over) {
        slice.byte(newline);
        this.#over = false;
      } else if (this.#at >= this.#part.length) break;
      else if (this.#inString) this.#readString();
      else this.#token(this.#part[this.#at++] ?? space);
    }
    return slice.done;
  }

  #token(byte: number): void {
    switch (byte) {
      case quote:
        this.#inString = true;
        this.#string.begin(this.#part, this.#at);
        return;
      case comma:
        this.#inLiteral = false;
        this.#isKey = this.#frames.at(-1)?.isMap === true;
        return;
      case colon:
        return;
      case openBrace:
        this.#open(true);
        return;
      case openBracket:
        this.#open(false);
        return;
      case closeBrace:
      case closeBracket:
        this.#close();
        return;
      default:
        this.#literal(byte);
    }
  }

  /** A number, true, false or null goes out as it stands. */
  #literal(byte: number): void {
    if (byte > space) {
      if (!this.#inLiteral) this.#value();
      this.#inLiteral = true;
      this.#slice.byte(byte);
      return;
    }
    if (!this.#inLiteral) return;
    this.#inLiteral = false;
    this.#over = this.#frames.length === 0;
  }

  #open(isMap: boolean): void {
    const parent = this.#frames.at(-1);
    const place = this.#entry();
    const beside = parent === undefined || (!isMap && place === "key");
    const indent = (parent?.indent ?? 0) + (beside ? 0 : 2);
    this.#frames.push({ isMap, indent, place, empty: true });
    this.#isKey = isMap;
  }

  #close(): void {
    this.#inLiteral = false;
    this.#isKey = false;
    const frame = this.#frames.pop();
    if (frame?.empty === true) {
      if (frame.place === "key" || frame.place === "longKey") this.#slice.byte(space);
      this.#slice.ascii(frame.isMap ? "{}" : "[]");
    }
    this.#over = this.#frames.length === 0;
  }

  /** Begins a value; a list gets a line for it. */
  #entry(): Place {
    const frame = this.#frames.at(-1);
    if (frame === undefined || frame.isMap) return this.#place;
    this.#line(frame);
    this.#slice.byte(dash);
    this.#slice.byte(space);
    return "item";
  }

  /** Begins a value that is neither a map nor a list. */
  #value(): Place {
    const place = this.#entry();
    if (place === "key" || place === "longKey") this.#slice.byte(space);
    return place;
  }

  /** Begins an entry of a map or a list. The first of one within a list, or behind a long key, stands on the line of that. */
  #line(frame: Frame): void {
    if (!frame.empty || frame.place === "key") this.#slice.line(frame.indent);
    else if (frame.place === "longKey") this.#slice.byte(space);
    frame.empty = false;
  }

  #readString(): void {
    const end = this.#string.read(this.#part, this.#at);
    if (end < 0) {
      this.#string.hold();
      this.#at = this.#part.length;
      return;
    }
    this.#at = end;
    this.#inString = false;
    if (this.#isKey) this.#key(this.#string.raw);
    else this.#text(this.#string.raw);
    this.#over = this.#frames.length === 0;
  }

  /** Written at once, however long it is: what stands before and behind it depends on that. */
  #key(raw: Buffer): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return;
    this.#isKey = false;
    this.#line(frame);
    const { bytes } = this.#written(raw, frame.indent === 0 ? "outermostKey" : "key");
    const isLong = bytes.length > longestKey && bytes.toString("utf8").length > longestKey;
    if (isLong) this.#slice.ascii("? ");
    this.#slice.copy(bytes, 0, bytes.length);
    if (isLong) this.#slice.line(frame.indent);
    this.#slice.byte(colon);
    this.#place = isLong ? "longKey" : "key";
  }

  #text(raw: Buffer): void {
    const place = this.#value();
    const { header, bytes } = this.#written(raw, place === "root" ? "root" : "value");
    if (header !== undefined) {
      const indent = (this.#frames.at(-1)?.indent ?? 0) + 2;
      this.#slice.ascii(header);
      this.#slice.line(indent);
      this.#rest = { bytes, at: 0, indent };
    } else if (bytes.length > longText) this.#rest = { bytes, at: 0, indent: 0 };
    else this.#slice.copy(bytes, 0, bytes.length);
  }

  #written(raw: Buffer, place: YamlPlace): Written {
    if (this.#string.isPlain(raw)) return { bytes: raw };
    if (this.#string.isExotic) return { bytes: quoted(raw) };
    const escaped = raw.includes(backslash);
    const text = raw.toString("utf8");
    const value = escaped ? String(readJson(`"${text}"`)) : text;
    const how = yamlText(value, place);
    switch (how.style) {
      case "plain":
        return { bytes: escaped ? Buffer.from(value) : raw };
      case "single":
        return { bytes: Buffer.from(`'${value}'`) };
      case "double":
        return { bytes: quoted(raw) };
      case "block":
        return { header: how.header, bytes: Buffer.from(how.lines) };
    }
  }

  /** Writes more of a long string: to the end of a line and its newlines, or as much as the slice takes. */
  #goOn(rest: Rest): void {
    const { bytes, indent } = rest;
    const slice = this.#slice;
    while (rest.at < bytes.length && slice.at < sliceBytes) {
      const until = Math.min(bytes.length, rest.at + sliceBytes - slice.at);
      const found = bytes.subarray(rest.at, until).indexOf(newline);
      let end = found < 0 ? until : rest.at + found + 1;
      if (found >= 0) while (end < bytes.length && bytes[end] === newline) end++;
      slice.copy(bytes, rest.at, end);
      rest.at = end;
      if (found >= 0 && end < bytes.length) slice.spaces(indent);
    }
    if (rest.at >= bytes.length) this.#rest = undefined;
  }
}

const quoteMark = Buffer.from('"');

function quoted(raw: Buffer): Buffer {
  return Buffer.concat([quoteMark, raw, quoteMark]);
}
