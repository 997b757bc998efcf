import { createHash } from "node:crypto";
import { parseYaml } from "@orch/codec/yaml/yaml.js";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { dnsLabel } from "@orch/schema/formats/names.js";
import { showValue } from "@orch/status/show-value.js";
import type { Readiness, Restart, Unit, UnitUser } from "./unit.js";

/** What a manifest cannot be run for; the text names the field. */
export class ManifestError extends Error {
  override readonly name = "ManifestError";
}

/** A manifest is some kilobytes; more than this is none. */
export const manifestBytes = 1024 * 1024;

const restarts: readonly Restart[] = ["Always", "OnFailure", "Never"];

const defaultGraceSeconds = 30;
const longestGraceSeconds = 3600;

/** @returns SHA-256 in hex, by which a unit tells one manifest from another */
export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * The unit that a v1 Pod describes: its one container's command, args, env and working directory, the user, the policy of
 * restarts and the liveness probe. Images, mounts and resources say nothing to a plain process and are passed over.
 * @throws ManifestError
 */
export function unitOfManifest(text: string): Unit {
  const pod = podOf(text);
  const spec = objectAt(pod, "spec");
  const container = onlyContainer(spec);
  const name = nameOf(pod);
  const words = [...textsAt(container, "command"), ...textsAt(container, "args")];
  const [command = "", ...args] = words;
  if (textsAt(container, "command").length === 0 || command === "") {
    throw new ManifestError("spec.containers[0].command: Required value: an image's own command is not known here");
  }
  const nul = words.find((word) => word.includes("\0"));
  if (nul !== undefined) throw new ManifestError("spec.containers[0].command: Invalid value: no NUL may be in it");
  const workingDir = textAt(container, "workingDir");
  const user = userOf(spec, container);
  const readiness = readinessOf(container);
  return {
    ...{ name, command, args, env: environmentOf(container), hash: hashOf(text) },
    restart: restartOf(spec),
    stopWithinMs: wholeAt(spec, "terminationGracePeriodSeconds", defaultGraceSeconds, longestGraceSeconds) * 1000,
    ...(workingDir === undefined ? {} : { workingDir }),
    ...(user === undefined ? {} : { user }),
    ...(readiness === undefined ? {} : { readiness }),
  };
}

function podOf(text: string): JsonObject {
  if (Buffer.byteLength(text) > manifestBytes) throw new ManifestError(`it is larger than ${manifestBytes} bytes`);
  const read = parseYaml(Buffer.from(text));
  if (!read.ok) throw new ManifestError(read.problem);
  const { value } = read;
  if (!isObject(value) || value["apiVersion"] !== "v1" || value["kind"] !== "Pod") {
    throw new ManifestError("it is no v1 Pod");
  }
  const [twice] = read.duplicates;
  if (twice !== undefined) throw new ManifestError(`key ${JSON.stringify(twice)} stands there twice`);
  return value;
}

function nameOf(pod: JsonObject): string {
  const name = textAt(objectAt(pod, "metadata"), "name") ?? "";
  const [problem] = name === "" ? ["Required value"] : dnsLabel(name).map((rule) => `Invalid value: ${rule}`);
  // The name becomes that of files.
  if (problem !== undefined) throw new ManifestError(`metadata.name: ${problem}`);
  return name;
}

function onlyContainer(spec: JsonObject): JsonObject {
  const containers = spec["containers"];
  const count = Array.isArray(containers) ? containers.length : 0;
  const [container]: readonly unknown[] = Array.isArray(containers) ? containers : [];
  if (count !== 1 || !isObject(container)) {
    throw new ManifestError(`spec.containers: Invalid value: one process is run for each manifest; it has ${count}`);
  }
  const initial = spec["initContainers"];
  if (Array.isArray(initial) && initial.length > 0) {
    throw new ManifestError("spec.initContainers: Invalid value: plain processes have none");
  }
  return container;
}

const isVariable = (name: string): boolean => name !== "" && !name.includes("=") && !name.includes("\0");

function environmentOf(container: JsonObject): Readonly<Record<string, string>> {
  const entries = container["env"] ?? [];
  const at = "spec.containers[0].env";
  if (!Array.isArray(entries)) throw new ManifestError(`${at}: Invalid value: it is no list`);
  return Object.fromEntries(
    entries.map((entry: unknown, i) => {
      const name = isObject(entry) ? textAt(entry, "name") : undefined;
      if (!isObject(entry) || name === undefined || !isVariable(name)) {
        throw new ManifestError(`${at}[${i}].name: Required value`);
      }
      if (entry["valueFrom"] !== undefined) {
        throw new ManifestError(`${at}[${i}].valueFrom: Invalid value: a plain process has values alone`);
      }
      const value = textAt(entry, "value") ?? "";
      if (value.includes("\0")) throw new ManifestError(`${at}[${i}].value: Invalid value: no NUL may be in it`);
      return [name, value];
    }),
  );
}

