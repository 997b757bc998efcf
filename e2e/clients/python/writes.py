"""Patches, applies and deletions of one deployment, with the typed calls and with the dynamic client."""

import copy
from functools import lru_cache
from typing import Any

from kubernetes import client
from kubernetes.dynamic import DynamicClient

from trial import Trial

LABELS = {"app": "web"}
DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "labels": LABELS},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": LABELS},
        "template": {
            "metadata": {"labels": LABELS},
            "spec": {"containers": [{"name": "c", "image": "example.com/c:1"}]},
        },
    },
}


def with_image(image: str) -> dict:
    tree = copy.deepcopy(DEPLOYMENT)
    tree["spec"]["template"]["spec"]["containers"][0]["image"] = image
    return tree


def fresh_namespace(api: client.ApiClient) -> str:
    made = client.CoreV1Api(api).create_namespace({"metadata": {"generateName": "writes-"}})
    return made.metadata.name


@lru_cache(maxsize=None)
def sending(content_type: str) -> client.ApiClient:
    """A client with connections of its own, since the package has no other place for the header."""
    made = client.ApiClient()
    made.set_default_header("Content-Type", content_type)
    return made


def write_typed(trial: Trial, api: client.ApiClient) -> None:
    scope = ("web", fresh_namespace(api))
    calls = client.AppsV1Api(api)

    def patch(body: Any, content_type: str, part: str = "", **options: Any) -> Any:
        asking = client.AppsV1Api(sending(content_type))
        return getattr(asking, f"patch_namespaced_deployment{part}")(*scope, body, **options)

    def apply(image: str, manager: str, **options: Any) -> Any:
        return patch(with_image(image), "application/apply-patch+yaml", field_manager=manager, **options)

    made = apply("example.com/c:1", "one")
    trial.same("owners", [(e.manager, e.operation) for e in made.metadata.managed_fields], [("one", "Apply")])
    trial.same("apply again", apply("example.com/c:1", "one").to_dict(), made.to_dict())
    trial.refused("apply of another value", 409, lambda: apply("example.com/c:2", "two"))
    forced = apply("example.com/c:2", "two", force=True)
    trial.same("apply by force", forced.spec.template.spec.containers[0].image, "example.com/c:2")
    # The package takes a list as JSON Patch and whatever else as a strategic merge.
    changed = calls.patch_namespaced_deployment(*scope, [{"op": "replace", "path": "/spec/replicas", "value": 3}])
    trial.same("JSON patch", changed.spec.replicas, 3)
    more = {"spec": {"template": {"spec": {"containers": [{"name": "d", "image": "i"}]}}}}
    changed = patch(more, "application/strategic-merge-patch+json")
    trial.same("strategic merge patch", [c.name for c in changed.spec.template.spec.containers], ["d", "c"])
    changed = patch(more, "application/merge-patch+json", dry_run="All")
    trial.same("dry run of a merge patch", [c.name for c in changed.spec.template.spec.containers], ["d"])
    wrong = {"spec": {"surplus": 1}}
    strict = {"field_validation": "Strict"}
    trial.refused("merge patch of an unknown field", 400, lambda: patch(wrong, "application/merge-patch+json", **strict))
    status = patch({"status": {"replicas": 1}}, "application/merge-patch+json", "_status")
    trial.same("patch of the status", status.status.replicas, 1)
    scale = patch({"spec": {"replicas": 5}}, "application/merge-patch+json", "_scale")
    trial.same("patch of the scale", scale.spec.replicas, 5)
    remove_typed(trial, calls, scope)


def remove_typed(trial: Trial, calls: client.AppsV1Api, scope: "tuple[str, str]") -> None:
    live = calls.read_namespaced_deployment(*scope)

    def remove(**options: Any) -> Any:
        return calls.delete_namespaced_deployment(*scope, body=client.V1DeleteOptions(**options))

    stale = client.V1Preconditions(uid=live.metadata.uid, resource_version="1")
    trial.refused("deletion of an old version", 409, lambda: remove(preconditions=stale))
    remove(dry_run=["All"])
    trial.same("dry run of a deletion", calls.read_namespaced_deployment(*scope).to_dict(), live.to_dict())
    remove(preconditions=client.V1Preconditions(uid=live.metadata.uid), propagation_policy="Background")
    trial.refused("read after delete", 404, lambda: calls.read_namespaced_deployment(*scope))


def write_dynamically(trial: Trial, api: client.ApiClient, untyped: DynamicClient) -> None:
    namespace = fresh_namespace(api)
    at = untyped.resources.get(api_version="apps/v1", kind="Deployment")

    def apply(image: str, manager: str, **options: Any) -> Any:
        body = with_image(image)
        return at.server_side_apply(body=body, name="web", namespace=namespace, field_manager=manager, **options)

    made = apply("example.com/c:1", "one")
    trial.same("apply again", apply("example.com/c:1", "one").to_dict(), made.to_dict())
    trial.refused("apply of another value", 409, lambda: apply("example.com/c:2", "two"))
    forced = apply("example.com/c:2", "two", force_conflicts=True).to_dict()
    image = forced["spec"]["template"]["spec"]["containers"][0]["image"]
    trial.same("apply by force", image, "example.com/c:2")
    # Nobody says it any more: it goes, or is what it is by default.
    less = with_image("example.com/c:2")
    del less["spec"]["replicas"]
    for manager in ("one", "two"):
        given_up = at.server_side_apply(body=less, name="web", namespace=namespace, field_manager=manager).to_dict()
    trial.same("replicas that nobody says", given_up["spec"]["replicas"], 1)
    for kind in ("merge", "strategic-merge"):
        body = {"spec": {"minReadySeconds": len(kind)}}
        content_type = f"application/{kind}-patch+json"
        changed = at.patch(body=body, name="web", namespace=namespace, content_type=content_type).to_dict()
        trial.same(f"{kind} patch", changed["spec"]["minReadySeconds"], len(kind))
    size = at.subresources["scale"].patch(
        body={"spec": {"replicas": 4}},
        name="web",
        namespace=namespace,
        content_type="application/merge-patch+json",
    ).to_dict()
    trial.same("patch of the scale", size["spec"]["replicas"], 4)
    at.delete(namespace=namespace, label_selector="app=none")
    trial.check("delete of nothing", at.get(name="web", namespace=namespace) is not None, "it is gone")
    at.delete(namespace=namespace, label_selector="app=web")
    trial.refused("get after delete", 404, lambda: at.get(name="web", namespace=namespace))
