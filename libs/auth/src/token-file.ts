import type { Naming } from "@orch/naming/naming.js";
import { noVerdict, type Verdict } from "./authenticator.js";
import type { Parsed } from "./parsed.js";
import { tokenDigest } from "./secrets.js";
import { ownAudience, type TokenAuthenticator } from "./token-authenticator.js";
import { authenticatedUser } from "./user.js";

export interface TokenEntry {
  readonly token: string;
  readonly user: string;
  readonly uid: string;
  readonly groups: readonly string[];
}

/** Reads `token,user,uid,"group1,group2"` lines (`--token-auth-file`); the groups may be left out. Its problem is `line 3: …`. */
export function parseTokenFile(text: string): Parsed<readonly TokenEntry[]> {
  const entries: TokenEntry[] = [];
  const tokens = new Set<string>();
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const refuse = (why: string) => ({ ok: false, problems: [`line ${i + 1}: ${why}`] }) as const;
    const columns = csvColumns(line);
    if (columns === undefined) return refuse("a quote is not closed or stands in the wrong place");
    const [token = "", user = "", uid, groups = ""] = columns.map((c) => c.trim());
    if (uid === undefined) return refuse(`needs three columns (token, user name, user uid), has ${columns.length}`);
    if (token === "" || user === "") return refuse("token and user name must not be empty");
    if (tokens.has(token)) return refuse("the token was given before");
    tokens.add(token);
    entries.push({ token, user, uid, groups: groups.split(",").flatMap((g) => (g.trim() === "" ? [] : [g.trim()])) });
  }
  return { ok: true, value: entries };
}

/** Columns of one line (RFC 4180 without line breaks in quotes); undefined where its quotes make no sense. */
function csvColumns(line: string): string[] | undefined {
  const columns: string[] = [];
  const column = /\s*(?:"((?:[^"]|"")*)"\s*|([^",]*))(,|$)/y;
  for (;;) {
    const match = column.exec(line);
    if (match === null) return undefined;
    columns.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? "");
    if (match[3] === "") return columns;
  }
}

/**
 * Bearer tokens of a list. They are looked up by their SHA-256, so that the time of an answer tells nothing about
 * how much of a token was right, and the process keeps no token.
 */
export function tokenFileAuthenticator(
  entries: readonly TokenEntry[],
  { naming, apiAudiences }: { readonly naming: Naming; readonly apiAudiences: readonly string[] },
): TokenAuthenticator {
  const verdicts = new Map<string, Verdict>();
  for (const { token, user, uid, groups } of entries) {
    verdicts.set(tokenDigest(token), {
      outcome: "allow",
      user: authenticatedUser(naming, { name: user, uid, groups }),
    });
  }
  return ownAudience((token) => verdicts.get(tokenDigest(token)) ?? noVerdict, apiAudiences);
}
