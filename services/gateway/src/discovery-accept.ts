import type { Naming } from "@orch/naming/naming.js";

/** The aggregated form of discovery, as a client asked for it. */
export interface Aggregated {
  readonly version: (typeof versions)[number];
  readonly encoding: "json" | "yaml";
  /** Of the answer, with the parameters of the request. */
  readonly contentType: string;
}

const versions = ["v2", "v2beta1"] as const;
const kind = "APIGroupDiscoveryList";

const encodings: ReadonlyMap<string, Aggregated["encoding"]> = new Map([
  ["application/json", "json"],
  ["application/yaml", "yaml"],
  ["application/*", "json"],
  ["*/*", "json"],
]);

/**
 * Whether an Accept header prefers the aggregated form, by its three parameters `g`, `v` and `as`; undefined where
 * it names a plain form first, or none that we know: then the plain form is negotiated as everywhere.
 */
export function wantsAggregated(header: string | undefined, naming: Naming): Aggregated | undefined {
  if (header === undefined || !header.includes(kind)) return undefined;
  const ranges = header.split(",").map(parseRange);
  const wanted = ranges.filter((range) => range.quality > 0).sort((a, b) => b.quality - a.quality);
  for (const { mediaType, parameters } of wanted) {
    const encoding = encodings.get(mediaType);
    if (encoding === undefined) continue;
    if (!parameters.has("as")) return undefined;
    const version = versions.find((v) => v === parameters.get("v"));
    const group = naming.group("apidiscovery");
    if (parameters.get("as") !== kind || parameters.get("g") !== group || version === undefined) continue;
    return { version, encoding, contentType: `application/${encoding};g=${group};v=${version};as=${kind}` };
  }
  return undefined;
}

interface Range {
  readonly mediaType: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

function parseRange(text: string): Range {
  const [mediaType = "", ...rest] = text.split(";").map((part) => part.trim());
  const parameters = new Map(
    rest.map((part) => {
      const [name = "", value = ""] = part.split("=", 2);
      return [name.trim().toLowerCase(), value.trim().replace(/^"(.*)"$/, "$1")] as const;
    }),
  );
  const quality = Number(parameters.get("q") ?? 1);
  return { mediaType: mediaType.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 0 : quality };
}
