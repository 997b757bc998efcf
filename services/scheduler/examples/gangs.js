// A plugin of your own: pods of one gang are bound together or not at all. orch scheduler --plugin=gangs.js, and its name in a
// profile (multiPoint: {enabled: [{name: Gangs}]}). A pod says by labels which gang it is of, and how many there are:
//
//   example.com/gang: train, example.com/gang-size: "3"
//
// One that has found its node waits for the others, for 30 seconds at most.

const gang = ({ namespace, labels }) => {
  const name = labels["example.com/gang"];
  return name === undefined ? undefined : `${namespace}/${name}`;
};

export const plugins = [
  {
    name: "Gangs",
    create: (_args, { waitingPods }) => ({
      name: "Gangs",
      permit(pod) {
        const own = gang(pod);
        if (own === undefined) return undefined;
        const others = waitingPods.all().filter((waiting) => gang(waiting.pod) === own);
        if (others.length + 1 < Number(pod.labels["example.com/gang-size"])) return { code: "Wait", ms: 30_000 };
        for (const other of others) other.allow("Gangs");
        return undefined;
      },
      events: [{ resource: "AssignedPod", actions: ["Add", "Delete"] }],
    }),
  },
];
