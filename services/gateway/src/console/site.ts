import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { etagOf } from "../documents/etag.js";

/** A file of the console as it is sent: its bytes and those that the build compressed. */
export interface SiteFile {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly gzip: Buffer | undefined;
  readonly brotli: Buffer | undefined;
  /** Its name tells its content: a client never has to ask again. */
  readonly immutable: boolean;
}

/** Every file by its whole path. What is not in here is not served: no path of a request ever becomes a path of the machine. */
export type Site = ReadonlyMap<string, SiteFile>;

/** Others are not served. */
const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Reads what the console's build has left in a folder; `/console/` itself is its `index.html`. */
export async function readSite(folder: string, below: string): Promise<Site> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const bytes = new Map<string, Buffer>();
  for (const name of names) bytes.set(name, await readFile(name));
  const site = new Map<string, SiteFile>();
  for (const [name, plain] of bytes) {
    const type = types[extname(name)];
    if (type === undefined) continue;
    const path = relative(folder, name).split(sep).join("/");
    site.set(path === "index.html" ? below : `${below}${path}`, {
      ...{ type, plain, etag: etagOf(plain) },
      ...{ gzip: bytes.get(`${name}.gz`), brotli: bytes.get(`${name}.br`) },
      immutable: path.startsWith("assets/"),
    });
  }
  return site;
}
