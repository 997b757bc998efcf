"""What is served, by the package's untyped calls."""

from kubernetes import client


def read_json(api: client.ApiClient, path: str) -> dict:
    return api.call_api(
        path, "GET", auth_settings=["BearerToken"], response_type="object", _return_http_data_only=True
    )


def served_versions(api: client.ApiClient) -> "dict[str, list]":
    """The resources of every served version: `apps/v1` to their entries in discovery."""
    groups = read_json(api, "/apis")["groups"]
    versions = [version["groupVersion"] for group in groups for version in group["versions"]]
    served = {"v1": read_json(api, "/api/v1")["resources"]}
    return {**served, **{version: read_json(api, f"/apis/{version}")["resources"] for version in versions}}


def related(a: str, b: str) -> bool:
    """Whether kinds of one name in these groups are the same kind, which has moved from one to the other."""
    return a == b or {a, b} == {"", "events.k8s.io"} or "extensions" in (a, b)


def group_of(version: str) -> str:
    return version.rpartition("/")[0]


def versions_of(served: "dict[str, list]", version: str, kind: str) -> "list[str]":
    """The served versions of a kind, the given one first."""
    found = [
        other
        for other, resources in served.items()
        if related(group_of(other), group_of(version)) and any(r["kind"] == kind and "/" not in r["name"] for r in resources)
    ]
    return sorted(found, key=lambda other: other != version)
