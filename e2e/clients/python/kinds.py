"""Kinds that somebody defines while the kubernetes package runs, by its clients that know no types.

It prints one line for each trial, and ends with 1 when something is not as it must be.
"""

import argparse
import sys
import tempfile
import threading
import time
import traceback
from typing import Any, Callable

from kubernetes import client, config, dynamic, watch
from kubernetes.dynamic.exceptions import ConflictError, NotFoundError, ResourceNotFoundError

from trial import Trial

GROUP = "shore.example.com"
NAMESPACE = "default"
PATIENCE = 30


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kubeconfig", required=True, help="the client configuration file")
    options = parser.parse_args()
    config.load_kube_config(options.kubeconfig)
    api = client.ApiClient()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        untyped = dynamic.DynamicClient(api, cache_file=f"{folder}/discovery.json")
        for name, act in (
            ("the dynamic client finds a kind that was defined after it looked", found),
            ("a watch follows objects, and goes on from where it was", watched),
            ("a watch ends with its definition, and begins again with the next one", redefined),
            ("apply merges, conflicts and forces", applied),
            ("the untyped API writes, pages, scales and patches", custom_objects),
        ):
            trial = Trial()
            try:
                act(trial, api, untyped)
            except Exception as error:  # Whatever it is, the others have their turn.
                trial.note(traceback.format_exc(limit=-3), error)
            failed += 0 if not trial.problems else 1
            print(f"{'ok' if not trial.problems else 'not ok'} {name}", *trial.problems, sep="\n  ", flush=True)
    return 1 if failed > 0 else 0


def definition(kind: str) -> dict:
    plural = f"{kind.lower()}s"
    part = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "value": {"type": "string"}}}
    parts = {"type": "array", "items": part, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
    spec = {"type": "object", "properties": {"depth": {"type": "integer", "default": 1}, "parts": parts}}
    status = {"type": "object", "properties": {"depth": {"type": "integer"}}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": f"{kind}List"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "subresources": {
                        "status": {},
                        "scale": {"specReplicasPath": ".spec.depth", "statusReplicasPath": ".status.depth"},
                    },
                    "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": status}}},
                }
            ],
        },
    }


def define(api: client.ApiClient, kind: str) -> str:
    """Its plural, once it is established."""
    calls = client.ApiextensionsV1Api(api)
    body = definition(kind)
    name = body["metadata"]["name"]
    calls.create_custom_resource_definition(body)

    def established() -> bool:
        conditions = calls.read_custom_resource_definition(name).status.conditions or []
        return any(one.type == "Established" and one.status == "True" for one in conditions)

    until(established)
    return body["spec"]["names"]["plural"]


def undefine(api: client.ApiClient, plural: str) -> None:
    calls = client.ApiextensionsV1Api(api)
    calls.delete_custom_resource_definition(f"{plural}.{GROUP}")

    def gone() -> bool:
        try:
            calls.read_custom_resource_definition(f"{plural}.{GROUP}")
        except client.ApiException as error:
            return error.status == 404
        return False

    until(gone)


