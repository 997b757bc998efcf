import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Api } from "../api/client.js";
import { isListed, type Kind } from "../api/discovery.js";
import { asFailure } from "../api/failure.js";
import { collectionPath, objectPath, query } from "../api/paths.js";
import { useConsole } from "../context.js";
import { useLoaded, useNow, useTitle } from "../hooks.js";
import { type DeletedObject, deletedObjects, shortUser } from "../object/past-states.js";
import { agoText, momentText } from "../parts/age.js";
import { FailureView } from "../parts/failure-view.js";
import { Empty, Loading } from "../parts/small.js";
import { objectRoute } from "../routes.js";

interface Found extends DeletedObject {
  readonly kind: Kind;
}

const atOnce = 6;
const mostOfAKind = 100;

/** What has been deleted and can be brought back, of every kind. */
export function DeletedPage(): JSX.Element {
  const { api, kinds, tell } = useConsole();
  const [generation, setGeneration] = useState(0);
  const [search, setSearch] = useState("");
  const time = useNow(10_000);
  useTitle("Deleted objects");
  const found = useLoaded((signal) => readDeleted(api, kinds, signal), [api, kinds, generation]);
  const undelete = async ({ kind, ...place }: Found): Promise<void> => {
    try {
      await api.send("POST", `${objectPath(kind, place, "undelete")}?fieldManager=console`, {
        revision: place.revision,
      });
      tell(`${place.name} is back`);
      setGeneration((count) => count + 1);
    } catch (error) {
      tell(asFailure(error).message, "bad");
    }
  };
  const wanted = search.toLowerCase();
  const shown = (found.value ?? []).filter(({ name, namespace, kind, user }) =>
    [name, namespace, kind.kind, user].join(" ").toLowerCase().includes(wanted),
  );
  return (
    <section class="page" aria-label="Deleted objects">
      <header class="page-head">
        <h1>Deleted objects</h1>
        <p class="count">
          <span class="count-number">{found.phase === "ready" ? shown.length : ""}</span>
        </p>
        <div class="tools">
          <input
            type="search"
            placeholder="Search"
            aria-label="Search deleted objects"
            value={search}
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
          <button type="button" onClick={() => setGeneration((count) => count + 1)}>
            Look again
          </button>
        </div>
      </header>
      <div class="scroll">
        {found.phase === "loading" && <Loading what="Looking through every kind…" />}
        {found.phase === "failed" && <FailureView failure={found.failure} what="Deletions cannot be read" />}
        {found.phase === "ready" && shown.length === 0 && (
          <Empty title="Nothing is gone">
            <p>What is deleted stands here as long as its past is kept.</p>
          </Empty>
        )}
        {shown.length > 0 && (
          <table>
            <thead>
              <tr>
                <th scope="col">Deleted</th>
                <th scope="col">Kind</th>
                <th scope="col">Namespace</th>
                <th scope="col">Name</th>
                <th scope="col">By</th>
                <th scope="col">
                  <span class="muted">Back</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.slice(0, 500).map((one) => (
                <tr key={`${one.uid}/${one.revision}`}>
                  <td class="muted" title={momentText(one.time)}>
                    {agoText(Date.parse(one.time), time)}
                  </td>
                  <td>{one.kind.kind}</td>
                  <td class="muted">{one.namespace}</td>
                  <td>
                    <a href={objectRoute(one.kind, { namespace: one.namespace, name: one.name, tab: "history" })}>
                      {one.name}
                    </a>
                  </td>
                  <td>
                    <span title={one.user}>{shortUser(one.user)}</span>{" "}
                    {one.manager !== "" && <span class="muted">by {one.manager}</span>}
                  </td>
                  <td>
                    <button
                      type="button"
                      disabled={!one.restorable}
                      aria-label={`Undelete ${one.name}`}
                      onClick={() => void undelete(one)}
                    >
                      Undelete
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </section>
  );
}

/** The deletions of every kind that keeps its past and that the user may read, the newest first. */
async function readDeleted(api: Api, kinds: readonly Kind[], signal: AbortSignal): Promise<readonly Found[]> {
  const waiting = kinds.filter((kind) => isListed(kind) && kind.subresources.has("deleted"));
  const found: Found[] = [];
  const worker = async (): Promise<void> => {
    for (let kind = waiting.shift(); kind !== undefined; kind = waiting.shift()) {
      const of = kind;
      const path = `${collectionPath(kind, "")}/-/deleted${query({ limit: mostOfAKind })}`;
      try {
        found.push(...deletedObjects(await api.get(path, { signal })).map((one) => ({ ...one, kind: of })));
      } catch (error) {
        // What one may not read is not shown, nor what keeps nothing after all; that is no failure of the rest.
        if (![403, 404, 405].includes(asFailure(error).status)) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return found.sort((a, b) => (a.time < b.time ? 1 : -1));
}
