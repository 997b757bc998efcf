import { type DerValue, derInside, derTag, derValues } from "./der.js";
import { pemBlocks } from "./pem.js";

/** What a PKCS#10 request says of its subject. */
export interface SigningRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly emails: readonly string[];
  readonly uris: readonly string[];
  /** How many addresses. */
  readonly addresses: number;
}

const commonName = "550403";
const organization = "55040a";
const extensionRequest = "2a864886f70d01090e";
const alternativeNames = "551d11";
const attributesTag = 0xa0;
const nameTags = { email: 0x81, dns: 0x82, uri: 0x86, address: 0x87 };

/** Reads the PEM text of a request; a text says what is wrong with it. The signature is not checked. */
export function parseSigningRequest(pem: string): SigningRequest | string {
  const [block] = pemBlocks(pem);
  if (block?.type !== "CERTIFICATE REQUEST") return "PEM block type must be CERTIFICATE REQUEST";
  return read(block.bytes) ?? "asn1: structure error: not a certification request";
}

function read(bytes: Buffer): SigningRequest | undefined {
  const [outer, ...trailing] = derValues(bytes) ?? [];
  const [info, algorithm, signature] = derInside(outer, derTag.sequence) ?? [];
  const [version, subject, key, attributes] = derInside(info, derTag.sequence) ?? [];
  const names = derInside(subject, derTag.sequence);
  const whole =
    trailing.length === 0 &&
    version?.tag === derTag.integer &&
    derInside(key, derTag.sequence) !== undefined &&
    derInside(algorithm, derTag.sequence) !== undefined &&
    signature?.tag === derTag.bits;
  if (!whole || names === undefined) return undefined;
  const subjects = names.flatMap((set) => derInside(set, derTag.set) ?? []).map(pairOf);
  const alternatives = alternativesOf(attributes);
  const texts = (tag: number) => alternatives.filter((v) => v.tag === tag).map((v) => v.content.toString("latin1"));
  return {
    commonName: subjects.findLast((s) => s.oid === commonName)?.value?.content.toString("utf8") ?? "",
    organizations: subjects.flatMap((s) => (s.oid === organization ? [s.value?.content.toString("utf8") ?? ""] : [])),
    dnsNames: texts(nameTags.dns),
    emails: texts(nameTags.email),
    uris: texts(nameTags.uri),
    addresses: texts(nameTags.address).length,
  };
}

/** A sequence of an object identifier (in hex) and the last value behind it. */
function pairOf(value: DerValue | undefined): { readonly oid: string; readonly value: DerValue | undefined } {
  const parts = derInside(value, derTag.sequence) ?? [];
  return { oid: parts[0]?.content.toString("hex") ?? "", value: parts.at(-1) };
}

/** Attributes → the requested extensions → the subject's other names. */
function alternativesOf(attributes: DerValue | undefined): readonly DerValue[] {
  const requested = derInside(attributes, attributesTag)
    ?.map(pairOf)
    .find((a) => a.oid === extensionRequest);
  const [extensions] = derInside(requested?.value, derTag.set) ?? [];
  const names = derInside(extensions, derTag.sequence)
    ?.map(pairOf)
    .find((e) => e.oid === alternativeNames);
  const [list] = names?.value?.tag === derTag.octets ? (derValues(names.value.content) ?? []) : [];
  return derInside(list, derTag.sequence) ?? [];
}
