import type { Log } from "@orch/runtime/log.js";
import { namesTag } from "../documents/etag.js";
import type { Exchange, Serve } from "../http/exchange.js";
import { acceptsCoding } from "../http/gzip.js";
import type { HeaderList } from "../http/response.js";
import type { SignInProvider } from "./sign-in.js";
import { readSite, type Site, type SiteFile } from "./site.js";

/** Where the console is. */
export const consolePath = "/console/";

export interface ConsoleOptions {
  /** The folder that the console's build has filled. */
  readonly folder: string;
  /** What the pages have to know before anybody has signed in. */
  readonly configuration: ConsoleConfiguration;
  readonly log: Log;
}

/** Served as `/console/config.json`. */
export interface ConsoleConfiguration {
  /** In which names are spelled. */
  readonly dialect: string;
  /** Where people may sign in; nowhere but here where absent. */
  readonly oidc?: SignInProvider;
}

/**
 * Answers paths below `/console/` with the console's files, and leaves the rest to `otherwise`. Everybody may have the files: they
 * hold nothing of the cluster. They are read when they are first asked for.
 */
export function withConsole(options: ConsoleOptions, otherwise: Serve): Serve {
  let site: Promise<Site> | undefined;
  const headers = headersOf(options.configuration);
  const configuration = `${JSON.stringify(options.configuration)}\n`;
  const answer = async ({ request, response }: Exchange): Promise<void> => {
    const { method, path } = request;
    if (method !== "GET" && method !== "HEAD") return refuse(response, 405, ["Allow", "GET, HEAD"]);
    if (path === "/console") return response.send(308, ["Location", "console/"], "");
    if (path === `${consolePath}config.json`)
      return response.send(200, [...headers, "Content-Type", "application/json"], configuration);
    site ??= readSite(options.folder, consolePath);
    const file = (await site).get(path);
    if (file === undefined) return refuse(response, 404, []);
    sendFile({ request, response }, file, headers);
  };
  return (exchange) => {
    const { path } = exchange.request;
    if (!path.startsWith("/console") || (path !== "/console" && !path.startsWith(consolePath)))
      return otherwise(exchange);
    answer(exchange).catch((err: unknown) => {
      site = undefined;
      options.log.error({ err }, "the files of the console cannot be read");
      refuse(exchange.response, 500, []);
    });
  };
}

function sendFile({ request, response }: Exchange, file: SiteFile, headers: HeaderList): void {
  const caching = file.immutable ? "public, max-age=31536000, immutable" : "no-cache";
  const all = [...headers, "Content-Type", file.type, "ETag", file.etag, "Cache-Control", caching];
  if (namesTag(request.header("if-none-match"), file.etag)) {
    response.send(304, all, "");
    return;
  }
  const accepted = request.header("accept-encoding");
  const coded = (["br", "gzip"] as const).find((coding) => bytesAs(file, coding) && acceptsCoding(accepted, coding));
  const vary = ["Vary", "Accept-Encoding", ...(coded === undefined ? [] : ["Content-Encoding", coded])];
  response.send(200, [...all, ...vary], (coded === undefined ? undefined : bytesAs(file, coded)) ?? file.plain);
}

const bytesAs = (file: SiteFile, coding: "br" | "gzip"): Buffer | undefined =>
  coding === "br" ? file.brotli : file.gzip;

function refuse(response: Exchange["response"], code: number, more: HeaderList): void {
  response.send(code, [...more, "Content-Type", "text/plain; charset=utf-8", ...always], `${code}\n`);
}

const always: HeaderList = ["X-Content-Type-Options", "nosniff"];

/**
 * Nothing but this server's own files runs or is shown, nothing but this server and the provider of people's tokens is
 * asked, and no other page may hold this one in a frame. Scripts cannot make markup of text (`require-trusted-types-for`).
 */
function policyOf({ oidc }: ConsoleConfiguration): string {
  const providers = oidc === undefined ? [] : [new URL(oidc.issuer).origin, oidc.tokenOrigin ?? []].flat();
  const asked = ["'self'", ...new Set(providers)].join(" ");
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src ${asked}`,
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
}

const headersOf = (configuration: ConsoleConfiguration): HeaderList => [
  ...["Content-Security-Policy", policyOf(configuration), "Referrer-Policy", "no-referrer", ...always],
  ...["Cross-Origin-Opener-Policy", "same-origin", "Cross-Origin-Resource-Policy", "same-origin"],
  ...["Permissions-Policy", "camera=(), geolocation=(), microphone=()"],
];
