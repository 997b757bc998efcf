import type { LocalCipher } from "../configuration/configuration.js";

/** What every sealed value begins with, in both dialects: stored bytes are those of the reference. */
export const sealedMark = Buffer.from("k8s:enc:");

export const isSealed = (stored: Buffer): boolean => stored.subarray(0, sealedMark.length).equals(sealedMark);

/** Of all keys of a cipher; the name of one and a colon follow. */
export const cipherPrefix = (cipher: LocalCipher): string => `k8s:enc:${cipher}:v1:`;

export const kmsPrefix = (version: "v1" | "v2", provider: string): string => `k8s:enc:kms:${version}:${provider}:`;
