// The package has no types of its own; this is what we use of it.
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  export class Provider {
    constructor(issuer: string, configuration: object);
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    /** What the person at this browser is asked for; throws without the cookie of one. */
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    /** Sends the browser on with what came of it. */
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
    readonly Grant: new (of: {
      readonly accountId: string;
      readonly clientId: string;
    }) => Grant;
  }

  export interface Interaction {
    readonly params: Readonly<Record<string, unknown>>;
  }

  export interface Grant {
    addOIDCScope(scopes: string): void;
    /** Its name. */
    save(): Promise<string>;
  }
}
