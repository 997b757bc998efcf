import type { RawMeta, RawNodeSelector } from "../model/objects.js";

/** Claims of devices, as the plugin reads them. */
export interface ResourceClaim {
  readonly metadata?: RawMeta;
  readonly spec?: { readonly devices?: DeviceClaim };
  readonly status?: {
    readonly allocation?: Allocation;
    readonly reservedFor?: readonly { readonly uid?: string; readonly name?: string; readonly resource?: string }[];
  };
}

export interface Selector {
  readonly cel?: { readonly expression?: string };
}

export interface DeviceRequest {
  readonly name?: string;
  readonly deviceClassName?: string;
  readonly selectors?: readonly Selector[];
  readonly allocationMode?: string;
  readonly count?: number;
  readonly adminAccess?: boolean;
}

export interface DeviceClaim {
  readonly requests?: readonly DeviceRequest[];
  readonly constraints?: readonly { readonly requests?: readonly string[]; readonly matchAttribute?: string }[];
  readonly config?: readonly { readonly requests?: readonly string[]; readonly opaque?: object }[];
}

export interface Allocation {
  readonly devices?: {
    readonly results?: readonly DeviceResult[];
    readonly config?: readonly object[];
  };
  readonly nodeSelector?: RawNodeSelector;
}

export interface DeviceResult {
  readonly request?: string;
  readonly driver?: string;
  readonly pool?: string;
  readonly device?: string;
  readonly adminAccess?: boolean;
}

export interface DeviceClass {
  readonly metadata?: RawMeta;
  readonly spec?: {
    readonly selectors?: readonly Selector[];
    readonly config?: readonly { readonly opaque?: object }[];
  };
}

export type Attribute = {
  readonly int?: number;
  readonly bool?: boolean;
  readonly string?: string;
  readonly version?: string;
};

export interface Device {
  readonly name?: string;
  readonly basic?: {
    readonly attributes?: Readonly<Record<string, Attribute>>;
    readonly capacity?: Readonly<Record<string, object>>;
  };
}

/** Devices of a driver that some nodes reach. */
export interface ResourceSlice {
  readonly metadata?: RawMeta;
  readonly spec?: {
    readonly driver?: string;
    readonly pool?: { readonly name?: string; readonly generation?: number; readonly resourceSliceCount?: number };
    readonly nodeName?: string;
    readonly nodeSelector?: RawNodeSelector;
    readonly allNodes?: boolean;
    readonly devices?: readonly Device[];
  };
}
