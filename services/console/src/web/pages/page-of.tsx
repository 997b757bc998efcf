import type { JSX } from "preact";
import { useConsole } from "../context.js";
import { Empty } from "../parts/small.js";
import type { Route } from "../routes.js";
import { KindsPage } from "./kinds.js";
import { ListPage } from "./list.js";

export function PageOf({ route }: { readonly route: Route }): JSX.Element {
  const { kindOf } = useConsole();
  if (route.page === "kinds") return <KindsPage />;
  if (route.page !== "list") return <NoPage />;
  const kind = kindOf(route.kind);
  if (kind === undefined) return <NoPage />;
  return <ListPage key={`${kind.group}/${kind.plural}/${route.namespace}`} {...{ ...route, kind }} />;
}

function NoPage(): JSX.Element {
  return (
    <Empty title="There is no such page">
      <p>
        The server may not serve that kind any more. <a href="#/">All kinds</a>
      </p>
    </Empty>
  );
}
