import type { Plugin } from "../framework/plugin.js";

const mebibyte = 1024 * 1024;
const least = 23 * mebibyte;
const mostOfEach = 1000 * mebibyte;

/** Nodes that hold the pod's images; less so for images that many nodes hold, lest pods crowd where one ran first. */
export const imageLocality: Plugin = {
  name: "ImageLocality",
  score: ({ pod, cluster }) => {
    const images = pod.images.map((name) => ({ name, spread: cluster.nodesWithImage(name) / cluster.nodes.length }));
    if (images.every(({ spread }) => spread === 0)) return { score: () => 0 };
    return {
      score: ({ images: held }) => {
        if (held.size === 0) return 0;
        let sum = 0;
        for (const { name, spread } of images) sum += Math.trunc((held.get(name) ?? 0) * spread);
        return imageScore(sum, images.length);
      },
    };
  },
};

/** Of bytes that need not be fetched. */
export function imageScore(bytes: number, containers: number): number {
  const most = mostOfEach * containers;
  const bounded = Math.min(Math.max(bytes, least), most);
  return Math.trunc((100 * (bounded - least)) / (most - least));
}
