"""A test of an operator as its author writes it with the Python client: it starts an API server of its own."""

import os
import socket
import ssl
import subprocess
import tempfile
import time
import unittest
import urllib.request

from kubernetes import client, watch

TOKEN = "a-token-of-this-test"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class ApiServer:
    """kube-apiserver of the folder that `orch-envtest path` prints; it ends with this process at the latest."""

    def __init__(self, assets):
        self.folder = tempfile.TemporaryDirectory()
        self.url = f"https://127.0.0.1:{free_port()}"
        self.certificate = os.path.join(self.folder.name, "apiserver.crt")
        tokens = os.path.join(self.folder.name, "tokens.csv")
        with open(tokens, "w") as file:
            file.write(f'{TOKEN},admin,admin,"system:masters"\n')
        self.process = subprocess.Popen(
            [
                os.path.join(assets, "kube-apiserver"),
                f"--secure-port={self.url.rsplit(':', 1)[1]}",
                f"--cert-dir={self.folder.name}",
                f"--token-auth-file={tokens}",
                "--authorization-mode=RBAC",
            ]
        )
        self.wait()

    def wait(self):
        ends = time.monotonic() + 20
        while time.monotonic() < ends and self.process.poll() is None:
            try:
                trust = ssl.create_default_context(cafile=self.certificate)
                with urllib.request.urlopen(f"{self.url}/healthz", context=trust):
                    return
            except OSError:
                time.sleep(0.02)
        raise RuntimeError("the API server did not get ready")

    def connect(self):
        configuration = client.Configuration(host=self.url)
        configuration.ssl_ca_cert = self.certificate
        configuration.api_key["authorization"] = f"Bearer {TOKEN}"
        return client.ApiClient(configuration)

    def stop(self):
        self.process.terminate()
        code = self.process.wait(timeout=10)
        self.folder.cleanup()
        return code


class BoatsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = ApiServer(os.environ["KUBEBUILDER_ASSETS"])
        cls.core = client.CoreV1Api(cls.server.connect())

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0

    def test_what_is_written_is_watched(self):
        self.core.create_namespaced_config_map("default", {"metadata": {"name": "swan"}, "data": {"seats": "4"}})
        for event in watch.Watch().stream(self.core.list_namespaced_config_map, "default", timeout_seconds=10):
            if event["object"].metadata.name == "swan":
                self.assertEqual(event["object"].data, {"seats": "4"})
                return
        self.fail("the watch told nothing of it")

    def test_what_is_not_there_is_404(self):
        with self.assertRaises(client.ApiException) as caught:
            self.core.read_namespaced_config_map("nowhere", "default")
        self.assertEqual(caught.exception.status, 404)


if __name__ == "__main__":
    unittest.main()
