// cert-manager's controllers, CA injector and admission webhook in one process, made of its packages as its own
// programs are. They are left out of its module, and those for issuers that nobody can reach here need the SDKs of
// clouds, which this one does without.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sync/errgroup"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"

	logf "github.com/cert-manager/cert-manager/pkg/logs"
)

func main() {
	// The packages put flags of theirs among those of every program.
	flags := flag.NewFlagSet(os.Args[0], flag.ExitOnError)
	config := flags.String("kubeconfig", "", "the client configuration file")
	namespace := flags.String("namespace", "cert-manager", "where the webhook keeps its authority")
	name := flags.String("webhook-name", "127.0.0.1", "the name in the webhook's certificate")
	port := flags.Int("webhook-port", 0, "where the webhook listens on loopback")
	if err := flags.Parse(os.Args[1:]); err != nil {
		os.Exit(2)
	}
	log := klog.Background()
	ctrl.SetLogger(log)
	ctx, stop := signal.NotifyContext(logf.NewContext(context.Background(), log), os.Interrupt, syscall.SIGTERM)
	defer stop()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return control(ctx, *config, *namespace) })
	group.Go(func() error { return inject(ctx, *config, *namespace) })
	group.Go(func() error {
		return serve(ctx, webhook{config: *config, namespace: *namespace, name: *name, port: *port})
	})
	if err := group.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
