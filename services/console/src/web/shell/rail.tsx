import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { useConsole } from "../context.js";
import { listRoute, type Route } from "../routes.js";
import { sectionsOf } from "./sections.js";

export const insights = [
  { hash: "#/deleted", page: "deleted", title: "Deleted objects", key: "x" },
  { hash: "#/who-can", page: "who-can", title: "Who can", key: "w" },
  { hash: "#/flow-control", page: "flow-control", title: "Flow control", key: "f" },
  { hash: "#/deprecated", page: "deprecated", title: "Deprecated API use", key: "u" },
] as const;

/** Where everything is. */
export function Rail({ route, isOpen }: { readonly route: Route; readonly isOpen: boolean }): JSX.Element {
  const { kinds, naming } = useConsole();
  const sections = useMemo(() => sectionsOf(kinds, naming), [kinds, naming]);
  const at = route.page === "list" || route.page === "object" ? `${route.kind.group}/${route.kind.plural}` : "";
  const namespace = route.page === "list" ? route.namespace : "";
  return (
    <nav class={isOpen ? "rail is-open" : "rail"} aria-label="Kinds and pages">
      <a class="rail-link rail-all" href="#/" aria-current={route.page === "kinds" ? "page" : undefined}>
        All kinds
      </a>
      {sections.map(({ title, kinds: inside }) => (
        <details key={title} open={title !== "API and policy"}>
          <summary>{title}</summary>
          {inside.map((kind) => (
            <a
              key={`${kind.group}/${kind.plural}`}
              class="rail-link"
              href={listRoute(kind, { namespace: kind.namespaced ? namespace : "" })}
              aria-current={at === `${kind.group}/${kind.plural}` ? "page" : undefined}
              title={kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`}
            >
              {kind.kind}
            </a>
          ))}
        </details>
      ))}
      <details open>
        <summary>Insight</summary>
        {insights.map(({ hash, page, title }) => (
          <a key={hash} class="rail-link" href={hash} aria-current={route.page === page ? "page" : undefined}>
            {title}
          </a>
        ))}
      </details>
    </nav>
  );
}
