import { endpointsOfSlice, endpointsOfSubsets, serviceStateOf } from "@orch/access/service-objects.js";
import type { AnyObject } from "@orch/api/object.js";
import type { Collection, Follower, Following, ObjectSource } from "@orch/auth/object-source.js";
import type { Naming } from "@orch/naming/naming.js";
import type { ServiceReference } from "@orch/outbound/destination.js";
import type { ServiceEndpoints, ServiceObjects, ServiceState } from "@orch/outbound/service-addresses.js";

/** What the cluster says of a Service at this moment. */
export interface ServiceView {
  /** All that is below is known. */
  readonly loaded: boolean;
  readonly service: ServiceState | undefined;
  /** Undefined where there is no object of them at all. */
  readonly endpoints: readonly ServiceEndpoints[] | undefined;
}

/** Follows the Services that somebody holds, and their endpoints, and nothing else. */
export interface ServiceViews extends ServiceObjects {
  /** From now on until it is released; `changed` runs after each change. */
  hold(service: Name, changed: () => void): { readonly view: () => ServiceView; readonly release: () => void };
}

type Name = Pick<ServiceReference, "namespace" | "name">;

interface Held {
  readonly listeners: Set<() => void>;
  readonly view: () => ServiceView;
  readonly stop: () => void;
}

const nothing: ServiceView = { loaded: false, service: undefined, endpoints: undefined };

export function createServiceViews(objects: ObjectSource, naming: Naming): ServiceViews {
  const held = new Map<string, Held>();
  const viewOf = (namespace: string, name: string): ServiceView => held.get(`${namespace}/${name}`)?.view() ?? nothing;
  return {
    hold(service, changed) {
      const key = `${service.namespace}/${service.name}`;
      const listeners = held.get(key)?.listeners ?? new Set();
      const tell = (): void => {
        for (const run of listeners) run();
      };
      const one = held.get(key) ?? { listeners, ...follow(objects, naming, service, tell) };
      held.set(key, one);
      listeners.add(changed);
      return {
        view: one.view,
        release: () => {
          listeners.delete(changed);
          if (listeners.size > 0) return;
          one.stop();
          held.delete(key);
        },
      };
    },
    service: async (namespace, name) => viewOf(namespace, name).service,
    endpoints: async (namespace, name) => viewOf(namespace, name).endpoints ?? [],
  };
}

function follow(
  objects: ObjectSource,
  naming: Naming,
  { namespace, name }: Name,
  changed: () => void,
): Pick<Held, "view" | "stop"> {
  const label = naming.key("service-name");
  const named = { namespace, fieldSelector: `metadata.name=${name}` };
  const services = mirror(objects, { group: "", version: "v1", resource: "services", ...named }, { changed });
  const endpoints = mirror(objects, { group: "", version: "v1", resource: "endpoints", ...named }, { changed });
  const slices = mirror(
    objects,
    { group: naming.group("discovery"), version: "v1", resource: "endpointslices", namespace },
    { changed, wanted: ({ metadata }) => metadata.labels?.[label] === name },
  );
  const all = [services, endpoints, slices];
  return {
    view() {
      const [service] = services.all();
      const [whole] = endpoints.all();
      const parts = slices.all();
      const found = parts.length > 0 ? parts.map(endpointsOfSlice) : whole && endpointsOfSubsets(whole);
      return {
        loaded: all.every((one) => one.loaded()),
        service: service && serviceStateOf(service),
        endpoints: found,
      };
    },
    stop() {
      for (const one of all) one.stop();
    },
  };
}

interface Mirrored {
  readonly changed: () => void;
  readonly wanted?: (object: AnyObject) => boolean;
}

function mirror(objects: ObjectSource, collection: Collection, { changed, wanted = () => true }: Mirrored) {
  const byName = new Map<string, AnyObject>();
  let loaded = false;
  const put = (object: AnyObject): boolean => {
    const { name = "" } = object.metadata;
    if (!wanted(object)) return byName.delete(name);
    byName.set(name, object);
    return true;
  };
  const follower: Follower = {
    replaced(all) {
      byName.clear();
      for (const object of all) put(object);
      loaded = true;
      changed();
    },
    changed(object) {
      if (put(object)) changed();
    },
    deleted({ metadata: { name = "" } }) {
      if (byName.delete(name)) changed();
    },
  };
  const following: Following = objects.follow(collection, follower);
  return { all: () => [...byName.values()], loaded: () => loaded, stop: () => following.stop() };
}
