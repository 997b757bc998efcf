import { ApiError } from "@orch/status/api-error.js";

/** How many connections to what runs on nodes each user has open: each holds two file descriptors until its client goes. */
export interface OpenConnections {
  /** One more of a user, until the function that it gives is called. @throws ApiError TooManyRequests beyond the bound */
  open(user: string): () => void;
}

/** Bounded for each user, so that none takes those of others; 0 is no bound. */
export function createOpenConnections(mostOfUser: number): OpenConnections {
  const users = new Map<string, number>();
  return {
    open(user) {
      const now = users.get(user) ?? 0;
      if (mostOfUser > 0 && now >= mostOfUser) {
        const message = `too many connections to nodes are open: a user may have ${mostOfUser} at once`;
        throw new ApiError("TooManyRequests", message, { details: { retryAfterSeconds: 1 } });
      }
      users.set(user, now + 1);
      return () => {
        const left = (users.get(user) ?? 1) - 1;
        if (left === 0) users.delete(user);
        else users.set(user, left);
      };
    },
  };
}
