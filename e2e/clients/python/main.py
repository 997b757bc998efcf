"""A client made of the kubernetes package alone.

It leads the objects of a file of manifests through their lives, with the typed API where the package has one and with
the dynamic client for all. It prints one line for each kind and client, and ends with 1 when something is not as it
must be.
"""

import argparse
import json
import sys
import tempfile
import traceback

from kubernetes import client, config, dynamic

from discovery import served_versions
from dynamic_life import live_dynamically
from trial import Trial
from typed_api import typed_api, unmet
from typed_life import live_typed
from writes import write_dynamically, write_typed


# The package takes no event of this group without a time, and those of the core group may be without.
NEW_EVENT = {
    "object": {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": "timed"},
        "eventTime": "2026-01-02T03:04:05.000000Z",
        "reportingController": "example.com/tester",
        "reportingInstance": "tester-1",
        "action": "Testing",
        "reason": "Testing",
        "type": "Normal",
        "regarding": {"apiVersion": "v1", "kind": "Pod", "name": "sample", "namespace": "samples"},
    }
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kubeconfig", required=True, help="the client configuration file")
    parser.add_argument("--manifests", required=True, help="the file of manifests")
    parser.add_argument("--release", help="only the manifests that are marked with this release")
    options = parser.parse_args()
    config.load_kube_config(options.kubeconfig)
    with open(options.manifests, encoding="utf-8") as file:
        known = json.load(file)
    api = client.ApiClient()
    with tempfile.TemporaryDirectory() as folder:
        # Its cache of discovery would otherwise outlive the server, in the folder of all temporary files.
        untyped = dynamic.DynamicClient(api, cache_file=f"{folder}/discovery.json")
        failed = run(api, untyped, known, options.release)
    return 1 if failed > 0 else 0


def run(api: client.ApiClient, untyped: dynamic.DynamicClient, known: dict, release: "str | None") -> int:
    namespace = known["namespace"]
    ensure_namespace(api, namespace)
    served = served_versions(api)
    met: "set[tuple[str, str]]" = set()
    failed = 0

    def report(name: str, act) -> None:
        nonlocal failed
        trial = Trial()
        try:
            act(trial)
        except Exception as error:  # Whatever it is, the other kinds have their turn.
            trial.note(step_of(error), error)
        failed += 0 if not trial.problems else 1
        print(f"{'ok' if not trial.problems else 'not ok'} {name}", *trial.problems, sep="\n  ", flush=True)

    report("discovery by every group and version", lambda trial: discover(trial, api, served))
    manifests = [manifest for manifest in known["kinds"] if manifest.get("release") == release]
    for manifest in [*manifests, *([NEW_EVENT] if release is None else [])]:
        version, kind = manifest["object"]["apiVersion"], manifest["object"]["kind"]
        if typed_api(api, version, kind) is not None:
            report(f"{version} {kind}", lambda trial: live_typed(trial, api, served, manifest, namespace, met))
        report(f"{version} {kind}, dynamic", lambda trial: live_dynamically(trial, untyped, manifest, namespace))
    if release is None:
        report("typed writes", lambda trial: write_typed(trial, api))
        report("dynamic writes", lambda trial: write_dynamically(trial, api, untyped))
        report("every kind that has a typed API", lambda trial: unmet(trial, api, served, met))
    return failed


def step_of(error: Exception) -> str:
    """Where in this program it came from."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "site-packages" not in frame.filename]
    return f"{frames[-1].name}: {frames[-1].line}: {type(error).__name__}"


def ensure_namespace(api: client.ApiClient, name: str) -> None:
    try:
        client.CoreV1Api(api).create_namespace({"metadata": {"name": name}})
    except client.ApiException as error:
        if error.status != 409:
            raise


def discover(trial: Trial, api: client.ApiClient, served: "dict[str, list]") -> None:
    """Asks for discovery as the package's own types have it."""
    for name in dir(client):
        if not name.endswith("Api") or name in ("OpenidApi", "WellKnownApi", "LogsApi", "CustomObjectsApi"):
            continue
        calls = getattr(client, name)(api)
        for ask in ("get_api_versions", "get_api_group", "get_api_resources", "get_code"):
            if not hasattr(calls, ask):
                continue
            try:
                getattr(calls, ask)()
            except client.ApiException as error:
                # The package knows versions that the release has no more, and groups that older ones have not yet.
                if error.status != 404:
                    trial.note(f"{name}.{ask}", error)
    trial.check("discovery", "v1" in served and "apps/v1" in served, f"served are {sorted(served)}")


if __name__ == "__main__":
    sys.exit(main())