def until(ask: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not ask():
        if time.monotonic() > deadline:
            raise TimeoutError(ask.__name__)
        time.sleep(0.02)


def body_of(kind: str, name: str, depth: int) -> dict:
    return {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": {"name": name}, "spec": {"depth": depth}}


def found(trial: Trial, api: client.ApiClient, untyped: dynamic.DynamicClient) -> None:
    try:
        untyped.resources.get(api_version=f"{GROUP}/v1", kind="Beach")
        trial.note("before it was defined", "it is found")
    except ResourceNotFoundError:
        pass
    plural = define(api, "Beach")
    at = untyped.resources.get(api_version=f"{GROUP}/v1", kind="Beach")
    trial.same("plural", at.name, plural)
    trial.check("subresources", {"status", "scale"} <= set(at.subresources), at.subresources)
    made = at.create(body={**body_of("Beach", "one", 2), "spec": {}}, namespace=NAMESPACE)
    trial.same("its default", made.spec.depth, 1)
    trial.refused("a wrong type", 422, lambda: at.create(body={**body_of("Beach", "two", 2), "spec": {"depth": "x"}}, namespace=NAMESPACE))
    patched = at.patch(body={"spec": {"depth": 5}}, name="one", namespace=NAMESPACE, content_type="application/merge-patch+json")
    trial.same("patched", patched.spec.depth, 5)
    status = {**made.to_dict(), "metadata": {**patched.metadata.to_dict()}, "status": {"depth": 5}}
    after = at.subresources["status"].replace(body=status, name="one", namespace=NAMESPACE)
    trial.same("status", (after.status.depth, after.spec.depth), (5, 5))
    at.delete(namespace=NAMESPACE, label_selector="nothing=there", body={})
    trial.same("left", len(at.get(namespace=NAMESPACE).items), 1)
    undefine(api, plural)
    trial.refused("after its definition is gone", 404, lambda: at.get(namespace=NAMESPACE))


def events(calls: Any, plural: str, **options: Any) -> "list[tuple[str, str]]":
    stream = watch.Watch().stream(
        calls.list_namespaced_custom_object, GROUP, "v1", NAMESPACE, plural, timeout_seconds=1, **options
    )
    return [(event["type"], event["object"]["metadata"]["name"]) for event in stream]


def watched(trial: Trial, api: client.ApiClient, untyped: dynamic.DynamicClient) -> None:
    plural = define(api, "Dune")
    calls = client.CustomObjectsApi(api)
    for name in ("one", "two"):
        calls.create_namespaced_custom_object(GROUP, "v1", NAMESPACE, plural, body_of("Dune", name, 1))
    listed = calls.list_namespaced_custom_object(GROUP, "v1", NAMESPACE, plural)
    trial.same("as it is", events(calls, plural), [("ADDED", "one"), ("ADDED", "two")])
    calls.delete_namespaced_custom_object(GROUP, "v1", NAMESPACE, plural, "one")
    calls.create_namespaced_custom_object(GROUP, "v1", NAMESPACE, plural, body_of("Dune", "three", 1))
    since = events(calls, plural, resource_version=listed["metadata"]["resourceVersion"])
    trial.same("since the list", since, [("DELETED", "one"), ("ADDED", "three")])


def redefined(trial: Trial, api: client.ApiClient, untyped: dynamic.DynamicClient) -> None:
    plural = define(api, "Cliff")
    at = untyped.resources.get(api_version=f"{GROUP}/v1", kind="Cliff")
    at.create(body=body_of("Cliff", "old", 1), namespace=NAMESPACE)
    seen: "list[tuple[str, str]]" = []

    def follow() -> None:
        for event in at.watch(namespace=NAMESPACE, timeout=20, watcher=watch.Watch()):
            seen.append((event["type"], event["object"].metadata.name))
            if event["type"] == "DELETED":
                return

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    until(lambda: ("ADDED", "old") in seen)
    undefine(api, plural)
    thread.join(PATIENCE)
    trial.same("its watch", seen, [("ADDED", "old"), ("DELETED", "old")])
    define(api, "Cliff")
    untyped.resources.invalidate_cache()
    again = untyped.resources.get(api_version=f"{GROUP}/v1", kind="Cliff")
    trial.same("objects of the new one", len(again.get(namespace=NAMESPACE).items), 0)
    made = again.create(body=body_of("Cliff", "new", 1), namespace=NAMESPACE)
    for event in again.watch(namespace=NAMESPACE, timeout=10, watcher=watch.Watch()):
        trial.same("the new watch", (event["type"], event["object"].metadata.uid), ("ADDED", made.metadata.uid))
        break


def applied(trial: Trial, api: client.ApiClient, untyped: dynamic.DynamicClient) -> None:
    define(api, "Reef")
    at = untyped.resources.get(api_version=f"{GROUP}/v1", kind="Reef")

    def apply(manager: str, part: str, value: str, **more: Any) -> Any:
        body = {**body_of("Reef", "one", 0), "spec": {"parts": [{"name": part, "value": value}]}}
        return at.server_side_apply(body=body, name="one", namespace=NAMESPACE, field_manager=manager, **more)

    apply("ann", "a", "1")
    trial.same("merged", len(apply("bob", "b", "1").spec.parts), 2)
    try:
        apply("bob", "a", "2")
        trial.note("a conflict", "there is none")
    except ConflictError as error:
        trial.check("a conflict", b"FieldManagerConflict" in error.body, error.body)
    forced = apply("bob", "a", "2", force_conflicts=True)
    trial.same("forced", forced.to_dict()["spec"]["parts"], [{"name": "a", "value": "2"}])
    trial.same("default", forced.spec.depth, 1)


def custom_objects(trial: Trial, api: client.ApiClient, untyped: dynamic.DynamicClient) -> None:
    plural = define(api, "Islet")
    calls = client.CustomObjectsApi(api)
    place = (GROUP, "v1", NAMESPACE, plural)
    for i in range(5):
        calls.create_namespaced_custom_object(*place, body_of("Islet", f"islet-{i}", i))
    names: "list[str]" = []
    token = None
    while token != "":
        page = calls.list_namespaced_custom_object(*place, limit=2, **({} if token is None else {"_continue": token}))
        names += [item["metadata"]["name"] for item in page["items"]]
        token = page["metadata"].get("continue", "")
    trial.same("pages", names, [f"islet-{i}" for i in range(5)])
    one = calls.get_namespaced_custom_object(*place, "islet-1")
    one["spec"]["depth"] = 7
    trial.same("replaced", calls.replace_namespaced_custom_object(*place, "islet-1", one)["spec"]["depth"], 7)
    trial.refused("an old version", 409, lambda: calls.replace_namespaced_custom_object(*place, "islet-1", one))
    # The package says of a list that it is a JSON patch, and of an object that it is a merge patch.
    patched = calls.patch_namespaced_custom_object(*place, "islet-1", {"spec": {"depth": 8}})
    trial.same("patched", patched["spec"]["depth"], 8)
    scaled = calls.patch_namespaced_custom_object_scale(*place, "islet-1", {"spec": {"replicas": 9}})
    trial.same("scaled", (scaled["kind"], scaled["spec"]["replicas"]), ("Scale", 9))
    status = calls.patch_namespaced_custom_object_status(*place, "islet-1", {"status": {"depth": 3}, "spec": {"depth": 1}})
    trial.same("status", (status["status"]["depth"], status["spec"]["depth"]), (3, 9))
    calls.delete_collection_namespaced_custom_object(*place)
    trial.same("left", calls.list_namespaced_custom_object(*place)["items"], [])
    try:
        calls.get_namespaced_custom_object(*place, "islet-1")
    except client.ApiException as error:
        trial.same("not found", error.status, 404)
    try:
        untyped.resources.get(api_version=f"{GROUP}/v1", kind="Islet").get(name="islet-1", namespace=NAMESPACE)
        trial.note("not found", "it is there")
    except NotFoundError:
        pass


if __name__ == "__main__":
    sys.exit(main())
