import { generateKeyPairSync, randomBytes } from "node:crypto";
import { chmod, mkdir } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import { printClientConfig } from "@orch/client/config.js";
import type { Naming } from "@orch/naming/naming.js";
import { isFor, isUsable, type KeyPair } from "@orch/pki/key-pair.js";
import { readIfThere, writePrivateFile } from "./private-file.js";

export interface PkiOptions {
  /** Host names and addresses besides those of this machine (`--tls-san`). */
  readonly tlsSans: readonly string[];
  readonly clock: { now(): number };
  readonly naming: Naming;
}

/** What the server and its first client need, as PEM, and where it lies. */
export interface Pki {
  /** The authority's certificate: of servers for clients, of clients for the server. */
  readonly ca: string;
  readonly serving: KeyPair;
  readonly admin: KeyPair;
  /** Bearer token of the administrator. */
  readonly adminToken: string;
  /** Signs the tokens of service accounts (PKCS #8). */
  readonly serviceAccountKey: string;
  readonly paths: {
    readonly ca: string;
    readonly caKey: string;
    readonly serviceAccountKey: string;
    readonly servingCertificate: string;
    readonly servingKey: string;
    readonly adminCertificate: string;
    readonly adminKey: string;
    /** By which nodes' agents know the server. */
    readonly agentClientCertificate: string;
    readonly agentClientKey: string;
    /** In the form of `--token-auth-file`. */
    readonly tokens: string;
  };
}

export const adminUser = "admin";
const agentClientFile = "agent-client";
const ownNames: readonly string[] = ["localhost", "127.0.0.1", "::1"];
const hostName = /^(?:\*\.)?[A-Za-z0-9](?:[-A-Za-z0-9]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[-A-Za-z0-9]*[A-Za-z0-9])?)*$/;

/** Loaded where a certificate is made, that is at the first start: the library takes a tenth of a second. */
const issuing = () => import("@orch/pki/certificates.js");

/**
 * Makes what is missing below `<dataDir>/pki` and keeps the rest: an authority, a serving certificate (made anew
 * when its names change or its time ends), the administrator's certificate and token. Every file has mode 0600.
 * @throws Error in one line for a name that can not stand in a certificate and for an unreadable authority
 */
export async function ensurePki(dataDir: string, options: PkiOptions): Promise<Pki> {
  const names = [...new Set([...ownNames, ...options.tlsSans])];
  for (const name of names) {
    if (isIP(name) === 0 && !hostName.test(name)) {
      throw new Error(`--tls-san: ${JSON.stringify(name)} is neither a host name nor an address`);
    }
  }
  const folder = join(dataDir, "pki");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const { clock, naming } = options;
  const now = clock.now();
  const authority = await ensureAuthority(folder, naming, now);
  const admin = { name: adminUser, groups: [naming.mastersGroup] };
  const agentClient = { name: naming.systemName("apiserver-agent-client"), groups: [naming.mastersGroup] };
  const [serving, adminPair, tokens, serviceAccountKey] = await Promise.all([
    ensurePair(
      join(folder, "serving"),
      (pair) => isUsable(pair, authority, now) && isFor(pair, names),
      async () => (await issuing()).issueServing(authority, names, now),
    ),
    ensurePair(
      join(folder, adminUser),
      (pair) => isUsable(pair, authority, now),
      async () => (await issuing()).issueClient(authority, admin, now),
    ),
    ensureToken(join(folder, "tokens.csv"), admin),
    ensureServiceAccountKey(join(folder, "service-accounts.key")),
    ensurePair(
      join(folder, agentClientFile),
      (pair) => isUsable(pair, authority, now),
      async () => (await issuing()).issueClient(authority, agentClient, now),
    ),
  ]);
  return {
    ca: authority.certificate,
    serving,
    admin: adminPair,
    adminToken: tokens,
    serviceAccountKey,
    paths: {
      ca: join(folder, "ca.crt"),
      caKey: join(folder, "ca.key"),
      serviceAccountKey: join(folder, "service-accounts.key"),
      servingCertificate: join(folder, "serving.crt"),
      servingKey: join(folder, "serving.key"),
      adminCertificate: join(folder, `${adminUser}.crt`),
      adminKey: join(folder, `${adminUser}.key`),
      agentClientCertificate: join(folder, `${agentClientFile}.crt`),
      agentClientKey: join(folder, `${agentClientFile}.key`),
      tokens: join(folder, "tokens.csv"),
    },
  };
}

