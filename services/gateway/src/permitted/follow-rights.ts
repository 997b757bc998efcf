import { concerns } from "@orch/auth/rbac/subjects.js";
import type { Chunk, Permitted } from "@orch/rpc/messages.js";
import type { Receiver, Subscription } from "@orch/rpc/rpc.js";
import { type ApiError, expired } from "@orch/status/api-error.js";
import type { PermittedRead } from "../call.js";
import type { OpenStream } from "../relay.js";
import type { PermittedNamespaces } from "./permitted-namespaces.js";

/** A watch of what a user may see, for as long as it is open. */
export interface RightsWatch {
  readonly first: PermittedRead;
  readonly namespaces: PermittedNamespaces;
  /** Opens the watch of these; behind a revision, and for as long as is left of its time, where it goes on. */
  readonly open: (permitted: Permitted, goingOn?: GoingOn) => OpenStream;
  /** An ERROR event in the form of the watch. */
  readonly errorFrame: (error: ApiError) => Buffer;
}

export interface GoingOn {
  readonly after: number;
  /** Since the watch was opened. */
  readonly passedMs: number;
}

/** How often it is asked again what a user may see, where nobody tells of changes, in milliseconds. */
const askAgainMs = 30_000;

const changed = (): ApiError => expired("The namespaces that may be seen have changed; list what may be seen anew.");

/**
 * A watch of some namespaces that keeps to the rights of its user. From the change of a right on nothing is passed until it is known
 * what may be seen now. Where that is less, or everything, the watch ends with 410, and its client lists anew; where it is more, it
 * goes on with what is there in the further namespaces.
 */
export function followingRights(watch: RightsWatch): OpenStream {
  return (receiver) => {
    const following = new FollowedRights(watch, receiver);
    following.begin();
    return following;
  };
}

class FollowedRights implements Subscription {
  readonly #watch: RightsWatch;
  readonly #receiver: Receiver<Chunk>;
  #seen: readonly string[];
  /** Everything up to here was passed on; undefined while a first state is being sent. */
  #last: number | undefined;
  #stream: Subscription | undefined;
  /** What came since rights have changed; undefined while none have. */
  #held: Chunk[] | undefined;
  /** It is being asked what may be seen now. */
  #looking = false;
  /** Rights have changed while it was being asked. */
  #again = false;
  #paused = false;
  #over = false;
  #stops: (() => void)[] = [];
  #began = 0;

  constructor(watch: RightsWatch, receiver: Receiver<Chunk>) {
    this.#watch = watch;
    this.#receiver = receiver;
    this.#seen = watch.first.namespaces;
  }

  begin(): void {
    const { namespaces, first } = this.#watch;
    const { user } = first.attributes;
    this.#stops.push(
      namespaces.rights.onChange((who) => {
        if (concerns(who, user)) this.#hold();
      }),
    );
    if (namespaces.rights.namespacesOf(user) === undefined) {
      // Nothing tells that rights have changed: what comes meanwhile is not held up.
      const timer = setInterval(() => this.#askAgain(), askAgainMs).unref();
      this.#stops.push(() => clearInterval(timer));
    }
    this.#began = namespaces.time();
    const { namespaces: names } = first;
    this.#open({ namespaces: names });
    // Rights have changed since it was asked which namespaces these are.
    if (namespaces.rights.version !== first.version) this.#hold();
  }

  pause(): void {
    this.#paused = true;
    this.#stream?.pause();
  }

  resume(): void {
    this.#paused = false;
    if (this.#held === undefined) this.#stream?.resume();
  }

  cancel(): void {
    this.#finish();
    this.#stream?.cancel();
  }

  #open(permitted: Permitted, goingOn?: GoingOn): void {
    const isCurrent = (): boolean => !this.#over && stream === this.#stream;
    let stream: Subscription | undefined;
    const opened = this.#watch.open(
      permitted,
      goingOn,
    )({
      message: (chunk) => {
        if (isCurrent()) this.#take(chunk);
      },
      end: (error) => {
        if (!isCurrent()) return;
        this.#finish();
        // The answer has begun where this is another stream than the first.
        this.#receiver.end(goingOn === undefined ? error : undefined);
      },
    });
    stream = opened;
    this.#stream = opened;
    if (this.#paused) opened.pause();
  }

  #take(chunk: Chunk): void {
    if (this.#held !== undefined) {
      this.#held.push(chunk);
      return;
    }
    this.#last = chunk.revision ?? this.#last;
    this.#receiver.message(chunk);
  }

  #hold(): void {
    if (this.#over) return;
    this.#again = true;
    if (this.#held === undefined) {
      this.#held = [];
      this.#stream?.pause();
    }
    this.#askAgain();
  }

  #askAgain(): void {
    if (this.#over || this.#looking) return;
    this.#looking = true;
    this.#again = true;
    this.#look().catch(() => this.#expire());
  }

  async #look(): Promise<void> {
    const { namespaces, first } = this.#watch;
    const { attributes } = first;
    while (this.#again) {
      this.#again = false;
      // The change is over in the next turn.
      await Promise.resolve();
      const { outcome } = await namespaces.authorizer.authorize(attributes);
      const now = outcome === "allow" ? undefined : await namespaces.now(attributes);
      if (this.#over) return;
      if (this.#again) continue;
      if (now === undefined) return this.#expire();
      this.#goOn(now.namespaces);
    }
    this.#looking = false;
  }

  #goOn(now: readonly string[]): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    const [before, after] = [new Set(this.#seen), new Set(now)];
    const gained = now.filter((name) => !before.has(name));
    if (this.#seen.some((name) => !after.has(name))) {
      this.#expire();
      return;
    }
    for (const chunk of held) this.#take(chunk);
    if (gained.length === 0) {
      if (!this.#paused) this.#stream?.resume();
      return;
    }
    if (this.#last === undefined) {
      this.#expire();
      return;
    }
    this.#stream?.cancel();
    this.#seen = now;
    const goingOn = { after: this.#last, passedMs: this.#watch.namespaces.time() - this.#began };
    this.#last = undefined;
    this.#open({ namespaces: now, gained }, goingOn);
  }

  #expire(): void {
    if (this.#over) return;
    this.#finish();
    this.#stream?.cancel();
    this.#receiver.message({ body: this.#watch.errorFrame(changed()) });
    this.#receiver.end();
  }

  #finish(): void {
    this.#over = true;
    for (const stop of this.#stops.splice(0)) stop();
  }
}
