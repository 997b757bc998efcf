import { maxNodeScore } from "../framework/profile.js";

/** To 0 … 100 by the highest; reversed: the lowest is the best. Where all are 0, they stay, or are 100 when reversed. */
export const normalizedTo =
  ({ reverse }: { readonly reverse: boolean }) =>
  (scores: Float64Array): void => {
    let highest = 0;
    for (const score of scores) if (score > highest) highest = score;
    if (highest === 0) {
      if (reverse) scores.fill(maxNodeScore);
      return;
    }
    for (let i = 0; i < scores.length; i++) {
      const share = Math.trunc((maxNodeScore * (scores[i] ?? 0)) / highest);
      scores[i] = reverse ? maxNodeScore - share : share;
    }
  };
