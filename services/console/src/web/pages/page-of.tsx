import type { JSX } from "preact";
import { useConsole } from "../context.js";
import { Empty } from "../parts/small.js";
import type { Route } from "../routes.js";
import { DeletedPage } from "./deleted.js";
import { DeprecatedPage } from "./deprecated.js";
import { FlowControlPage } from "./flow-control.js";
import { KindsPage } from "./kinds.js";
import { ListPage } from "./list.js";
import { ObjectPage } from "./object.js";
import { WhoCanPage } from "./who-can.js";

export function PageOf({ route }: { readonly route: Route }): JSX.Element {
  const { kindOf } = useConsole();
  if (route.page === "kinds") return <KindsPage />;
  if (route.page === "deleted") return <DeletedPage />;
  if (route.page === "who-can") return <WhoCanPage />;
  if (route.page === "flow-control") return <FlowControlPage />;
  if (route.page === "deprecated") return <DeprecatedPage />;
  if (route.page !== "list" && route.page !== "object") return <NoPage />;
  const kind = kindOf(route.kind);
  if (kind === undefined) return <NoPage />;
  const name = [kind.group, kind.version, kind.plural, route.namespace].join("/");
  if (route.page === "list") return <ListPage key={name} {...{ ...route, kind }} />;
  return <ObjectPage key={`${name}/${route.name}`} {...{ ...route, kind }} />;
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
