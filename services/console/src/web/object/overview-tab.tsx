import type { ComponentChildren, JSX } from "preact";
import { useConsole } from "../context.js";
import { useNow } from "../hooks.js";
import { isTree, listAt, type Tree, textAt, textMapAt, treeAt, valueAt } from "../json.js";
import { agoText, momentText } from "../parts/age.js";
import { toneOf } from "../parts/tone.js";
import { objectRoute } from "../routes.js";
import { Containers } from "./containers.js";
import type { ObjectProps } from "./object-props.js";

/** What somebody wants to know first of an object. */
export function OverviewTab({ kind, object }: ObjectProps): JSX.Element {
  const metadata = treeAt(object, "metadata");
  const time = useNow(1000);
  const created = textAt(metadata, "creationTimestamp");
  const hasTemplate = isTree(valueAt(object, "spec", "template", "spec"));
  return (
    <div class="tab overview">
      <Facts title="About it">
        {textAt(metadata, "namespace") !== "" && <Fact name="Namespace">{textAt(metadata, "namespace")}</Fact>}
        <Fact name="Created">
          {momentText(created)} <span class="muted">{agoText(Date.parse(created), time)}</span>
        </Fact>
        {textAt(metadata, "deletionTimestamp") !== "" && (
          <Fact name="Being deleted">{momentText(textAt(metadata, "deletionTimestamp"))}</Fact>
        )}
        <Owners metadata={metadata} />
        <Labels name="Labels" pairs={textMapAt(metadata, "labels")} />
        <Fact name="UID">
          <code>{textAt(metadata, "uid")}</code>
        </Fact>
      </Facts>
      <Scalars title="Status" tree={treeAt(object, "status")} />
      <Scalars title="Spec" tree={treeAt(object, "spec")} />
      <Conditions conditions={listAt(object, "status", "conditions")} />
      <Containers
        spec={hasTemplate ? treeAt(object, "spec", "template", "spec") : treeAt(object, "spec")}
        statuses={listAt(object, "status", "containerStatuses")}
      />
      {kind.kind !== "Secret" && <Texts title="Data" pairs={textMapAt(object, "data")} />}
      {kind.kind === "Secret" && <Keys keys={Object.keys(treeAt(object, "data"))} />}
      <Texts title="Annotations" pairs={textMapAt(metadata, "annotations")} />
    </div>
  );
}

function Facts({ title, children }: { readonly title: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <section class="card">
      <h2>{title}</h2>
      <dl class="facts">{children}</dl>
    </section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Labels({
  name,
  pairs,
}: {
  readonly name: string;
  readonly pairs: readonly (readonly [string, string])[];
}): JSX.Element | null {
  if (pairs.length === 0) return null;
  return (
    <Fact name={name}>
      {pairs.map(([key, value]) => (
        <code key={key} class="chip">
          {key}={value}
        </code>
      ))}
    </Fact>
  );
}

function Owners({ metadata }: { readonly metadata: Tree }): JSX.Element | null {
  const { kinds } = useConsole();
  const owners = listAt(metadata, "ownerReferences");
  if (owners.length === 0) return null;
  return (
    <Fact name="Owned by">
      {owners.map((owner) => {
        const [version = "", group = ""] = textAt(owner, "apiVersion").split("/").reverse();
        const [kindName, name] = [textAt(owner, "kind"), textAt(owner, "name")];
        const kind = kinds.find((each) => each.group === group && each.kind === kindName);
        const label = `${kindName} ${name}`;
        if (kind === undefined) return <span key={label}>{label}</span>;
        const namespace = kind.namespaced ? textAt(metadata, "namespace") : "";
        return (
          <a key={label} href={objectRoute({ ...kind, version }, { namespace, name })}>
            {label}
          </a>
        );
      })}
    </Fact>
  );
}

/** What of a tree is said in a word: numbers, short texts, yes and no. */
function Scalars({ title, tree }: { readonly title: string; readonly tree: Tree }): JSX.Element | null {
  const facts = Object.entries(tree).filter(
    ([, value]) => ["string", "number", "boolean"].includes(typeof value) && value !== "",
  );
  if (facts.length === 0) return null;
  return (
    <Facts title={title}>
      {facts.map(([name, value]) => {
        const text = String(value);
        const tone = name === "phase" ? toneOf(text) : "plain";
        return (
          <Fact key={name} name={name}>
            {tone === "plain" ? text : <span class={`state state-${tone}`}>{text}</span>}
          </Fact>
        );
      })}
    </Facts>
  );
}

/** Conditions of which True is bad news. */
const troubles = ["Pressure", "Failure", "Failed", "Unavailable", "Degraded", "Stalled", "DisruptionTarget"];
const isTrouble = (type: string): boolean => troubles.some((word) => type.endsWith(word));

function Conditions({ conditions }: { readonly conditions: readonly unknown[] }): JSX.Element | null {
  const time = useNow(10_000);
  if (conditions.length === 0) return null;
  return (
    <section class="card card-wide">
      <h2>Conditions</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Condition</th>
            <th scope="col">Is</th>
            <th scope="col">Since</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {conditions.map((condition) => {
            const [type, status] = [textAt(condition, "type"), textAt(condition, "status")];
            const isGood = (status === "True") !== isTrouble(type);
            const tone = status === "Unknown" ? "busy" : isGood ? "good" : "bad";
            return (
              <tr key={type}>
                <td>{type}</td>
                <td>
                  <span class={`state state-${tone}`}>{status}</span>
                </td>
                <td class="muted">{agoText(Date.parse(textAt(condition, "lastTransitionTime")), time)}</td>
                <td>
                  {textAt(condition, "reason")} <span class="muted">{textAt(condition, "message")}</span>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function Texts({
  title,
  pairs,
}: {
  readonly title: string;
  readonly pairs: readonly (readonly [string, string])[];
}): JSX.Element | null {
  if (pairs.length === 0) return null;
  return (
    <section class="card card-wide">
      <h2>{title}</h2>
      <dl class="texts">
        {pairs.map(([key, value]) => (
          <div key={key}>
            <dt>
              <code>{key}</code>
            </dt>
            <dd>
              <pre tabIndex={0}>{value.length > 4000 ? `${value.slice(0, 4000)}…` : value}</pre>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Keys({ keys }: { readonly keys: readonly string[] }): JSX.Element {
  return (
    <Facts title="Data">
      <Fact name="Keys">
        {keys.map((key) => (
          <code key={key} class="chip">
            {key}
          </code>
        ))}
      </Fact>
      <Fact name="Values">Hidden here; the YAML has them.</Fact>
    </Facts>
  );
}
