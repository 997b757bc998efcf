import type { Client, ClientObserver } from "@orch/client/client.js";
import type { Mirror } from "@orch/client/mirror.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Clock } from "@orch/runtime/clock.js";

export interface SharedMirrorDeps {
  readonly naming: Naming;
  readonly clock: Clock;
  readonly observer: () => Promise<ClientObserver>;
}

/** What the clients of this process follow: of each collection one list and one watch, with the rights of the controllers. */
export interface SharedMirror {
  /** For who reads by those rights. */
  own(): Promise<Mirror>;
  /** For anybody else, who sees what its own user may. */
  of(client: Client): Promise<Mirror>;
  /** Once nobody follows any more. */
  close(): Promise<void>;
}

/** Made when the first asks for it. `reader`: a client with the rights of the controllers. */
export function createSharedMirror(
  { naming, clock, observer }: SharedMirrorDeps,
  reader: (observer: ClientObserver) => Promise<Client>,
): SharedMirror {
  const random = Math.random;
  let made: Promise<{ readonly client: Client; readonly mirror: Mirror }> | undefined;
  const make = async () => {
    const [{ createMirror }, client] = await Promise.all([
      import("@orch/client/mirror.js"),
      observer().then((each) => reader(each)),
    ]);
    return { client, mirror: createMirror({ client, naming, clock, random, followsWhole: true }) };
  };
  const shared = (): NonNullable<typeof made> => {
    made ??= make();
    return made;
  };
  return {
    own: async () => (await shared()).mirror,
    async of(client) {
      const [{ mirrorAs }, { mirror }] = await Promise.all([import("@orch/client/mirror-as.js"), shared()]);
      return mirrorAs(mirror, { client, naming, clock, random });
    },
    async close() {
      await (await made?.catch(() => undefined))?.client.close();
    },
  };
}
