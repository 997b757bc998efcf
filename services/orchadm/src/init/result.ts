import { findPair } from "../certificates/pairs.js";
import { joinCommand } from "../objects/join-command.js";
import { clusterServer } from "../site.js";
import type { InitContext } from "./context.js";

/** What to do next. */
export function showResult(context: InitContext): void {
  const { tools, paths, cluster, init } = context;
  const { print, machine, naming } = tools;
  const { certificate: ca } = findPair(machine, `${cluster.certificatesDir}/ca`);
  if (ca === undefined) return;
  const server = clusterServer(context);
  const token = context.showsToken ? (init.bootstrapTokens[0]?.token ?? "") : "<value withheld>";
  const parts = { server, token, ca };
  const admin = machine.at(paths.clientConfig("admin"));
  print(`
Your control plane has initialized successfully!

To start using your cluster, you need to run the following as a regular user:

  mkdir -p $HOME/.kube
  sudo cp -i ${admin} $HOME/.kube/config
  sudo chown $(id -u):$(id -g) $HOME/.kube/config

Alternatively, if you are the root user, you can run:

  export ${naming.dialect === "orch" ? "ORCHCONFIG" : "KUBECONFIG"}=${admin}
`);
  if (cluster.controlPlaneEndpoint !== "") {
    const key = context.uploadsCertificates
      ? { certificateKey: context.showsCertificateKey ? context.certificateKey : "<value withheld>" }
      : {};
    print(
      context.uploadsCertificates
        ? "\nYou can now join any number of control-plane machines running the following command on each as root:\n"
        : "\nYou can now join any number of control-plane machines by copying certificate authorities\nand service account keys on each and then running the following as root:\n",
    );
    print(`\n  ${joinCommand({ ...parts, ...key, isControlPlane: true }, naming)}\n`);
    if (context.uploadsCertificates) {
      print(`
Please note that the certificate-key gives access to cluster sensitive data, keep it secret!
As a safeguard, uploaded-certs will be deleted in two hours; if necessary, you can use
"orchadm init phase upload-certs --upload-certs" to reload certs afterward.
`);
    }
  }
  print(
    `\nThen you can join any number of worker machines by running the following on each as root:\n\n${joinCommand(parts, naming)}\n`,
  );
}