const highestId = 2 ** 31 - 1;

function userOf(spec: JsonObject, container: JsonObject): UnitUser | undefined {
  const own = objectAt(container, "securityContext");
  const common = objectAt(spec, "securityContext");
  const idAt = (key: string): number | undefined => {
    const value = own[key] ?? common[key];
    if (value === undefined) return undefined;
    const id = wholeOf(value, highestId);
    if (id === undefined) throw new ManifestError(`securityContext.${key}: Invalid value: ${showValue(value)}`);
    return id;
  };
  const uid = idAt("runAsUser");
  const gid = idAt("runAsGroup");
  if (uid === undefined) return undefined;
  return { uid, ...(gid === undefined ? {} : { gid }) };
}

function restartOf(spec: JsonObject): Restart {
  const policy = textAt(spec, "restartPolicy") ?? "Always";
  const known = restarts.find((one) => one === policy);
  if (known !== undefined) return known;
  throw new ManifestError(
    `spec.restartPolicy: Unsupported value: ${JSON.stringify(policy)}: supported values: ${restarts.join(", ")}`,
  );
}

/** The liveness probe; the startup probe says only how long a start may take, the readiness probe stands in for a missing one. */
function readinessOf(container: JsonObject): Readiness | undefined {
  const probe = [container["livenessProbe"], container["readinessProbe"]].find(isObject);
  if (probe === undefined) return undefined;
  const startup = container["startupProbe"];
  const get = probe["httpGet"];
  if (!isObject(get)) throw new ManifestError("spec.containers[0].livenessProbe: Invalid value: it has no httpGet");
  return {
    url: urlOf(get, container),
    periodMs: wholeAt(probe, "periodSeconds", 10, 3600) * 1000,
    timeoutMs: wholeAt(probe, "timeoutSeconds", 1, 3600) * 1000,
    failures: wholeAt(probe, "failureThreshold", 3, 10_000),
    startFailures: wholeAt(isObject(startup) ? startup : probe, "failureThreshold", 3, 10_000),
  };
}

function urlOf(get: JsonObject, container: JsonObject): string {
  const at = "spec.containers[0].livenessProbe.httpGet";
  const host = textAt(get, "host") ?? "127.0.0.1";
  const scheme = (textAt(get, "scheme") ?? "HTTP").toLowerCase();
  const path = textAt(get, "path") ?? "/";
  const port = portOf(get["port"], container);
  if (port === undefined) throw new ManifestError(`${at}.port: Invalid value: ${showValue(get["port"])}`);
  const text = `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}${path.startsWith("/") ? "" : "/"}${path}`;
  const url = URL.parse(text);
  if (url === null || (scheme !== "http" && scheme !== "https")) {
    throw new ManifestError(`${at}: Invalid value: ${JSON.stringify(text)} is no address`);
  }
  return url.href;
}

/** A number, or the name of one of the container's ports. */
function portOf(port: unknown, container: JsonObject): number | undefined {
  const ports = container["ports"];
  const named: unknown = Array.isArray(ports)
    ? ports.find((each: unknown) => isObject(each) && each["name"] === port)
    : undefined;
  const number = wholeOf(isObject(named) ? named["containerPort"] : port, 65_535);
  return number === 0 ? undefined : number;
}

function objectAt(of: JsonObject, key: string): JsonObject {
  const value = of[key];
  return isObject(value) ? value : {};
}

function textAt(of: JsonObject, key: string): string | undefined {
  const value = of[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw new ManifestError(`${key}: Invalid value: it is no text`);
  return value;
}

function textsAt(of: JsonObject, key: string): readonly string[] {
  const value = of[key] ?? [];
  const texts = Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
  if (!Array.isArray(value) || texts.length !== value.length) {
    throw new ManifestError(`spec.containers[0].${key}: Invalid value: it is no list of texts`);
  }
  return texts;
}

function wholeAt(of: JsonObject, key: string, otherwise: number, most: number): number {
  const value = of[key];
  if (value === undefined || value === null) return otherwise;
  const number = wholeOf(value, most);
  if (number === undefined) {
    throw new ManifestError(`${key}: Invalid value: ${showValue(value)}: it is no number from 0 to ${most}`);
  }
  return number;
}

const wholeOf = (value: unknown, most: number): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most ? value : undefined;
