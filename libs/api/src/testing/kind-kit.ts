import assert from "node:assert/strict";
import { isObject } from "@orch/schema/descriptor.js";
import type { WriteContext } from "../behavior.js";
import type { Catalog, Kind } from "../catalog.js";
import { allFeatures } from "../features.js";
import type { AnyObject } from "../object.js";
import {
  decodeObject,
  fromHub,
  prepareForCreate,
  prepareForPart,
  prepareForUpdate,
  setDefaults,
  toHub,
  validateCreate,
  validatePart,
  validateUpdate,
  validateVirtual,
} from "../writes.js";

export type Tree = Readonly<Record<string, unknown>>;

export const testContext: WriteContext = {
  user: { name: "ann", uid: "u1", groups: ["devs"], extra: {} },
  now: "2026-01-02T03:04:05Z",
  // What no row of a kind says is about a gate.
  features: allFeatures,
};

/** What tests of kinds do with trees, as a write of the server does it. A kind is `Pod` or `apps/v1.Deployment`. */
export interface KindKit {
  kind(name: string): Kind;
  /** Decoded and defaulted in its own version; metadata gets a name and, where there is one, a namespace. */
  defaulted(kind: string, tree: Tree): AnyObject;
  /** As a create stores it: in the hub's version. */
  created(kind: string, tree: Tree): AnyObject;
  updated(kind: string, tree: Tree, old: AnyObject): AnyObject;
  /** Errors as `field: message`. */
  createErrors(kind: string, tree: Tree): readonly string[];
  updateErrors(kind: string, tree: Tree, before: Tree): readonly string[];
  /** Of a kind that is never stored: its metadata is what the tree says. */
  virtualErrors(kind: string, tree: Tree): readonly string[];
  /** A write of `tree` through a subresource over what a create of `before` stored. */
  part(kind: string, name: string, change: { readonly tree: Tree; readonly before: Tree }): AnyObject;
  partErrors(kind: string, name: string, change: { readonly tree: Tree; readonly before: Tree }): readonly string[];
  /** An object of a version, without defaults, as its hub has it and back. */
  roundTrip(kind: string, tree: Tree): { readonly hub: AnyObject; readonly back: AnyObject };
}

export function createKindKit(catalog: Catalog): KindKit {
  const kind = (name: string): Kind => {
    const dot = name.lastIndexOf(".");
    const found = catalog.kind(dot < 0 ? "v1" : name.slice(0, dot), name.slice(dot + 1));
    assert.ok(found, `no kind ${name}`);
    return found;
  };
  const decoded = (of: Kind, tree: Tree): AnyObject => {
    const given = isObject(tree["metadata"]) ? tree["metadata"] : {};
    const metadata = { name: "x", ...(of.namespaced ? { namespace: "n" } : {}), ...given };
    const { object, unknown } = decodeObject(of, { ...tree, metadata });
    assert.deepEqual(unknown, [], "the test's own tree has unknown fields");
    return object;
  };
  const defaulted = (name: string, tree: Tree): AnyObject => setDefaults(kind(name), decoded(kind(name), tree));
  const asHub = (name: string, tree: Tree): AnyObject => toHub(kind(name), defaulted(name, tree));
  const contextOf = (name: string): WriteContext => ({ ...testContext, apiVersion: kind(name).apiVersion });
  const created = (name: string, tree: Tree): AnyObject =>
    prepareForCreate(kind(name).hub, asHub(name, tree), contextOf(name));
  const updated = (name: string, tree: Tree, old: AnyObject): AnyObject =>
    prepareForUpdate(kind(name).hub, asHub(name, tree), old, contextOf(name));
  const part = (name: string, subresource: string, change: { readonly tree: Tree; readonly before: Tree }) => {
    const old = created(name, change.before);
    const write = { name: subresource, object: asHub(name, change.tree), old };
    return { old, object: prepareForPart(kind(name).hub, write, contextOf(name)) };
  };
  return {
    kind,
    defaulted,
    created,
    updated,
    createErrors: (name, tree) => texts(validateCreate(kind(name), created(name, tree))),
    updateErrors(name, tree, before) {
      const old = created(name, before);
      return texts(validateUpdate(kind(name), updated(name, tree, old), old));
    },
    virtualErrors(name, tree) {
      const object = setDefaults(kind(name), decodeObject(kind(name), tree).object);
      return texts(validateVirtual(kind(name).hub, toHub(kind(name), object)));
    },
    part: (name, subresource, change) => part(name, subresource, change).object,
    partErrors(name, subresource, change) {
      const { old, object } = part(name, subresource, change);
      return texts(validatePart(kind(name), { name: subresource, object, old }));
    },
    roundTrip(name, tree) {
      const of = kind(name);
      const object = decoded(of, tree);
      const { hub, conversion } = of;
      const converted = conversion === undefined ? object : conversion.toHub(object);
      const stored = decodeObject(hub, { ...converted, kind: hub.kind, apiVersion: hub.apiVersion }).object;
      return { hub: stored, back: decodeObject(of, fromHub(of, stored)).object };
    },
  };
}

function texts(errors: readonly { readonly field: string; readonly message: string }[]): readonly string[] {
  return errors.map((e) => `${e.field}: ${e.message}`);
}
