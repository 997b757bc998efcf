import { type SizedCodec, sizedCodec } from "./codecs/codec.js";
import type { GetRequest } from "./messages.js";
import { asBuffer, createWireReader, fieldSize, lengthDelimited, tag, textLength, writeText } from "./wire.js";

/** `GetRequest` by hand: every get of the cluster encodes and decodes one. */
export const getRequestCodec: SizedCodec<GetRequest> = sizedCodec({
  size: (v) =>
    fieldSize(textLength(v.group)) +
    fieldSize(textLength(v.version)) +
    fieldSize(textLength(v.resource)) +
    fieldSize(textLength(v.namespace)) +
    fieldSize(textLength(v.name)) +
    fieldSize(textLength(v.resourceVersion)) +
    fieldSize(textLength(v.subresource)) +
    fieldSize(textLength(v.form)),
  write: (v, target, at) => {
    at = writeText(target, at, { tag: tag(1, lengthDelimited), text: v.group });
    at = writeText(target, at, { tag: tag(2, lengthDelimited), text: v.version });
    at = writeText(target, at, { tag: tag(3, lengthDelimited), text: v.resource });
    at = writeText(target, at, { tag: tag(4, lengthDelimited), text: v.namespace });
    at = writeText(target, at, { tag: tag(5, lengthDelimited), text: v.name });
    at = writeText(target, at, { tag: tag(6, lengthDelimited), text: v.resourceVersion });
    at = writeText(target, at, { tag: tag(7, lengthDelimited), text: v.subresource });
    writeText(target, at, { tag: tag(8, lengthDelimited), text: v.form });
  },
  decode: (bytes) => {
    const reader = createWireReader(asBuffer(bytes));
    let group = "";
    let version = "";
    let resource = "";
    let namespace = "";
    let name = "";
    let resourceVersion = "";
    let subresource = "";
    let form = "";
    while (reader.at < reader.end) {
      const fieldTag = reader.varint();
      if (fieldTag === tag(1, lengthDelimited)) group = reader.text();
      else if (fieldTag === tag(2, lengthDelimited)) version = reader.text();
      else if (fieldTag === tag(3, lengthDelimited)) resource = reader.text();
      else if (fieldTag === tag(4, lengthDelimited)) namespace = reader.text();
      else if (fieldTag === tag(5, lengthDelimited)) name = reader.text();
      else if (fieldTag === tag(6, lengthDelimited)) resourceVersion = reader.text();
      else if (fieldTag === tag(7, lengthDelimited)) subresource = reader.text();
      else if (fieldTag === tag(8, lengthDelimited)) form = reader.text();
      else reader.skip(fieldTag);
    }
    return { group, version, resource, namespace, name, resourceVersion, subresource, form };
  },
});
