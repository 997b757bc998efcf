"""The typed calls of the package for a kind, found by its naming rules."""

import re
from typing import Any, Callable, Optional

from kubernetes import client

from discovery import group_of
from trial import Trial


def class_name(version: str) -> str:
    """`rbac.authorization.k8s.io/v1` is RbacAuthorizationV1Api."""
    group = re.sub(r"\.k8s\.io$", "", group_of(version) or "core")
    words = [*group.split("."), version.rpartition("/")[2]]
    return "".join(word.capitalize() for word in words) + "Api"


def snake(kind: str) -> str:
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", kind)).lower()


class TypedApi:
    """The calls for one kind in one version."""

    def __init__(self, calls: Any, version: str, kind: str) -> None:
        self.calls = calls
        self.version = version
        self.kind = kind
        self.noun = snake(kind)
        self.namespaced = hasattr(calls, f"create_namespaced_{self.noun}")

    def method(self, verb: str, subresource: str = "") -> Optional[Callable]:
        namespaced = "namespaced_" if self.namespaced else ""
        return getattr(self.calls, f"{verb}_{namespaced}{self.noun}{subresource}", None)

    def call(self, verb: str, namespace: str, *args: object, subresource: str = "", **kwargs: object) -> Any:
        method = self.method(verb, subresource)
        if method is None:
            raise LookupError(f"the package has no {verb} of {self.noun}{subresource}")
        return method(*args, **({"namespace": namespace} if self.namespaced else {}), **kwargs)

    def returned(self, verb: str) -> str:
        """The type that the package expects as the answer."""
        found = re.search(r":return: (\w+)", getattr(self.method(verb), "__doc__", None) or "")
        return found.group(1) if found else ""


def typed_api(api: client.ApiClient, version: str, kind: str) -> Optional[TypedApi]:
    found = getattr(client, class_name(version), None)
    if found is None:
        return None
    typed = TypedApi(found(api), version, kind)
    return None if typed.method("create") is None else typed


# Its types are in the release, and no package of this release was generated with calls for them.
WITHOUT_CALLS = ["networking.k8s.io/v1alpha1"]
# The server says something in its status by itself, and what is deleted goes later: other tests follow its life.
LIVING = {
    ("apiextensions.k8s.io/v1", "custom_resource_definition"),
    ("apiregistration.k8s.io/v1", "api_service"),
    ("v1", "resource_quota"),
}


def unmet(trial: Trial, api: client.ApiClient, served: "dict[str, list]", met: "set[tuple[str, str]]") -> None:
    """Notes what the package could create and list in a served version, and no trial has met."""
    for version in served:
        calls = getattr(client, class_name(version), None)
        trial.check(version, calls is not None or version in WITHOUT_CALLS, "the package has no API for it")
        for name in dir(calls):
            noun = re.sub(r"^namespaced_", "", name.removeprefix("create_"))
            can_list = any(hasattr(calls, f"list_{scope}{noun}") for scope in ("", "namespaced_"))
            if name.startswith("create_") and can_list and not name.endswith("_with_http_info"):
                trial.check(f"{version} {noun}", (version, noun) in met | LIVING, "no manifest of it")
