import { type Conversions, conversion } from "../../conversion.js";
import type { ApiObject } from "../../object.js";

interface Slice<Capacity> extends ApiObject {
  readonly spec?: {
    readonly devices?: readonly {
      readonly basic?: { readonly capacity?: Readonly<Record<string, Capacity>> };
    }[];
  };
}

interface Amount {
  readonly value?: string;
}

/** The first version has a capacity's amount where the next has a place for more about it. */
const capacities = conversion<Slice<string>, Slice<Amount>>(() => ({
  toHub: (object) => withCapacities(object, (amount): Amount => ({ value: amount })),
  fromHub: (object) => withCapacities(object, ({ value = "0" }) => value),
}));

export const resourceConversions: Conversions = [["resource/v1alpha3.ResourceSlice", capacities]];

function withCapacities<A, B>({ spec, ...object }: Slice<A>, change: (capacity: A) => B): Slice<B> {
  if (spec === undefined) return object;
  const { devices, ...rest } = spec;
  if (devices === undefined) return { ...object, spec: rest };
  const changed = devices.map(({ basic, ...device }) => {
    if (basic === undefined) return device;
    const { capacity, ...others } = basic;
    if (capacity === undefined) return { ...device, basic: others };
    const entries = Object.entries(capacity).map(([name, value]) => [name, change(value)] as const);
    return { ...device, basic: { ...others, capacity: Object.fromEntries(entries) } };
  });
  return { ...object, spec: { ...rest, devices: changed } };
}
