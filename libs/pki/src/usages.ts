import "reflect-metadata"; // must come before the library

import {
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
} from "@peculiar/x509";

/** Usages of certificates by the names that the API has for them. */
const keyUsages: Readonly<Record<string, KeyUsageFlags>> = {
  signing: KeyUsageFlags.digitalSignature,
  "digital signature": KeyUsageFlags.digitalSignature,
  "content commitment": KeyUsageFlags.nonRepudiation,
  "key encipherment": KeyUsageFlags.keyEncipherment,
  "key agreement": KeyUsageFlags.keyAgreement,
  "data encipherment": KeyUsageFlags.dataEncipherment,
  "cert sign": KeyUsageFlags.keyCertSign,
  "crl sign": KeyUsageFlags.cRLSign,
  "encipher only": KeyUsageFlags.encipherOnly,
  "decipher only": KeyUsageFlags.decipherOnly,
};
const purposes: Readonly<Record<string, string>> = {
  any: "2.5.29.37.0",
  "server auth": ExtendedKeyUsage.serverAuth,
  "client auth": ExtendedKeyUsage.clientAuth,
  "code signing": ExtendedKeyUsage.codeSigning,
  "email protection": ExtendedKeyUsage.emailProtection,
  "s/mime": ExtendedKeyUsage.emailProtection,
  "ipsec end system": "1.3.6.1.5.5.7.3.5",
  "ipsec tunnel": "1.3.6.1.5.5.7.3.6",
  "ipsec user": "1.3.6.1.5.5.7.3.7",
  timestamping: ExtendedKeyUsage.timeStamping,
  "ocsp signing": ExtendedKeyUsage.ocspSigning,
  "microsoft sgc": "1.3.6.1.4.1.311.10.3.3",
  "netscape sgc": "2.16.840.1.113730.4.1",
};

/** The extensions that tell the usages; a text names those that nobody knows. */
export function usageExtensions(usages: readonly string[]): readonly Extension[] | string {
  let flags = 0;
  const extended = new Set<string>();
  const unknown: string[] = [];
  for (const usage of usages) {
    const flag = Object.hasOwn(keyUsages, usage) ? keyUsages[usage] : undefined;
    const purpose = Object.hasOwn(purposes, usage) ? purposes[usage] : undefined;
    if (flag !== undefined) flags |= flag;
    else if (purpose !== undefined) extended.add(purpose);
    else unknown.push(JSON.stringify(usage));
  }
  if (unknown.length > 0) return `unrecognized usage values: ${unknown.join(", ")}`;
  return [
    ...(flags === 0 ? [] : [new KeyUsagesExtension(flags, true)]),
    ...(extended.size === 0 ? [] : [new ExtendedKeyUsageExtension([...extended])]),
  ];
}
