// Kinds that somebody defines while client-go runs: discovery, mapping, informers, paging, apply and scale by the
// clients that know no types. It prints one line for each trial, and ends with 1 when something is not as it must be.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
)

const patience = 45 * time.Second

// client has all clients that need no types, over one configuration.
type client struct {
	config    *rest.Config
	discovery discovery.CachedDiscoveryInterface
	mapper    *restmapper.DeferredDiscoveryRESTMapper
	dynamic   dynamic.Interface
	metadata  metadata.Interface
}

func main() {
	config := flag.String("kubeconfig", "", "the client configuration file")
	cbor := flag.Bool("cbor", false, "say CBOR, which the server speaks")
	stream := flag.Bool("stream", false, "informers list by watching")
	flag.Parse()
	for name, on := range map[string]bool{"ClientsAllowCBOR": *cbor, "ClientsPreferCBOR": *cbor, "WatchListClient": *stream} {
		os.Setenv("KUBE_FEATURE_"+name, fmt.Sprint(on))
	}
	failed, err := run(*config)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if failed > 0 {
		os.Exit(1)
	}
}

func newClient(path string) (*client, error) {
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	c := &client{config: config}
	plain, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	c.discovery = memory.NewMemCacheClient(plain)
	c.mapper = restmapper.NewDeferredDiscoveryRESTMapper(c.discovery)
	if c.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, err
	}
	c.metadata, err = metadata.NewForConfig(config)
	return c, err
}

func run(config string) (failed int, err error) {
	c, err := newClient(config)
	if err != nil {
		return 0, err
	}
	for _, trial := range []struct {
		name string
		try  func(context.Context) error
	}{
		{"a mapper finds a kind that was defined after it looked, and its new version", c.mapping},
		{"categories and short names lead to a custom kind", c.names},
		{"an informer tells adds, updates and deletes, and resyncs", c.informs},
		{"an informer lives on where its definition is deleted and created anew", c.redefined},
		{"an informer of metadata alone", c.informsOfMetadata},
		{"pages follow each other, a page of a list that is gone is told", c.pages},
		{"a watch that lists first ends its list with a bookmark", c.bookmarks},
		{"a watch that is taken up again misses nothing", c.retries},
		{"apply merges, conflicts, forces, and applies the status apart", c.applies},
		{"the scale client scales a custom kind", c.scales},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		err := trial.try(ctx)
		cancel()
		if err == nil {
			fmt.Printf("ok %s\n", trial.name)
			continue
		}
		failed++
		fmt.Printf("not ok %s\n  %s\n", trial.name, strings.ReplaceAll(err.Error(), "\n", "\n  "))
	}
	return failed, nil
}

// until asks again and again until there is no error; the last one when time is up.
func until(ctx context.Context, ask func() error) error {
	for {
		err := ask()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}
