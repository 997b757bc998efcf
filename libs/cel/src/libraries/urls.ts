import { t } from "../check/types.js";
import { exactly, scale } from "../cost/sizes.js";
import { ArrayList, mapOf } from "../values/collections.js";
import { formatUrl, hostParts, parseRequestUrl, parseUrl, queryOf, type Url } from "../values/url.js";
import { CelError, noNative, noSuchOverload, Opaque, type Value } from "../values/value.js";
import { global, type Library, member, one, stringFactor, traversal } from "./library.js";

export class UrlValue extends Opaque {
  constructor(
    readonly typeName: string,
    readonly url: Url,
  ) {
    super();
  }
  equals(other: Value): boolean | CelError {
    return other instanceof UrlValue ? formatUrl(this.url) === formatUrl(other.url) : noSuchOverload;
  }
  override untyped(): Value {
    return noNative("*url.URL", formatUrl(this.url));
  }
}

const { bool, string } = t;

const accessors: readonly (readonly [name: string, id: string, read: (url: Url) => Value])[] = [
  ["getScheme", "url_get_scheme", (url) => url.scheme],
  ["getHost", "url_get_host", (url) => url.host],
  ["getHostname", "url_get_hostname", (url) => hostParts(url.host).name],
  ["getPort", "url_get_port", (url) => hostParts(url.host).port],
  ["getEscapedPath", "url_get_escaped_path", (url) => url.escapedPath],
  ["getQuery", "url_get_query", (url) => mapOf([...queryOf(url)].map(([key, values]) => [key, new ArrayList(values)]))],
];

export function urls(domain: string): Library {
  const name = `${domain}.URL`;
  const type = t.struct(name);
  const read = (text: string): Value => {
    const problem = parseRequestUrl(text);
    const url = "problem" in problem ? problem : parseUrl(text);
    if ("problem" in url) return new CelError(`URL parse error during conversion from string: ${url.problem}`);
    return new UrlValue(name, url);
  };
  return {
    name: "urls",
    since: 23,
    functions: [
      {
        name: "url",
        cost: traversal(0),
        estimate: ({ args: [x], sizeOf }) => x && { cost: scale(sizeOf(x), stringFactor), size: sizeOf(x) },
        overloads: [
          {
            ...global("string_to_url", [string], type),
            run: ([x = null]) => (typeof x === "string" ? read(x) : noSuchOverload),
          },
        ],
      },
      {
        name: "isURL",
        overloads: [
          {
            ...global("is_url_string", [string], bool),
            run: ([x = null]) => (typeof x === "string" ? !("problem" in parseRequestUrl(x)) : noSuchOverload),
          },
        ],
      },
      ...accessors.map(([accessor, id, get]) => ({
        name: accessor,
        cost: one,
        estimate: () => ({ cost: exactly(1) }),
        overloads: [
          {
            ...member(id, [type], accessor === "getQuery" ? t.map(string, t.list(string)) : string),
            run: ([x = null]: readonly Value[]) => (x instanceof UrlValue ? get(x.url) : noSuchOverload),
          },
        ],
      })),
    ],
  };
}
