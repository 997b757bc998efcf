/** What the name of an image says of its version; undefined for a text that names no image. */
export interface ImageVersion {
  readonly tag: string;
  readonly digest: string;
}

const longestName = 255;
const component = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const hostLabel = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?$/;
const address = /^\[[0-9a-fA-F:]+\]$/;
const port = /:[0-9]+$/;
const tagForm = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
const digestForm = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;
const identifier = /^[a-f0-9]{64}$/;

/**
 *     registry:5000/a/b:v1   →   v1      a   →   latest      a@sha256:00…   →   a digest      A   →   undefined
 */
export function imageVersion(text: string): ImageVersion | undefined {
  if (identifier.test(text)) return undefined;
  const at = text.indexOf("@");
  const digest = at < 0 ? "" : text.slice(at + 1);
  const named = at < 0 ? text : text.slice(0, at);
  const colon = named.indexOf(":", named.lastIndexOf("/") + 1);
  const tag = colon < 0 ? "" : named.slice(colon + 1);
  const name = colon < 0 ? named : named.slice(0, colon);
  const wellFormed = isName(name) && (colon < 0 || tagForm.test(tag)) && (at < 0 || digestForm.test(digest));
  if (!wellFormed) return undefined;
  return { tag: tag === "" && digest === "" ? "latest" : tag, digest };
}

/** A path of lower-case parts; the first may be a host, which is told by its dot, its port, its capitals or by being `localhost`. */
function isName(name: string): boolean {
  if (name.length > longestName) return false;
  const [first = "", ...rest] = name.split("/");
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === "localhost" || first.toLowerCase() !== first);
  const path = isHost ? rest : [first, ...rest];
  return (!isHost || isHostName(first)) && path.every((part) => component.test(part));
}

function isHostName(text: string): boolean {
  const host = text.replace(port, "");
  return address.test(host) || host.split(".").every((label) => hostLabel.test(label));
}
