import type { ApiObject } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import { patchTypes } from "@orch/client/patch-types.js";
import type { Outcome } from "@orch/client/work-queue.js";
import { type Network, parseNetwork } from "@orch/schema/formats/ip.js";
import type { Controller } from "../controller.js";
import type { Kind } from "../rim/objects.js";
import { createReconciler } from "../rim/reconciler.js";
import { recorderOf } from "../rim/recorder.js";
import type { SeenNode } from "../seen/node.js";
import type { ControllerTools } from "../tools.js";
import { type BlockRange, createBlocks } from "./blocks.js";

const name = "node-ipam-controller";
const nodeKind: Omit<Kind, "collection"> = { apiVersion: "v1", kind: "Node" };

export interface IpamSettings {
  /** One or two, each of another family: a node gets a block of each. */
  readonly ranges: readonly BlockRange[];
  /** Ranges of services, of which no node gets a part. */
  readonly services: readonly Network[];
}

/** Gives each node blocks of addresses for its pods. */
export function createNodeIpamController({ ranges, services }: IpamSettings, tools: ControllerTools): Controller {
  const { client, informers } = tools;
  const nodes = informers.of("nodes");
  const events = recorderOf(tools, name, "cidrAllocator");
  const all = ranges.map(createBlocks);
  for (const range of services) for (const blocks of all) blocks.occupy(range);
  /** What was given and is not shown by the store yet, by node. */
  const given = new Map<string, readonly string[]>();

  const take = (): readonly string[] | undefined => {
    const taken: string[] = [];
    for (const blocks of all) {
      const block = blocks.take();
      if (block === undefined) {
        giveBack(taken);
        return undefined;
      }
      taken.push(block);
    }
    return taken;
  };
  const giveBack = (texts: readonly string[]): void => {
    for (const network of networksOf(texts)) for (const blocks of all) blocks.release(network);
  };
  const tell = (node: ApiObject, reason: string): void => {
    const message = `Node ${node.metadata.name} status is now: ${reason}`;
    events.tell({ about: node, kind: nodeKind, type: "Normal", reason, message });
  };
  const sync = async (key: string, signal: AbortSignal): Promise<Outcome> => {
    const node: SeenNode | undefined = nodes.store.get(key);
    if (node === undefined || blocksOf(node).length > 0) return "done";
    const blocks = given.get(key) ?? take();
    if (blocks === undefined) {
      tell(node, "CIDRNotAvailable");
      return "retry";
    }
    given.set(key, blocks);
    const body = { metadata: { uid: node.metadata.uid }, spec: { podCIDR: blocks[0], podCIDRs: blocks } };
    try {
      await client.patch(nodes.collection, key, { type: patchTypes.strategic, body, signal }).catch(unlessPast);
    } catch (error) {
      tell(node, "CIDRAssignmentFailed");
      throw error;
    }
    return "done";
  };
  return createReconciler(
    {
      name,
      queue: "cidrallocator",
      workers: 4,
      sync,
      follows(owners) {
        const look = (node: ApiObject): void => {
          const { name: key = "" } = node.metadata;
          const own = blocksOf(node);
          if (own.length === 0) owners.add(key);
          else {
            for (const network of networksOf(own)) for (const blocks of all) blocks.occupy(network);
            given.delete(key);
          }
        };
        const handlers = {
          added: look,
          modified(node: ApiObject, before: ApiObject) {
            if (blocksOf(node).length === 0 || blocksOf(before).length === 0) look(node);
          },
          deleted(node: ApiObject) {
            const { name: key = "" } = node.metadata;
            giveBack(given.get(key) ?? blocksOf(node));
            given.delete(key);
          },
        };
        return [{ informer: nodes, handlers }];
      },
    },
    tools,
  );
}

function blocksOf({ spec }: SeenNode): readonly string[] {
  const { podCIDRs = [], podCIDR = "" } = spec ?? {};
  return podCIDRs.length > 0 ? podCIDRs : podCIDR === "" ? [] : [podCIDR];
}

const networksOf = (texts: readonly string[]): readonly Network[] => texts.flatMap((text) => parseNetwork(text) ?? []);
