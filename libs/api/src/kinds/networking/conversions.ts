import { type Conversions, conversion } from "../../conversion.js";
import type { Backend, Ingress, OldBackend, OldIngress, Rule, ServicePort } from "./types.js";

/** `backend` became `defaultBackend`, and a backend's service has a message of its own (rules: Removed API versions by release). */
const ingress = conversion<OldIngress, Ingress>(() => ({
  toHub: (object) => {
    const { spec, ...others } = object;
    if (spec === undefined) return others;
    const { backend, rules, ...rest } = spec;
    const defaultBackend = backend === undefined ? {} : { defaultBackend: newBackend(backend) };
    return { ...others, spec: { ...rest, ...defaultBackend, ...rulesWith(rules, newBackend) } };
  },
  fromHub: (object) => {
    const { spec, ...others } = object;
    if (spec === undefined) return others;
    const { defaultBackend, rules, ...rest } = spec;
    const backend = defaultBackend === undefined ? {} : { backend: oldBackend(defaultBackend) };
    return { ...others, spec: { ...rest, ...backend, ...rulesWith(rules, oldBackend) } };
  },
}));

function newBackend({ serviceName, servicePort, ...rest }: OldBackend): Backend {
  if (serviceName === undefined && servicePort === undefined) return rest;
  return {
    ...rest,
    service: {
      ...(serviceName === undefined ? {} : { name: serviceName }),
      ...(servicePort === undefined ? {} : { port: newPort(servicePort) }),
    },
  };
}

function newPort(port: number | string): ServicePort {
  return typeof port === "string" ? { name: port } : { number: port };
}

function oldBackend({ service, ...rest }: Backend): OldBackend {
  if (service === undefined) return rest;
  const servicePort = service.port?.name ?? service.port?.number;
  return {
    ...rest,
    ...(service.name === undefined ? {} : { serviceName: service.name }),
    ...(servicePort === undefined ? {} : { servicePort }),
  };
}

function rulesWith<From, To>(
  rules: readonly Rule<From>[] | undefined,
  change: (backend: From) => To,
): { readonly rules?: readonly Rule<To>[] } {
  if (rules === undefined) return {};
  return {
    rules: rules.map(({ http, ...rule }) => (http === undefined ? rule : { ...rule, http: pathsWith(http, change) })),
  };
}

type Http<B> = NonNullable<Rule<B>["http"]>;

function pathsWith<From, To>({ paths, ...rest }: Http<From>, change: (backend: From) => To): Http<To> {
  if (paths === undefined) return rest;
  return {
    ...rest,
    paths: paths.map(({ backend, ...path }) => ({
      ...path,
      ...(backend === undefined ? {} : { backend: change(backend) }),
    })),
  };
}

export const networkingConversions: Conversions = [
  ["networking/v1beta1.Ingress", ingress],
  ["extensions/v1beta1.Ingress", ingress],
];
