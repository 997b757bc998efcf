import { type Client, type ClientOverOptions, createClientOver } from "../client.js";
import type { ClientConfig } from "../config.js";
import { createHttpTransport, type HttpTransportOptions } from "./http-transport.js";

export type {
  Client,
  ClientObserver,
  DeleteOptions,
  GetOptions,
  ListOptions,
  Query,
  RawRequest,
  RawResponse,
  Selectors,
  WriteOptions,
} from "../client.js";

export interface ClientOptions extends ClientOverOptions, HttpTransportOptions {}

/** A client of a server that is reached over HTTPS. */
export function createClient(config: ClientConfig, options: ClientOptions = {}): Client {
  return createClientOver(createHttpTransport(config, options), options);
}
