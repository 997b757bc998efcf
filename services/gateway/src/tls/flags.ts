import { enumFlag, type Flag, listFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";
import { isServerName } from "./server-names.js";

/** A further certificate by the paths of its files. */
export interface NamedFiles {
  readonly cert: string;
  readonly key: string;
  readonly names: readonly string[];
}

/** `cert,key[:name,*.pattern]`, a pair for each occurrence, as the reference writes it. */
const namedPairsFlag: Flag<readonly NamedFiles[]> = {
  type: "cert,key[:names]",
  default: [],
  shownDefault: "",
  group: "Serving",
  help: "a further certificate for clients that ask for one of these names (*. stands for one label), or without names for those that it is for; may be given several times",
  read(value, before = []) {
    const [, cert = "", key = "", list] = /^([^,:]+),([^,:]+)(?::(.*))?$/.exec(value) ?? [];
    if (cert === "") return { ok: false, problem: "must be certificate,key[:name,name...]" };
    const names = list === undefined ? [] : list.split(",").map((name) => name.trim().toLowerCase());
    const wrong = names.find((name) => !isServerName(name));
    if (wrong !== undefined)
      return { ok: false, problem: `${JSON.stringify(wrong)} is no host name that a client asks for` };
    return { ok: true, value: [...before, { cert, key, names }] };
  },
  show: (pairs) =>
    pairs.map(({ cert, key, names }) => `${cert},${key}${names.length === 0 ? "" : `:${names.join(",")}`}`),
};

const file = (group: string, help: string): Flag<string> => stringFlag("", { group, word: "file", help });

/** Flags of the certificates that a gateway serves with and asks for; the reference's names. */
export const tlsFlags = {
  "tls-cert-file": file("Serving", "certificate that clients see, with its chain"),
  "tls-private-key-file": file("Serving", "key of that certificate"),
  "tls-sni-cert-key": namedPairsFlag,
  "tls-min-version": enumFlag(["VersionTLS12", "VersionTLS13"], "VersionTLS12", {
    group: "Serving",
    help: "least version of TLS that clients may speak",
  }),
  "tls-cipher-suites": listFlag([], {
    group: "Serving",
    help: "cipher suites of TLS 1.2, comma separated, the preferred first; those with forward secrecy and authenticated encryption when empty; those of TLS 1.3 are always on",
  }),
  "client-ca-file": file("Authentication", "authorities of client certificates"),
  "requestheader-client-ca-file": file(
    "Authentication",
    "authorities of front proxies, which tell in headers whom they have authenticated",
  ),
  "requestheader-allowed-names": listFlag([], {
    group: "Authentication",
    help: "common names of front proxies; whoever their authorities have signed when empty",
  }),
  "requestheader-username-headers": listFlag([], { group: "Authentication", help: "headers that name the user" }),
  "requestheader-uid-headers": listFlag([], { group: "Authentication", help: "headers that name the user's uid" }),
  "requestheader-group-headers": listFlag([], { group: "Authentication", help: "headers that name the user's groups" }),
  "requestheader-extra-headers-prefix": listFlag([], {
    group: "Authentication",
    help: "what headers with more of the user begin with",
  }),
} as const;

export type TlsFlagValues = FlagValues<typeof tlsFlags>;
