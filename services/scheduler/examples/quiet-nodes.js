// A plugin of your own: orch scheduler --plugin=quiet-nodes.js, and its name in a profile:
//
//   profiles:
//   - plugins:
//       multiPoint: {enabled: [{name: QuietNodes, weight: 10}]}
//     pluginConfig:
//     - {name: QuietNodes, args: {label: example.com/loud}}
//
// Nodes with the label are refused to pods that say so, and are the last choice of all others.

const refuseLoud =
  (label) =>
  ({ pod }) => {
    if (pod.labels["example.com/sleeps"] !== "yes") return { code: "Skip" };
    return (node) =>
      node.labels.has(label)
        ? { code: "UnschedulableAndUnresolvable", plugin: "QuietNodes", reasons: ["node(s) were too loud"] }
        : undefined;
  };

export const plugins = [
  {
    name: "QuietNodes",
    create(args) {
      const label = args?.label ?? "example.com/loud";
      return {
        name: "QuietNodes",
        filter: refuseLoud(label),
        score: () => ({ score: (node) => (node.labels.has(label) ? 0 : 100) }),
        events: [{ resource: "Node", actions: ["Add", "UpdateNodeLabel"] }],
      };
    },
  },
];
