"""The life of one object with the package's own types."""

import json
from functools import lru_cache
from typing import Any

import yaml
from kubernetes import client, utils, watch

from discovery import versions_of
from trial import Trial, contains, row_problem, set_at, value_at
from typed_api import TypedApi, typed_api

# Of a few kinds dependents are let go of first, by somebody else, where nothing is said.
AT_ONCE = {"grace_period_seconds": 0, "propagation_policy": "Background"}
AS_TABLE = ";as=Table;g=meta.k8s.io;v=v1"


def live_typed(
    trial: Trial,
    api: client.ApiClient,
    served: "dict[str, list]",
    manifest: dict,
    namespace: str,
    met: "set[tuple[str, str]]",
) -> None:
    object_ = manifest["object"]
    version, kind, name = object_["apiVersion"], object_["kind"], object_["metadata"]["name"]
    calls = typed_api(api, version, kind)
    assert calls is not None
    [created] = utils.create_from_dict(api, object_, namespace=namespace)
    for other in versions_of(served, version, kind):
        through = typed_api(api, other, kind)
        if through is not None and not (other == "events.k8s.io/v1" and "eventTime" not in object_):
            met.add((other, through.noun))
            read(trial, through, name, namespace, created if other == version else None)
    replace(trial, api, calls, manifest, namespace)
    replace_status(trial, api, calls, manifest, namespace)
    scale(trial, calls, name, namespace)
    remove(trial, calls, object_, namespace)


def read(trial: Trial, calls: TypedApi, name: str, namespace: str, created: Any) -> None:
    one = calls.call("read", namespace, name)
    if created is not None:
        trial.same(f"{calls.version} read", one.to_dict(), created.to_dict())
    lists = [calls.call("list", namespace).items]
    everywhere = getattr(calls.calls, f"list_{calls.noun}_for_all_namespaces", None)
    if everywhere is not None:
        lists.append(everywhere(label_selector="!none").items)
    for items in lists:
        found = [item for item in items if item.metadata.uid == one.metadata.uid]
        if trial.check(f"{calls.version} list", len(found) == 1, f"{len(found)} times among {len(items)}"):
            # Items leave their kind to the list.
            item = {**found[0].to_dict(), "api_version": one.api_version, "kind": one.kind}
            trial.same(f"{calls.version} list", item, one.to_dict())
    read_as(trial, calls, name, namespace)
    list_call = calls.method("list")
    scope = {"namespace": namespace} if calls.namespaced else {}
    for event in watch.Watch().stream(list_call, **scope, field_selector=f"metadata.name={name}", timeout_seconds=10):
        trial.check(f"{calls.version} watch", event["type"] == "ADDED", f"instead of ADDED came {event}")
        trial.same(f"{calls.version} watch", event["object"].to_dict(), one.to_dict())
        break
    else:
        trial.note(f"{calls.version} watch", "no event came")


@lru_cache(maxsize=None)
def asking_for(accept: str) -> client.ApiClient:
    """A client with connections of its own, since the package has no other place for the header."""
    asking = client.ApiClient()
    asking.set_default_header("Accept", accept)
    return asking


def read_as(trial: Trial, calls: TypedApi, name: str, namespace: str) -> None:
    """Reads the object and its list as YAML and as Table."""

    def text(verb: str, *args: object, accept: str) -> str:
        by = TypedApi(type(calls.calls)(asking_for(accept)), calls.version, calls.kind)
        return by.call(verb, namespace, *args, _preload_content=False).data.decode()

    for verb, args in (("read", (name,)), ("list", ())):
        what = f"{calls.version} {verb}"
        tree = json.loads(text(verb, *args, accept="application/json"))
        trial.same(f"{what} as YAML", yaml.safe_load(text(verb, *args, accept="application/yaml")), tree)
        for accept, parse in (("application/json", json.loads), ("application/yaml", yaml.safe_load)):
            # As kubectl asks: a server that has no tables would answer with objects.
            problem = row_problem(parse(text(verb, *args, accept=f"{accept}{AS_TABLE},{accept}")), name)
            trial.check(f"{what} as Table in {accept}", problem is None, problem)


