import { type StartUpHook, startUpHooks } from "@orch/rpc/start-up-hooks.js";

/** Which of {@link startUpHooks} this service has finished. */
export interface StartUp {
  /** What to call once the hook is finished. Each hook is taken by one. */
  finishes(hook: StartUpHook): () => void;
  readonly unfinished: readonly StartUpHook[];
}

/** `postStartHook` makes a health check that fails until what it returned is called. */
export function createStartUp(postStartHook: (hook: StartUpHook) => () => void): StartUp {
  const unfinished = new Map(startUpHooks.map((hook) => [hook, postStartHook(hook)]));
  const taken = new Set<StartUpHook>();
  return {
    finishes(hook) {
      if (taken.has(hook)) throw new TypeError(`the start-up hook ${hook} is taken already`);
      taken.add(hook);
      return () => {
        unfinished.get(hook)?.();
        unfinished.delete(hook);
      };
    },
    get unfinished() {
      return [...unfinished.keys()];
    },
  };
}
