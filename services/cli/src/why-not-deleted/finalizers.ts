import type { Naming } from "@orch/naming/naming.js";

/** Who takes a finalizer away, and what it waits for until then. */
export interface Actor {
  readonly who: string;
  readonly waitsFor: string;
  /** Which facts tell what it waits for. */
  readonly looksAt: "blockers" | "dependents" | "content" | "pods" | "instances" | "nothing";
}

/** By the finalizers that the server's own parts set, as the dialect spells them. */
export function knownActors(naming: Naming): ReadonlyMap<string, Actor> {
  const manager = naming.systemName("controller-manager");
  const of = (controller: string): string => `the ${controller} of the ${manager}`;
  const rows: readonly (readonly [string, Actor])[] = [
    [
      "foregroundDeletion",
      { who: of("garbage collector"), waitsFor: "the dependents that block it are gone", looksAt: "blockers" },
    ],
    [
      "orphan",
      {
        who: of("garbage collector"),
        waitsFor: "its dependents have it as their owner no more",
        looksAt: "dependents",
      },
    ],
    [
      naming.namespaceFinalizer,
      { who: of("namespace controller"), waitsFor: "nothing is left in the namespace", looksAt: "content" },
    ],
    [
      naming.key("pvc-protection"),
      { who: of("claim protection controller"), waitsFor: "no pod uses the claim", looksAt: "pods" },
    ],
    [
      naming.key("pv-protection"),
      { who: of("volume protection controller"), waitsFor: "the volume is bound to no claim", looksAt: "nothing" },
    ],
    [
      naming.key("vac-protection"),
      {
        who: of("protection controller of volume attributes"),
        waitsFor: "no volume or claim names it",
        looksAt: "nothing",
      },
    ],
    [
      `batch.${naming.key("job-tracking")}`,
      { who: of("job controller"), waitsFor: "the job has counted the pod", looksAt: "nothing" },
    ],
    [
      `service.${naming.key("load-balancer-cleanup")}`,
      { who: "the service controller of the cloud", waitsFor: "the load balancer is gone", looksAt: "nothing" },
    ],
    [
      `resource.${naming.key("delete-protection")}`,
      { who: of("resource claim controller"), waitsFor: "no pod has the devices reserved", looksAt: "nothing" },
    ],
    [
      `customresourcecleanup.${naming.group("apiextensions")}`,
      { who: "the server itself", waitsFor: "no object of the kind is left", looksAt: "instances" },
    ],
  ];
  return new Map(rows);
}
