/** Of seccomp and of AppArmor. */
export interface Profile {
  readonly type?: string;
  readonly localhostProfile?: string;
}

export interface WindowsOptions {
  readonly gmsaCredentialSpecName?: string;
  readonly gmsaCredentialSpec?: string;
  readonly runAsUserName?: string;
  readonly hostProcess?: boolean;
}

export interface SecurityContext {
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
  readonly privileged?: boolean;
  readonly seLinuxOptions?: object;
  readonly windowsOptions?: WindowsOptions;
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly readOnlyRootFilesystem?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
  readonly procMount?: string;
  readonly seccompProfile?: Profile;
  readonly appArmorProfile?: Profile;
}

export interface PodSecurityContext {
  readonly seLinuxOptions?: object;
  readonly seLinuxChangePolicy?: string;
  readonly windowsOptions?: WindowsOptions;
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly supplementalGroups?: readonly number[];
  readonly supplementalGroupsPolicy?: string;
  readonly fsGroup?: number;
  readonly fsGroupChangePolicy?: string;
  readonly sysctls?: readonly { readonly name?: string; readonly value?: string }[];
  readonly seccompProfile?: Profile;
  readonly appArmorProfile?: Profile;
}
