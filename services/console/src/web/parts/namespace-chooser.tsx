import type { JSX } from "preact";
import { useConsole } from "../context.js";
import { useLoaded } from "../hooks.js";
import { listAt, textAt } from "../json.js";

export interface NamespaceChooserProps {
  readonly namespace: string;
  readonly choose: (namespace: string) => void;
}

/** A namespace to choose or to type: whoever may not list them may still know one. */
export function NamespaceChooser({ namespace, choose }: NamespaceChooserProps): JSX.Element {
  const { api, naming } = useConsole();
  const names = useLoaded(
    async (signal) => {
      const accept = `application/json;as=PartialObjectMetadataList;v=v1;g=${naming.metaGroup}`;
      const list = await api.get("/api/v1/namespaces?limit=500", { accept, signal });
      return listAt(list, "items").map((item) => textAt(item, "metadata", "name"));
    },
    [api, naming],
  );
  if (names.phase !== "ready") {
    return (
      <input
        key={namespace}
        type="text"
        placeholder="Namespace"
        aria-label="Namespace"
        defaultValue={namespace}
        onChange={(event) => choose(event.currentTarget.value.trim())}
      />
    );
  }
  const known = namespace === "" || names.value.includes(namespace) ? names.value : [namespace, ...names.value];
  return (
    <select aria-label="Namespace" value={namespace} onChange={(event) => choose(event.currentTarget.value)}>
      <option value="">All namespaces</option>
      {known.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}
