import { relativePath } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { validateLabelSelector } from "../../../shared/label-selector.js";
import { invalidFor } from "../../../shared/problems.js";
import { requireText } from "../errors.js";
import { validateDownwardItem } from "./downward.js";
import type { ProjectedKeys, Projection, TrustBundle } from "./volume-types.js";

const order = ["secret", "configMap", "downwardAPI", "serviceAccountToken", "clusterTrustBundle"] as const;

/** Sources that share one folder: each of one kind, no file twice. `at` is the volume source's path. */
export function validateProjected(sources: readonly Projection[], at: string): FieldError[] {
  const paths = new Set<string>();
  /** At the volume source, with what the reference shows there. */
  const conflict = (path: string | undefined, shown: string): FieldError[] => {
    if (path === undefined || path === "") return [];
    if (paths.has(path)) return [fieldError.invalid(at, shown, "conflicting duplicate paths")];
    paths.add(path);
    return [];
  };
  return sources.flatMap((source, i) => {
    const place = `${at}.sources[${i}]`;
    const [first, ...others] = order.filter((name) => source[name] !== undefined);
    return [
      ...(first === undefined ? [] : validateSource(source, first, { at, place: `${place}.${first}`, conflict })),
      ...others.map((name) => fieldError.forbidden(`${place}.${name}`, "may not specify more than 1 volume type")),
    ];
  });
}

interface Place {
  /** Of the volume's source. */
  readonly at: string;
  /** Of the projection. */
  readonly place: string;
  readonly conflict: (path: string | undefined, shown: string) => FieldError[];
}

function validateSource(source: Projection, name: (typeof order)[number], where: Place): FieldError[] {
  const { place, conflict } = where;
  switch (name) {
    case "secret":
    case "configMap":
      return validateKeys(source[name] ?? {}, where);
    case "downwardAPI":
      return (source.downwardAPI?.items ?? []).flatMap((item) => [
        ...validateDownwardItem(item, place),
        ...conflict(item.path, item.path ?? ""),
      ]);
    case "serviceAccountToken":
      return validateToken(source.serviceAccountToken ?? {}, where);
    case "clusterTrustBundle":
      return validateTrustBundle(source.clusterTrustBundle ?? {}, where);
  }
}

function validateKeys({ name, items = [] }: ProjectedKeys, { place, conflict }: Place): FieldError[] {
  return [...requireText(`${place}.name`, name), ...items.flatMap(({ path }) => conflict(path, name ?? ""))];
}

const shortest = 600;
const longest = 2 ** 32;

function validateToken(
  { path = "", expirationSeconds = shortest }: NonNullable<Projection["serviceAccountToken"]>,
  { at, place }: Place,
): FieldError[] {
  const invalid = (detail: string) => [fieldError.invalid(`${place}.expirationSeconds`, expirationSeconds, detail)];
  return [
    ...(expirationSeconds < shortest ? invalid("may not specify a duration less than 10 minutes") : []),
    ...(expirationSeconds > longest ? invalid("may not specify a duration larger than 2^32 seconds") : []),
    // The reference tells what is wrong with the path at the volume's source.
    ...requireText(`${at}.path`, path),
    ...invalidFor(`${at}.path`, path, relativePath(path)),
  ];
}

function validateTrustBundle(bundle: TrustBundle, { place, conflict }: Place): FieldError[] {
  const { path = "" } = bundle;
  return [
    ...validateTrust(bundle, place),
    ...requireText(`${place}.path`, path),
    ...invalidFor(`${place}.path`, path, relativePath(path)),
    ...conflict(path, path),
  ];
}

/** By name or by signer. */
function validateTrust(bundle: TrustBundle, at: string): FieldError[] {
  const { name, signerName, labelSelector } = bundle;
  if (name !== undefined && signerName !== undefined) {
    return [fieldError.invalid(at, bundle, "only one of name and signerName may be used")];
  }
  if (name !== undefined) {
    return [
      ...requireText(`${at}.name`, name, "must be a valid object name"),
      ...(labelSelector === undefined
        ? []
        : [
            fieldError.invalid(
              `${at}.labelSelector`,
              labelSelector,
              "labelSelector must be unset if name is specified",
            ),
          ]),
    ];
  }
  if (signerName === undefined) return [fieldError.required(at, "either name or signerName must be specified")];
  return [
    ...requireText(`${at}.signerName`, signerName, "must be a valid signer name"),
    ...validateLabelSelector(labelSelector, `${at}.labelSelector`),
  ];
}
