import { httpHeaderName, portName, portNumber } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { invalidFor } from "../../shared/problems.js";
import { each } from "./errors.js";
import type { Container, Handler, Probe } from "./types.js";

const probeHandlers = ["exec", "httpGet", "tcpSocket", "grpc"] as const;
const lifecycleHandlers = ["exec", "httpGet", "tcpSocket", "sleep"] as const;

/** Probes and hooks; `grace` is the pod's time to end, in seconds. */
export function validateProbesAndHooks(container: Container, grace: number, at: string): FieldError[] {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  return [
    ...validateHook(lifecycle?.postStart, grace, `${at}.lifecycle.postStart`),
    ...validateHook(lifecycle?.preStop, grace, `${at}.lifecycle.preStop`),
    ...validateProbe(livenessProbe, grace, `${at}.livenessProbe`),
    ...succeedsAtOnce(livenessProbe, `${at}.livenessProbe`),
    ...validateProbe(readinessProbe, grace, `${at}.readinessProbe`),
    ...(readinessProbe?.terminationGracePeriodSeconds === undefined
      ? []
      : [
          fieldError.invalid(
            `${at}.readinessProbe.terminationGracePeriodSeconds`,
            readinessProbe.terminationGracePeriodSeconds,
            "must not be set for readinessProbes",
          ),
        ]),
    ...validateProbe(startupProbe, grace, `${at}.startupProbe`),
    ...succeedsAtOnce(startupProbe, `${at}.startupProbe`),
  ];
}

function validateHook(hook: Handler | undefined, grace: number, at: string): FieldError[] {
  return hook === undefined ? [] : validateHandler(hook, lifecycleHandlers, { grace, at });
}

function validateProbe(probe: Probe | undefined, grace: number, at: string): FieldError[] {
  return probe === undefined ? [] : validateHandler(probe, probeHandlers, { grace, at });
}

function succeedsAtOnce(probe: Probe | undefined, at: string): FieldError[] {
  const { successThreshold = 1 } = probe ?? {};
  return successThreshold === 1 ? [] : [fieldError.invalid(`${at}.successThreshold`, successThreshold, "must be 1")];
}

interface Place {
  readonly grace: number;
  readonly at: string;
}

/** Exactly one action; of several only the first is looked into. */
function validateHandler(
  handler: Handler,
  names: readonly (keyof Handler & string)[],
  { grace, at }: Place,
): FieldError[] {
  const [first, ...others] = names.filter((name) => handler[name] !== undefined);
  if (first === undefined) return [fieldError.required(at, "must specify a handler type")];
  return [
    ...validateAction(handler, first, { grace, at: `${at}.${first}` }),
    ...others.map((name) => fieldError.forbidden(`${at}.${name}`, "may not specify more than 1 handler type")),
  ];
}

function validateAction(handler: Handler, name: keyof Handler, { grace, at }: Place): FieldError[] {
  switch (name) {
    case "exec":
      return [];
    case "httpGet":
      return [
        ...validatePort(handler.httpGet?.port, `${at}.port`),
        // At the list, as in the reference.
        ...each(handler.httpGet?.httpHeaders, at, ({ name: header = "" }) =>
          invalidFor(`${at}.httpHeaders`, header, httpHeaderName(header)),
        ),
      ];
    case "tcpSocket":
      return validatePort(handler.tcpSocket?.port, `${at}.port`);
    case "grpc":
      return validatePort(handler.grpc?.port, `${at}.port`);
    case "sleep":
      return validateSleep(handler.sleep?.seconds ?? 0, { grace, at });
  }
}

/** A number, or the name of one of the container's ports. */
function validatePort(port: number | string = 0, at: string): FieldError[] {
  return invalidFor(at, port, typeof port === "number" ? portNumber(port) : portName(port));
}

function validateSleep(seconds: number, { grace, at }: Place): FieldError[] {
  if (seconds > 0 && seconds <= grace) return [];
  const detail =
    `must be greater than 0 and less than terminationGracePeriodSeconds (${grace}). ` +
    "Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep.";
  return [fieldError.invalid(at, seconds, detail)];
}
