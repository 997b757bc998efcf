import { readFile } from "node:fs/promises";
import { bearer, type CredentialSource, type Credentials, renewedCredentials } from "./credentials.js";
import { type CredentialTools, isPair, isToken } from "./exec-plugin.js";

/** Absolute paths of what others may replace while a client lives. */
export interface CredentialFiles {
  readonly token?: string;
  readonly certificate?: string;
  readonly key?: string;
}

/** Files are read again at most each minute. */
const renewMs = 60_000;

/** Credentials from files; `initial` is what stands in them now, and what no file has. */
export function fileCredentials(
  files: CredentialFiles,
  { initial, clock }: { readonly initial: Credentials } & Pick<CredentialTools, "clock">,
): CredentialSource {
  const renewAt = (): number => clock.now() + renewMs;
  const obtain = async () => {
    const [token, certificate, key] = await Promise.all([
      files.token === undefined ? undefined : readTokenFile(files.token),
      files.certificate === undefined ? initial.certificate : readFile(files.certificate, "utf8"),
      files.key === undefined ? initial.key : readFile(files.key, "utf8"),
    ]);
    const changed = certificate !== initial.certificate || key !== initial.key;
    if (changed && !isPair(certificate ?? "", key ?? "")) {
      // Somebody is just writing them.
      throw new Error(`${files.certificate ?? files.key}: certificate and key do not belong together`);
    }
    const authorization = token === undefined ? initial.authorization : bearer(token);
    const credentials = {
      ...(authorization === undefined ? {} : { authorization }),
      ...(certificate === undefined ? {} : { certificate }),
      ...(key === undefined ? {} : { key }),
    };
    return { credentials, renewAt: renewAt() };
  };
  return renewedCredentials({
    obtain,
    now: () => clock.now(),
    initial: { credentials: initial, renewAt: renewAt() },
  });
}

/** The one token that a file holds. @throws Error that names the file and never what is in it */
export async function readTokenFile(path: string): Promise<string> {
  const token = (await readFile(path, "utf8")).trim();
  if (token === "") throw new Error(`${path}: the file holds no token`);
  if (!isToken(token)) throw new Error(`${path}: what the file holds fits in no header`);
  return token;
}
