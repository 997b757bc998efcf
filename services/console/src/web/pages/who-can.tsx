import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Api } from "../api/client.js";
import type { Kind } from "../api/discovery.js";
import { collectionPath, query } from "../api/paths.js";
import { useConsole } from "../context.js";
import { useLoaded, useTitle } from "../hooks.js";
import { type Deed, type RbacObjects, whoCan } from "../insight/who-can.js";
import { listAt, textAt } from "../json.js";
import { FailureView } from "../parts/failure-view.js";
import { NamespaceChooser } from "../parts/namespace-chooser.js";
import { Empty, Loading } from "../parts/small.js";

const verbs = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"] as const;
const rbac = "rbac.authorization";

/** Whom roles and bindings allow something. */
export function WhoCanPage(): JSX.Element {
  const { api, kinds, ownKind } = useConsole();
  const [deed, setDeed] = useState<Deed>({ verb: "get", group: "", resource: "secrets", name: "", namespace: "" });
  useTitle("Who can");
  const objects = useLoaded(
    async (signal): Promise<RbacObjects> => {
      const all = (plural: string): Promise<readonly unknown[]> => listAll(api, ownKind(rbac, plural), signal);
      const [roles, roleBindings, clusterRoles, clusterRoleBindings] = await Promise.all([
        all("roles"),
        all("rolebindings"),
        all("clusterroles"),
        all("clusterrolebindings"),
      ]);
      return { roles, roleBindings, clusterRoles, clusterRoleBindings };
    },
    [api, kinds],
  );
  const resources = useMemo(
    () =>
      kinds.flatMap(({ group, plural, subresources }) =>
        ["", ...subresources].map((sub) => ({ group, resource: sub === "" ? plural : `${plural}/${sub}` })),
      ),
    [kinds],
  );
  const grants = useMemo(() => (objects.value === undefined ? [] : whoCan(deed, objects.value)), [objects.value, deed]);
  const nameOf = ({ group, resource }: Pick<Deed, "group" | "resource">): string =>
    group === "" ? resource : `${resource} · ${group}`;
  return (
    <section class="page" aria-label="Who can">
      <header class="page-head">
        <h1>Who can</h1>
        <div class="tools who-can">
          <select
            aria-label="Verb"
            value={deed.verb}
            onChange={(event) => setDeed({ ...deed, verb: event.currentTarget.value })}
          >
            {verbs.map((verb) => (
              <option key={verb}>{verb}</option>
            ))}
          </select>
          <select
            aria-label="Resource"
            value={nameOf(deed)}
            onChange={(event) =>
              setDeed({ ...deed, ...resources.find((each) => nameOf(each) === event.currentTarget.value) })
            }
          >
            {resources.map((each) => (
              <option key={nameOf(each)}>{nameOf(each)}</option>
            ))}
          </select>
          <input
            type="text"
            placeholder="Name: any"
            aria-label="Name"
            value={deed.name}
            onInput={(event) => setDeed({ ...deed, name: event.currentTarget.value.trim() })}
          />
          <NamespaceChooser namespace={deed.namespace} choose={(namespace) => setDeed({ ...deed, namespace })} />
        </div>
      </header>
      <div class="scroll">
        {objects.phase === "loading" && <Loading what="Reading roles and bindings…" />}
        {objects.phase === "failed" && (
          <FailureView failure={objects.failure} what="Roles and bindings cannot be read" />
        )}
        {objects.phase === "ready" && grants.length === 0 && (
          <Empty title="Nobody, as far as roles and bindings go">
            <p>Administrators of the masters’ group and other authorizers are not told of here.</p>
          </Empty>
        )}
        {grants.length > 0 && (
          <table>
            <thead>
              <tr>
                <th scope="col">Who</th>
                <th scope="col">Is a</th>
                <th scope="col">By binding</th>
                <th scope="col">Of role</th>
              </tr>
            </thead>
            <tbody>
              {grants.map((grant) => (
                <tr key={Object.values(grant).join()}>
                  <td>{grant.subject}</td>
                  <td class="muted">{grant.kind}</td>
                  <td>{grant.binding}</td>
                  <td>{grant.role}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </section>
  );
}

async function listAll(api: Api, kind: Kind | undefined, signal: AbortSignal): Promise<readonly unknown[]> {
  if (kind === undefined) return [];
  let [items, from]: [readonly unknown[], string] = [[], ""];
  for (;;) {
    const page = await api.get(collectionPath(kind, "") + query({ limit: 500, continue: from }), { signal });
    items = [...items, ...listAt(page, "items")];
    from = textAt(page, "metadata", "continue");
    if (from === "") return items;
  }
}
