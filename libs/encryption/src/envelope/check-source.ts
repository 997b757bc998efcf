import type { KeySource } from "./encrypted-object.js";

const maxKeyIdBytes = 1024;
const maxWrappedBytes = 1024;
const maxAnnotationBytes = 32 << 10;

/** What is wrong with a key id; undefined where nothing. */
export function problemWithKeyId(keyId: string): string | undefined {
  const length = Buffer.byteLength(keyId);
  if (length === 0) return "keyID is empty";
  return length > maxKeyIdBytes
    ? `keyID is ${length} bytes, which exceeds the max size of ${maxKeyIdBytes}`
    : undefined;
}

export function problemWithWrapped({ length }: Buffer): string | undefined {
  if (length === 0) return "encrypted DEK source is empty";
  if (length <= maxWrappedBytes) return undefined;
  return `encrypted DEK source is ${length} bytes, which exceeds the max size of ${maxWrappedBytes}`;
}

export function problemWithAnnotations(annotations: KeySource["annotations"]): string | undefined {
  const entries = Object.entries(annotations);
  const length = entries.reduce((sum, [name, { length }]) => sum + Buffer.byteLength(name) + length, 0);
  const problems = entries.flatMap(([name]) => problemWithName(name) ?? []);
  if (length > maxAnnotationBytes) {
    problems.push(`total size of annotations is ${length}, which exceeds the max size of ${maxAnnotationBytes}`);
  }
  if (problems.length === 0) return undefined;
  return problems.length === 1 ? problems.join() : `[${problems.join(", ")}]`;
}

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const maxNameBytes = 253;

/** Names are fully qualified: a lower-case subdomain of two labels at least. */
function problemWithName(name: string): string | undefined {
  const invalid = (why: string): string => `annotations: Invalid value: ${JSON.stringify(name.slice(0, 300))}: ${why}`;
  if (name.length > maxNameBytes) return invalid(`must be no more than ${maxNameBytes} characters`);
  const labels = name.split(".");
  if (!labels.every((each) => label.test(each))) {
    return invalid(
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    );
  }
  return labels.length < 2 ? invalid("should be a domain with at least two segments separated by dots") : undefined;
}

/** What is wrong with an envelope but for its data; undefined where nothing. */
export function problemWithSource({ keyId, wrapped, annotations }: KeySource): string | undefined {
  const ofWrapped = problemWithWrapped(wrapped);
  if (ofWrapped !== undefined) return `failed to validate encrypted DEK source: ${ofWrapped}`;
  const ofKeyId = problemWithKeyId(keyId);
  if (ofKeyId !== undefined) return `failed to validate key id: ${ofKeyId}`;
  const ofAnnotations = problemWithAnnotations(annotations);
  return ofAnnotations === undefined ? undefined : `failed to validate annotations: ${ofAnnotations}`;
}
