/** A Service of the cluster, as configurations of webhooks and API services name it. */
export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** Where something that users run is reached. */
export type Endpoint =
  /** An https address. */
  | { readonly type: "url"; readonly url: string }
  /** `path` begins with a slash, or is "". */
  | { readonly type: "service"; readonly service: ServiceReference; readonly path: string };

export interface Destination {
  readonly endpoint: Endpoint;
  /** Certificates in PEM that its certificate is checked by; "" for those of the system. */
  readonly ca: string;
}

/** The part of a webhook's configuration that says where it is (`WebhookClientConfig`). */
export interface WebhookClientConfig {
  readonly url?: string | undefined;
  readonly service?:
    | {
        readonly namespace?: string | undefined;
        readonly name?: string | undefined;
        readonly port?: number | undefined;
        readonly path?: string | undefined;
      }
    | undefined;
  /** Base64 of PEM. */
  readonly caBundle?: string | undefined;
}

const httpsPort = 443;

/** Of a configuration that was validated. */
export function destinationOf({ url, service, caBundle = "" }: WebhookClientConfig): Destination {
  const ca = Buffer.from(caBundle, "base64").toString("latin1");
  if (service === undefined) return { endpoint: { type: "url", url: url ?? "" }, ca };
  const { namespace = "", name = "", port = httpsPort, path = "" } = service;
  return { endpoint: { type: "service", service: { namespace, name, port }, path }, ca };
}

/** The name that a Service's certificate must have. */
export function serverName({ namespace, name }: ServiceReference): string {
  return `${name}.${namespace}.svc`;
}

/** The address as an URL; of a Service by its name in the cluster. */
export function urlOf({ endpoint }: Destination): URL {
  if (endpoint.type === "url") return new URL(endpoint.url);
  const { service, path } = endpoint;
  const url = new URL(`https://${serverName(service)}:${service.port}`);
  url.pathname = path;
  return url;
}
