import { dns1035Label, dnsSubdomain, qualifiedName } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { invalidFor } from "../shared/problems.js";
import { repeatsIn } from "../shared/repeats.js";
import { allButStatus, statusOnly } from "../shared/status-only.js";

interface Server {
  readonly apiServerID?: string;
  readonly encodingVersion?: string;
  readonly decodableVersions?: readonly string[];
  readonly servedVersions?: readonly string[];
}

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

interface Status {
  readonly storageVersions?: readonly Server[];
  readonly commonEncodingVersion?: string;
  readonly conditions?: readonly Condition[];
}

interface StorageVersion extends ApiObject {
  readonly status?: Status;
}

/** In which version each server stores a resource. */
export const storageVersion = behavior<StorageVersion>(() => ({
  validateCreate: ({ metadata }) => validateName(metadata.name ?? ""),
  parts: {
    status: { resets: allButStatus, prepare: statusOnly, validate: ({ status = {} }) => validateStatus(status) },
  },
}));

/** `group.resource`. */
function validateName(name: string): FieldError[] {
  const dot = name.lastIndexOf(".");
  if (dot < 0) return [fieldError.invalid("metadata.name", name, "name must be in the form of <group>.<resource>")];
  return invalidFor("metadata.name", name, [
    ...dnsSubdomain(name.slice(0, dot)).map((problem) => `the group segment ${problem}`),
    ...dns1035Label(name.slice(dot + 1)).map((problem) => `the resource segment ${problem}`),
  ]);
}

function validateStatus(status: Status): FieldError[] {
  const { storageVersions: servers = [] } = status;
  const repeats = repeatsIn(servers.map(({ apiServerID = "" }) => apiServerID));
  return [
    ...servers.flatMap((server, i) => [
      ...(repeats.has(i)
        ? [fieldError.duplicate(`status.storageVersions[${i}].apiServerID`, server.apiServerID ?? "")]
        : []),
      ...validateServer(server, `status.storageVersions[${i}]`),
    ]),
    ...validateCommonVersion(status),
    ...validateConditions(status.conditions ?? []),
  ];
}

function validateServer(server: Server, at: string): FieldError[] {
  const { apiServerID = "", encodingVersion = "", decodableVersions = [], servedVersions = [] } = server;
  return [
    ...invalidFor(`${at}.apiServerID`, apiServerID, dnsSubdomain(apiServerID)),
    ...validateVersion(encodingVersion, `${at}.encodingVersion`),
    ...decodableVersions.flatMap((version, i) => validateVersion(version, `${at}.decodableVersions[${i}]`)),
    ...(decodableVersions.includes(encodingVersion)
      ? []
      : [
          fieldError.invalid(
            `${at}.decodableVersions`,
            decodableVersions,
            `decodableVersions must include encodingVersion ${encodingVersion}`,
          ),
        ]),
    ...servedVersions.flatMap((version, i) => [
      ...validateVersion(version, `${at}.servedVersions[${i}]`),
      ...(decodableVersions.includes(version)
        ? []
        : [
            fieldError.invalid(
              `${at}.servedVersions[${i}]`,
              version,
              `individual served version : ${version} must be included in decodableVersions : [${decodableVersions.join(" ")}]`,
            ),
          ]),
    ]),
  ];
}

const versionForm =
  "an apiVersion is a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')";

/** `v1` or `group/v1`; all that is wrong in one error. */
function validateVersion(apiVersion: string, at: string): FieldError[] {
  const parts = apiVersion.split("/");
  const problems = parts.length > 2 ? [versionForm] : partProblems(parts);
  return problems.length === 0 ? [] : [fieldError.invalid(at, apiVersion, problems.join(","))];
}

function partProblems(parts: readonly string[]): readonly string[] {
  const empty = "must be non-empty";
  const version = parts.at(-1) ?? "";
  const group = parts.length === 2 ? (parts[0] ?? "") : undefined;
  return [
    ...(group === undefined ? [] : group === "" ? [empty] : dnsSubdomain(group)).map((p) => `group part: ${p}`),
    ...(version === "" ? [empty] : dns1035Label(version)).map((p) => `version part: ${p}`),
  ];
}

/** What all servers encode in, where they agree. */
function validateCommonVersion({ storageVersions: servers = [], commonEncodingVersion: told }: Status): FieldError[] {
  const [first] = servers;
  const agreed = servers.every((s) => s.encodingVersion === first?.encodingVersion);
  const common = first !== undefined && agreed ? (first.encodingVersion ?? "") : undefined;
  if (common === told) return [];
  const wrong = (detail: string) => [fieldError.invalid("status.commonEncodingVersion", told ?? null, detail)];
  if (common === undefined) {
    return wrong(
      "should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet",
    );
  }
  return wrong(
    told === undefined ? `the common encoding version is ${common}` : `the actual common encoding version is ${common}`,
  );
}

/** Types and statuses are open; the paths leave the list's name out, as the reference's do. */
function validateConditions(conditions: readonly Condition[]): FieldError[] {
  const positions = new Map<string, number>();
  return conditions.flatMap(({ type = "", status = "", reason = "", message = "" }, i) => {
    const at = `status[${i}]`;
    const before = positions.get(type);
    positions.set(type, i);
    return [
      ...(before !== undefined
        ? [
            fieldError.invalid(
              `${at}.type`,
              type,
              `the type of the condition is not unique, it also appears in conditions[${before}]`,
            ),
          ]
        : []),
      ...invalidFor(`${at}.type`, type, qualifiedName(type)),
      ...invalidFor(`${at}.status`, status, qualifiedName(status)),
      ...(reason === "" ? [fieldError.required(`${at}.reason`, "reason cannot be empty")] : []),
      ...(message === "" ? [fieldError.required(`${at}.message`, "message cannot be empty")] : []),
    ];
  });
}
