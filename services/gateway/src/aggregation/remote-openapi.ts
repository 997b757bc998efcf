import { type OtherV2, type OtherV3, readOtherV2, readOtherV3 } from "@orch/api/openapi/others.js";
import { isObject } from "@orch/schema/descriptor.js";
import { readJson } from "@orch/status/read-json.js";
import { pathOf, type Remote } from "./api-service.js";
import type { Ask } from "./remote-discovery.js";

/** The OpenAPI documents of a server, as far as they are about its group-version. */
export interface RemoteOpenApi {
  readonly two: OtherV2 | undefined;
  /** What the server calls this state of its document. */
  readonly twoTag: string;
  readonly three: OtherV3 | undefined;
  /** Where it was read, with its hash. */
  readonly threeUrl: string;
}

export const noOpenApi: RemoteOpenApi = { two: undefined, twoTag: "", three: undefined, threeUrl: "" };

/** Reads what has changed. A server that has no such documents, or none that can be read, goes without. @throws Error of the connection */
export async function fetchOpenApi(ask: Ask, remote: Remote, before: RemoteOpenApi): Promise<RemoteOpenApi> {
  const three = await fetchThree(ask, remote, before);
  const two = await fetchTwo(ask, remote, before);
  return { ...three, ...two };
}

type Three = Pick<RemoteOpenApi, "three" | "threeUrl">;
type Two = Pick<RemoteOpenApi, "two" | "twoTag">;

async function fetchThree(ask: Ask, remote: Remote, before: Three): Promise<Three> {
  const none: Three = { three: undefined, threeUrl: "" };
  const index = await ask("/openapi/v3", ["Accept", "application/json"]);
  if (index.code !== 200) return none;
  const section = pathOf(remote).slice(1);
  const url = urlOf(parsed(index.body), section);
  if (url === undefined) return none;
  if (url === before.threeUrl) return { three: before.three, threeUrl: url };
  const document = await ask(url, ["Accept", "application/json"]);
  if (document.code !== 200) return none;
  return { three: readOtherV3(parsed(document.body), pathOf(remote)), threeUrl: url };
}

/** Of its own address space only. */
function urlOf(index: unknown, section: string): string | undefined {
  if (!isObject(index) || !isObject(index["paths"])) return undefined;
  const { paths } = index;
  const entry = Object.hasOwn(paths, section) ? paths[section] : undefined;
  const url = isObject(entry) ? entry["serverRelativeURL"] : undefined;
  return typeof url === "string" && url.startsWith("/openapi/v3/") && isPlain(url) ? url : undefined;
}

/** Visible characters of ASCII: nothing else can be asked for. */
const isPlain = (text: string): boolean => Buffer.from(text).every((byte) => byte > 0x20 && byte < 0x7f);

async function fetchTwo(ask: Ask, remote: Remote, before: Two): Promise<Two> {
  const known = before.twoTag === "" ? [] : ["If-None-Match", before.twoTag];
  const document = await ask("/openapi/v2", ["Accept", "application/json", ...known]);
  if (document.code === 304) return { two: before.two, twoTag: before.twoTag };
  if (document.code !== 200) return { two: undefined, twoTag: "" };
  const tag = document.header("etag");
  return { two: readOtherV2(parsed(document.body), pathOf(remote)), twoTag: isPlain(tag) ? tag : "" };
}

function parsed(body: Buffer): unknown {
  try {
    return readJson(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
