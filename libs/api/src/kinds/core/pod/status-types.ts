export interface PodCondition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastProbeTime?: string;
  readonly lastTransitionTime?: string;
}

export interface ContainerStatus {
  readonly name?: string;
  readonly resources?: object;
  readonly allocatedResources?: object;
  readonly allocatedResourcesStatus?: object;
  readonly state?: { readonly terminated?: { readonly exitCode?: number } };
  readonly user?: {
    readonly linux?: {
      readonly uid?: number;
      readonly gid?: number;
      readonly supplementalGroups?: readonly number[];
    };
  };
}
