import { createHash, timingSafeEqual, X509Certificate } from "node:crypto";

const blocks = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** The pins of all certificates of a bundle, PEM. @throws Error for what is no certificate */
export const pinsOf = (bundle: string): readonly string[] => (bundle.match(blocks) ?? []).map(pinOf);

/** `sha256:` and the hash of a certificate's public key, in hex: by which a machine that joins knows the authority. */
export function pinOf(pem: string): string {
  const der = new X509Certificate(pem).publicKey.export({ type: "spki", format: "der" });
  return `sha256:${createHash("sha256").update(der).digest("hex")}`;
}

/** @throws Error for what is no pin */
export function checkPins(pins: readonly string[]): void {
  for (const pin of pins) {
    if (!/^sha256:[0-9a-fA-F]{64}$/.test(pin)) {
      throw new Error(
        `invalid public key hash ${JSON.stringify(pin.slice(0, 100))}: expected "sha256:" and 64 hexadecimal digits`,
      );
    }
  }
}

export function isPinned(bundle: string, pins: readonly string[]): boolean {
  const wanted = pins.map((pin) => Buffer.from(pin.toLowerCase()));
  return pinsOf(bundle).some((pin) => {
    const bytes = Buffer.from(pin);
    return wanted.some((each) => each.length === bytes.length && timingSafeEqual(each, bytes));
  });
}
