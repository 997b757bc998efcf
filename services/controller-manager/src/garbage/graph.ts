import type { ApiObject } from "@orch/client/objects.js";
import {
  deletesDependentsFirst,
  type Identity,
  identityOfOwner,
  isBeingDeleted,
  type OwnerReference,
  orphansDependents,
  ownersOf,
  referencesTo,
  sameCoordinates,
  sameIdentity,
} from "./references.js";

/** An object as its owners and dependents see it. Only the graph changes one. */
export interface GraphNode {
  readonly identity: Identity;
  readonly owners: readonly OwnerReference[];
  /** Objects that name this one as an owner. */
  readonly dependents: ReadonlySet<GraphNode>;
  /** Known only because dependents name it; no event has shown it yet. */
  readonly virtual: boolean;
  readonly beingDeleted: boolean;
  /** It is deleted in the foreground: after its dependents. */
  readonly deletingDependents: boolean;
  /** It is deleted and leaves its dependents behind. */
  readonly orphaning: boolean;
}

/** What the graph finds out and others act on. */
export interface GraphEvents {
  /** Look whether it is to be deleted. */
  examine(node: GraphNode): void;
  /** Look whether this virtual node's object is there at all. */
  verify(node: GraphNode): void;
  /** The same, later. */
  examineLater(node: GraphNode): void;
  /** Its dependents are to be set free. */
  orphan(node: GraphNode): void;
  /** An owner that dependents may still name is gone. */
  absent(identity: Identity): void;
  /** A dependent names an owner that lives in another namespace. */
  ownerElsewhere(dependent: GraphNode, owner: OwnerReference): void;
}

export interface Graph {
  /** An object was seen in this state, by a list or a watch. */
  observe(kind: KindName, object: ApiObject): void;
  /** An object is gone, by a list or a watch. */
  forget(kind: KindName, object: ApiObject): void;
  /** The server was asked for a virtual node's object, and it is not there. */
  confirmAbsent(identity: Identity): void;
  node(uid: string): GraphNode | undefined;
  readonly size: number;
}

export interface KindName {
  readonly apiVersion: string;
  readonly kind: string;
}

interface MutableNode extends GraphNode {
  identity: Identity;
  owners: readonly OwnerReference[];
  dependents: Set<MutableNode>;
  virtual: boolean;
  beingDeleted: boolean;
  deletingDependents: boolean;
  orphaning: boolean;
}

/** Most objects have no dependents: their nodes share this set, which stays empty. */
const nobody: Set<MutableNode> = new Set();

/**
 * Who owns whom. An edge is an owner reference, by uid; an owner that no event has shown yet is a virtual node, which
 * somebody must ask the server for. References to one uid may disagree about its kind, name or namespace:
 *
 *     observed {ConfigMap a/x, uid 1};  b/y → {ConfigMap x, uid 1}   ⇒ ownerElsewhere(b/y), examine(b/y)
 *     virtual  {Widget a/x, uid 2};     a/z → {Gadget x, uid 2}      ⇒ examine(a/z)
 */
