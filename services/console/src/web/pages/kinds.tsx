import type { JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { isListed, searchKinds } from "../api/discovery.js";
import { useConsole } from "../context.js";
import { useKeys, useTitle } from "../hooks.js";
import { Empty } from "../parts/small.js";
import { listRoute } from "../routes.js";
import { sectionsOf } from "../shell/sections.js";

/** Everything that discovery knows. */
export function KindsPage(): JSX.Element {
  const { kinds, naming, go } = useConsole();
  const [search, setSearch] = useState("");
  const box = useRef<HTMLInputElement>(null);
  useTitle("");
  useKeys([{ keys: "/", help: "search", run: () => box.current?.focus() }]);
  const found = useMemo(() => searchKinds(kinds.filter(isListed), search), [kinds, search]);
  const sections = useMemo(() => sectionsOf(found, naming), [found, naming]);
  const press = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && found[0] !== undefined) go(listRoute(found[0]));
    if (event.key === "Escape") {
      setSearch("");
      box.current?.blur();
    }
  };
  return (
    <section class="page" aria-label="Kinds">
      <header class="page-head">
        <h1>All kinds</h1>
        <p class="count">
          <span class="count-number">{found.length}</span>
        </p>
        <div class="tools">
          <input
            ref={box}
            type="search"
            placeholder="Search  /"
            aria-label="Search kinds"
            value={search}
            onInput={(event) => setSearch(event.currentTarget.value)}
            onKeyDown={press}
          />
        </div>
      </header>
      <div class="scroll">
        {sections.map(({ title, kinds: inside }) => (
          <section key={title} class="kinds" aria-label={title}>
            <h2>{title}</h2>
            <ul>
              {inside.map((kind) => (
                <li key={`${kind.group}/${kind.plural}`}>
                  <a href={listRoute(kind)}>
                    <span class="kind-name">{kind.kind}</span>
                    <span class="muted">{kind.group === "" ? kind.version : `${kind.group}/${kind.version}`}</span>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
        {found.length === 0 && (
          <Empty title="No kind is called that">The search looks at names, short names and groups.</Empty>
        )}
      </div>
    </section>
  );
}