def replace(trial: Trial, api: client.ApiClient, calls: TypedApi, manifest: dict, namespace: str) -> None:
    name = manifest["object"]["metadata"]["name"]
    before = calls.call("read", namespace, name)
    same = calls.call("replace", namespace, name, body=before)
    trial.same("replace with what was read", same.to_dict(), before.to_dict())
    tree = api.sanitize_for_serialization(before)
    tree["metadata"].setdefault("labels", {})["client"] = "python"
    for path, value in manifest.get("change", {}).items():
        set_at(tree, path, value)
    after = api.sanitize_for_serialization(calls.call("replace", namespace, name, body=tree))
    trial.check("replace", after["metadata"]["labels"].get("client") == "python", "the label is missing")
    for path, value in manifest.get("change", {}).items():
        trial.check("replace", contains(value_at(after, path), value), f"{path} is {value_at(after, path)!r}")
    if "resourceVersion" in tree["metadata"]:
        tree["metadata"]["labels"]["client"] = "python, late"
        trial.refused("replace of an old version", 409, lambda: calls.call("replace", namespace, name, body=tree))


def replace_status(trial: Trial, api: client.ApiClient, calls: TypedApi, manifest: dict, namespace: str) -> None:
    if calls.method("replace", "_status") is None:
        return
    name = manifest["object"]["metadata"]["name"]
    tree = api.sanitize_for_serialization(calls.call("read", namespace, name, subresource="_status"))
    tree["status"] = manifest.get("status", tree.get("status"))
    after = calls.call("replace", namespace, name, subresource="_status", body=tree)
    got, want = api.sanitize_for_serialization(after).get("status"), times_as_clients_write(tree["status"])
    trial.check("status", contains(times_as_clients_write(got), want), f"it is {got}, not {want}")


def times_as_clients_write(tree: Any) -> Any:
    """The package reads times and writes them with another name of UTC."""
    if isinstance(tree, dict):
        return {name: times_as_clients_write(value) for name, value in tree.items()}
    if isinstance(tree, list):
        return [times_as_clients_write(value) for value in tree]
    return tree.replace("+00:00", "Z") if isinstance(tree, str) else tree


def scale(trial: Trial, calls: TypedApi, name: str, namespace: str) -> None:
    if calls.method("replace", "_scale") is None:
        return
    size = calls.call("read", namespace, name, subresource="_scale")
    size.spec.replicas = (size.spec.replicas or 0) + 1
    after = calls.call("replace", namespace, name, subresource="_scale", body=size)
    trial.same("scale", after.spec.to_dict(), size.spec.to_dict())
    trial.same("scale", calls.call("read", namespace, name).spec.replicas, size.spec.replicas)


def remove(trial: Trial, calls: TypedApi, object_: dict, namespace: str) -> None:
    """Deletes it on condition of its uid, then once more with its collection."""
    name = object_["metadata"]["name"]
    uid = calls.call("read", namespace, name).metadata.uid

    def delete(uid: str) -> Any:
        conditions = client.V1Preconditions(uid=uid)
        options = client.V1DeleteOptions(preconditions=conditions, **AT_ONCE)
        return calls.call("delete", namespace, name, body=options)

    trial.refused("delete of another uid", 409, lambda: delete("another"))
    answer = delete(uid)
    if object_["kind"] == "Namespace":
        finalize(calls, name)
    else:
        wanted = "Status" if calls.returned("delete") == "V1Status" else object_["kind"]
        trial.check("delete", answer.kind == wanted, f"the answer is a {answer.kind}, not a {wanted}: {answer}")
    trial.refused("read after delete", 404, lambda: calls.call("read", namespace, name))
    collection = calls.method("delete_collection")
    if collection is None:
        return
    again = {**object_, "metadata": {**object_["metadata"], "labels": {"client": "collection"}}}
    calls.call("create", namespace, body=again)
    scope = {"namespace": namespace} if calls.namespaced else {}
    answer = collection(**scope, label_selector="client=collection", **AT_ONCE)
    trial.check("delete of the collection", answer.kind in ("Status", f"{object_['kind']}List"), answer)
    trial.refused("read after delete of the collection", 404, lambda: calls.call("read", namespace, name))


def finalize(calls: TypedApi, name: str) -> None:
    """Does for a namespace what its controller would do once it is empty."""
    namespace = calls.calls.read_namespace(name)
    namespace.spec.finalizers = []
    calls.calls.replace_namespace_finalize(name, namespace)
