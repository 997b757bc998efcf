"""A scheduler extender: refuses a node, prefers another, binds by itself on demand. Prints its port, then each verb that it is asked."""
import json
import ssl
import sys
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SERVER, TOKEN = sys.argv[1], sys.argv[2]


def filter_nodes(args):
    names = args["NodeNames"]
    refused = {"node-0": "node(s) were not to the extender's taste"} if "node-0" in names else {}
    if args["Pod"]["metadata"]["name"] == "breaks":
        return {"error": "the extender is out of order"}
    left = [name for name in names if name not in refused]
    # Keys may be written in any case.
    return {"nodenames": left, "failedNodes": refused}


def prioritize(args):
    return [{"Host": name, "Score": 10 if name == "node-2" else 0} for name in args["NodeNames"]]


def bind(args):
    body = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": args["PodName"], "namespace": args["PodNamespace"], "uid": args["PodUID"]},
        "target": {"apiVersion": "v1", "kind": "Node", "name": args["Node"]},
    }
    url = f"{SERVER}/api/v1/namespaces/{args['PodNamespace']}/pods/{args['PodName']}/binding"
    headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    urllib.request.urlopen(request, context=ssl._create_unverified_context()).read()
    return {}


VERBS = {"/scheduler/filter": filter_nodes, "/scheduler/prioritize": prioritize, "/scheduler/bind": bind}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        args = json.loads(self.rfile.read(int(self.headers["content-length"])))
        answer = json.dumps(VERBS[self.path](args)).encode()
        print(self.path, flush=True)
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *args):
        pass


httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(httpd.server_address[1], flush=True)
httpd.serve_forever()