export function createGraph(events: GraphEvents): Graph {
  const nodes = new Map<string, MutableNode>();

  const addDependent = (owner: MutableNode, dependent: MutableNode): void => {
    if (owner.dependents === nobody) owner.dependents = new Set([dependent]);
    else owner.dependents.add(dependent);
  };

  /** Whether a reference may be wrong about its owner: told where it surely is. */
  const mayBeWrong = (dependent: MutableNode, reference: OwnerReference, owner: MutableNode): boolean => {
    const { namespace } = owner.identity;
    const elsewhere = namespace !== dependent.identity.namespace;
    if (namespace !== "" && elsewhere) {
      if (!owner.virtual) events.ownerElsewhere(dependent, reference);
      return true;
    }
    if (!sameCoordinates(reference, owner.identity)) return true;
    // A virtual node without a namespace may be a missing object that has one, which a cluster-wide dependent names.
    return namespace === "" && elsewhere && owner.virtual;
  };
  const link = (node: MutableNode, owners: readonly OwnerReference[]): void => {
    let doubtful = false;
    for (const reference of owners) {
      const owner = nodes.get(reference.uid);
      if (owner !== undefined) {
        addDependent(owner, node);
        if (!doubtful && mayBeWrong(node, reference, owner)) doubtful = true;
        continue;
      }
      const made = newNode(identityOfOwner(reference, node.identity.namespace), { virtual: true, owners: [] });
      nodes.set(reference.uid, made);
      addDependent(made, node);
      events.verify(made);
    }
    if (doubtful) events.examine(node);
  };
  const unlink = (node: MutableNode, owners: readonly OwnerReference[]): void => {
    for (const { uid } of owners) nodes.get(uid)?.dependents.delete(node);
  };

  /** An event shows what was virtual: dependents that were wrong about it are looked at. */
  const reveal = (node: MutableNode, identity: Identity): void => {
    node.virtual = false;
    if (sameIdentity(identity, node.identity)) return;
    for (const dependent of divided(node.dependents, identity).differing) {
      const [reference] = referencesTo(identity.uid, dependent.owners);
      const elsewhere = identity.namespace !== "" && dependent.identity.namespace !== identity.namespace;
      if (elsewhere && reference !== undefined) events.ownerElsewhere(dependent, reference);
      events.examine(dependent);
    }
    node.identity = identity;
  };
  const reown = (node: MutableNode, owners: readonly OwnerReference[]): void => {
    const before = new Map(node.owners.map((o) => [o.uid, o]));
    const after = new Map(owners.map((o) => [o.uid, o]));
    for (const old of before.values()) {
      // An owner that waits for its dependents may go on.
      const now = after.get(old.uid);
      const owner = nodes.get(old.uid);
      if (old.blockOwnerDeletion && now?.blockOwnerDeletion !== true && owner !== undefined) events.examine(owner);
    }
    const gone = node.owners.filter(({ uid }) => !after.has(uid));
    const added = owners.filter(({ uid }) => !before.has(uid));
    node.owners = owners;
    link(node, added);
    unlink(node, gone);
  };
  const remove = (node: MutableNode, identity: Identity): void => {
    nodes.delete(node.identity.uid);
    unlink(node, node.owners);
    if (node.dependents.size > 0) events.absent(identity);
    for (const dependent of node.dependents) events.examine(dependent);
    for (const { uid } of node.owners) {
      const owner = nodes.get(uid);
      if (owner?.deletingDependents === true) events.examine(owner);
    }
  };

  return {
    observe(kind, object) {
      const identity = identityOf(kind, object);
      const owners = ownersOf(object);
      let node = nodes.get(identity.uid);
      if (node === undefined) {
        node = newNode(identity, { virtual: false, owners });
        nodes.set(identity.uid, node);
        link(node, owners);
      } else {
        if (node.virtual) reveal(node, identity);
        reown(node, owners);
      }
      const before = { orphaning: node.orphaning, deletingDependents: node.deletingDependents };
      node.beingDeleted = isBeingDeleted(object);
      node.deletingDependents = deletesDependentsFirst(object);
      node.orphaning = orphansDependents(object);
      if (node.orphaning && !before.orphaning) {
        events.orphan(node);
        return;
      }
      if (!node.deletingDependents || before.deletingDependents) return;
      for (const dependent of node.dependents) events.examine(dependent);
      events.examine(node);
    },
    forget(kind, object) {
      const identity = identityOf(kind, object);
      const node = nodes.get(identity.uid);
      if (node !== undefined) remove(node, identity);
    },
    confirmAbsent(identity) {
      const node = nodes.get(identity.uid);
      if (node === undefined) return;
      const isIt = sameIdentity(node.identity, identity);
      const { agreeing, differing } = divided(node.dependents, identity);
      if (node.virtual ? differing.length === 0 : isIt) {
        remove(node, identity);
        return;
      }
      if (agreeing.length > 0) events.absent(identity);
      for (const dependent of agreeing) events.examine(dependent);
      if (!node.virtual || !isIt) return;
      // It may yet be what the other dependents say that it is.
      const other = otherIdentity(differing, identity);
      if (other === undefined) return;
      node.identity = other;
      events.examineLater(node);
    },
    node: (uid) => nodes.get(uid),
    get size() {
      return nodes.size;
    },
  };
}

function newNode(identity: Identity, { virtual, owners }: Pick<GraphNode, "virtual" | "owners">): MutableNode {
  return {
    identity,
    owners,
    dependents: nobody,
    virtual,
    beingDeleted: false,
    deletingDependents: false,
    orphaning: false,
  };
}

function identityOf({ apiVersion, kind }: KindName, { metadata }: ApiObject): Identity {
  const { name = "", namespace = "", uid = "" } = metadata;
  return { apiVersion, kind, name, uid, namespace };
}

/** Dependents that name an owner as what it is, and those that name its uid and something else; some do both. */
function divided(dependents: Iterable<MutableNode>, owner: Identity) {
  const agreeing: MutableNode[] = [];
  const differing: MutableNode[] = [];
  for (const dependent of dependents) {
    const references = referencesTo(owner.uid, dependent.owners);
    const reachable = owner.namespace === "" || owner.namespace === dependent.identity.namespace;
    const right = reachable ? references.filter((r) => sameCoordinates(r, owner)) : [];
    if (right.length > 0) agreeing.push(dependent);
    if (!reachable || right.length < references.length) differing.push(dependent);
  }
  return { agreeing, differing };
}

/** What other dependents say that an owner is: each in turn, in a fixed order, so that none is left out. */
function otherIdentity(dependents: readonly MutableNode[], absent: Identity): Identity | undefined {
  const others = new Map<string, Identity>();
  for (const { owners, identity } of dependents) {
    for (const reference of referencesTo(absent.uid, owners)) {
      // Where the absent one has no namespace its coordinates are wrong in every namespace.
      if (absent.namespace === "" && sameCoordinates(reference, absent)) continue;
      const other = identityOfOwner(reference, identity.namespace);
      if (!sameIdentity(other, absent)) others.set(orderOf(other), other);
    }
  }
  const keys = [...others.keys()].sort();
  const next = keys.find((key) => key > orderOf(absent)) ?? keys[0];
  return next === undefined ? undefined : others.get(next);
}

const orderOf = ({ apiVersion, kind, name, namespace }: Identity): string =>
  [apiVersion, kind, name, namespace].join("\n");
