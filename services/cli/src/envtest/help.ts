/** Printed before anything is loaded: test environments ask for it at every start. Without single quotes, for shells. */
export const help = `usage: orch-envtest [flags of the reference server]
       orch-envtest etcd [flags of etcd]
       orch-envtest path [--bin-dir=FOLDER]

An API server for the tests of operators, with everything in memory and without etcd.

  orch-envtest        serves until SIGTERM, SIGINT or the end of the process that started it
  orch-envtest etcd   stands in for etcd: answers GET /health and takes the flags of etcd
  orch-envtest path   makes a folder with kube-apiserver, etcd and, where there is one, kubectl,
                      and prints its path, for KUBEBUILDER_ASSETS

It takes the flags of the reference server and those of orch serve (orch serve --help lists them).
Flags of the reference that mean nothing here are passed over with one line on standard error.
What it has that orch serve has not, or otherwise:

      --cert-dir string                  folder of apiserver.crt and apiserver.key, made where they are missing
      --api-dialect string               names of groups and media types (default kubernetes)
      --controllers list                 none run (default empty)
      --store-in-memory                  etcd-servers is passed over while this is on (default true)
      --data-dir string                  a temporary folder, which is removed at the end
      --shutdown-grace-duration duration time that running requests have to end (default 20ms)
`;

/** Of the stand-in for etcd, which test environments ask, too. */
export const etcdHelp = `usage: etcd [flags of etcd]

Stands in for etcd beside orch-envtest, which keeps everything itself: answers GET /health and takes the flags of etcd.

      --listen-client-urls list   addresses that it answers at (default http://localhost:2379)
      --unsafe-no-fsync           nothing is written, with or without it
`;
