"""The life of one object with the dynamic client, which knows only what discovery tells."""

import copy
import json
from typing import Any

import yaml
from kubernetes import client, watch
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.resource import Resource

from discovery import related
from trial import Trial, row_problem

AS_TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1,application/json"
LABEL = "client=dynamic"


def live_dynamically(trial: Trial, untyped: DynamicClient, manifest: dict, namespace: str) -> None:
    body = copy.deepcopy(manifest["object"])
    name = body["metadata"]["name"]
    body["metadata"].setdefault("labels", {})["client"] = "dynamic"
    at = untyped.resources.get(api_version=body["apiVersion"], kind=body["kind"])
    scope = {"namespace": namespace} if at.namespaced else {}
    created = at.create(body=body, **scope)
    others = [
        other
        for other in untyped.resources.search(kind=body["kind"])
        if other.group_version != at.group_version and related(other.group or "", at.group or "")
    ]
    for version in (at, *others):
        read(trial, version, name, scope, created.to_dict() if version is at else None)
    tree = at.get(name=name, **scope).to_dict()
    tree["metadata"].setdefault("annotations", {})["changed-by"] = "dynamic"
    after = at.replace(body=tree, **scope)
    trial.check("replace", after.metadata.annotations["changed-by"] == "dynamic", after)
    tree["metadata"]["annotations"]["changed-by"] = "dynamic, late"
    trial.refused("replace of an old version", 409, lambda: at.replace(body=tree, **scope))
    remove(trial, at, name, scope)


def read(trial: Trial, at: Resource, name: str, scope: "dict[str, str]", created: Any) -> None:
    what = at.group_version

    def raw(accept: str, **which: str) -> Any:
        answer = at.get(**which, **scope, serialize=False, header_params={"Accept": accept})
        return json.loads(answer.data) if accept == AS_TABLE else yaml.safe_load(answer.data)

    one = at.get(name=name, **scope).to_dict()
    trial.same(f"{what} get", (one["apiVersion"], one["kind"]), (at.group_version, at.kind))
    if created is not None:
        trial.same(f"{what} get", one, created)
    items = at.get(**scope, label_selector=LABEL).to_dict()["items"]
    if trial.check(f"{what} list", len(items) == 1, f"{len(items)} items"):
        trial.same(f"{what} list", {**items[0], "apiVersion": one["apiVersion"], "kind": one["kind"]}, one)
    trial.same(f"{what} get as YAML", raw("application/yaml", name=name), one)
    for which in ({"name": name}, {"label_selector": LABEL}):
        problem = row_problem(raw(AS_TABLE, **which), name)
        trial.check(f"{what} Table", problem is None, problem)
    for event in at.watch(**scope, name=name, timeout=10, watcher=watch.Watch()):
        trial.check(f"{what} watch", event["type"] == "ADDED", f"instead of ADDED came {event}")
        trial.same(f"{what} watch", event["raw_object"], one)
        break
    else:
        trial.note(f"{what} watch", "no event came")


def remove(trial: Trial, at: Resource, name: str, scope: "dict[str, str]") -> None:
    """Deletes what has the label, where the kind allows it, else the object by its name."""
    options = client.V1DeleteOptions(grace_period_seconds=0, propagation_policy="Background")
    if "deletecollection" in at.verbs:
        at.delete(**scope, label_selector=LABEL, body=options)
    else:
        at.delete(name=name, **scope, body=options)
    if "finalize" in at.subresources:
        left = at.get(name=name).to_dict()
        left["spec"]["finalizers"] = []
        at.subresources["finalize"].replace(body=left, name=name)
    trial.refused("get after delete", 404, lambda: at.get(name=name, **scope))
