/** The version of the protocol that this build speaks, and with it the one before. */
export const protocolVersion = 1;

/**
 * What two ends speak that are one version apart at most, as they are while a cluster is upgraded: the older one's. A
 * client says its own, the server answers with this one. Undefined where they have none in common.
 */
export function commonVersion(mine: number, theirs: number): number | undefined {
  return theirs > 0 && Math.abs(mine - theirs) <= 1 ? Math.min(mine, theirs) : undefined;
}