/** An authority that is there is never replaced: every client that trusts it would be locked out. */
async function ensureAuthority(folder: string, naming: Naming, now: number): Promise<KeyPair> {
  const path = join(folder, "ca");
  const pair = await readPair(path);
  if (pair === undefined) {
    const { issueAuthority } = await issuing();
    const made = await issueAuthority(`${naming.dialect}-ca`, now);
    await writePair(path, made);
    return made;
  }
  if (isUsable(pair, pair, now)) return pair;
  throw new Error(
    `the authority in ${path}.crt and ${path}.key is damaged or at its end; remove both to have a new one`,
  );
}

async function ensurePair(
  path: string,
  isGood: (pair: KeyPair) => boolean,
  make: () => Promise<KeyPair>,
): Promise<KeyPair> {
  const pair = await readPair(path);
  if (pair !== undefined && isGood(pair)) return pair;
  const made = await make();
  await writePair(path, made);
  return made;
}

async function readPair(path: string): Promise<KeyPair | undefined> {
  const [certificate, key] = await Promise.all([readIfThere(`${path}.crt`), readIfThere(`${path}.key`)]);
  return certificate === undefined || key === undefined ? undefined : { certificate, key };
}

/** The key first: a pair is there when its certificate is. */
async function writePair(path: string, pair: KeyPair): Promise<void> {
  await writePrivateFile(`${path}.key`, pair.key);
  await writePrivateFile(`${path}.crt`, pair.certificate);
}

async function ensureToken(
  path: string,
  admin: { readonly name: string; readonly groups: readonly string[] },
): Promise<string> {
  const known = (await readIfThere(path))?.split(",", 1)[0]?.trim();
  if (known !== undefined && known !== "") return known;
  const token = randomBytes(32).toString("base64url");
  await writePrivateFile(path, `${token},${admin.name},${admin.name},"${admin.groups.join(",")}"\n`);
  return token;
}

/** A key that is there is never replaced: every token that it signed would be void. */
async function ensureServiceAccountKey(path: string): Promise<string> {
  const known = await readIfThere(path);
  if (known !== undefined) return known;
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  await writePrivateFile(path, key);
  return key;
}

/** A certificate of a further client below `<dataDir>/pki`, as `<file>.crt` and `.key`: made where it is missing. */
export async function ensureClient(
  dataDir: string,
  client: { readonly file: string; readonly name: string; readonly groups?: readonly string[] },
  { clock, naming }: Pick<PkiOptions, "clock" | "naming">,
): Promise<KeyPair> {
  const folder = join(dataDir, "pki");
  const now = clock.now();
  const authority = await ensureAuthority(folder, naming, now);
  return await ensurePair(
    join(folder, client.file),
    (pair) => isUsable(pair, authority, now),
    async () => (await issuing()).issueClient(authority, client, now),
  );
}

/** Writes a client configuration file (mode 0600), whole or not at all: the administrator's where no user is named. */
export async function writeClientConfig(
  path: string,
  config: {
    readonly server: string;
    readonly ca: string;
    readonly user?: string;
    readonly cert: string;
    readonly key: string;
    readonly token?: string;
    readonly naming: Naming;
  },
): Promise<void> {
  const { server, ca, user = adminUser, cert, key, token, naming } = config;
  const bearer = token === undefined ? {} : { token };
  await writePrivateFile(path, printClientConfig({ naming, server, ca, user, certificate: cert, key, ...bearer }));
}
