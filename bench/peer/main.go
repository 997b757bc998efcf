// Command peer serves custom resources from etcd by the reference's own libraries, as the bench sets it beside orch.
//
// It is the generic API server with the extension that serves definitions, and leaves out what costs a request something
// without being the work that is compared: everybody may do everything and needs no token, there is no admission, no
// audit, no priority and fairness (the plain limit of requests in flight stays) and no OpenAPI. The watch cache,
// validation, defaulting, managed fields and the controllers of definitions are the library's, with its defaults.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"

	extensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	extensions "k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	generated "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apiserver/pkg/authentication/request/anonymous"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/endpoints/openapi"
	genericserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/storage/storagebackend"
)

const prefix = "/registry"

// settings are the flags.
type settings struct {
	etcd        string
	certificate string
	key         string
}

func main() {
	var given settings
	flag.StringVar(&given.etcd, "etcd-servers", "", "endpoints of etcd, comma separated")
	flag.StringVar(&given.certificate, "tls-cert-file", "", "certificate of the server, PEM")
	flag.StringVar(&given.key, "tls-private-key-file", "", "its key, PEM")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, given); err != nil {
		fmt.Fprintln(os.Stderr, "could not start:", err)
		os.Exit(1)
	}
}

// serve runs until ctx ends. It prints the address where it listens in the form that the bench reads.
func serve(ctx context.Context, given settings) error {
	if given.etcd == "" || given.certificate == "" || given.key == "" {
		return errors.New("--etcd-servers, --tls-cert-file and --tls-private-key-file are needed")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	config, err := configure(given, listener)
	if err != nil {
		return err
	}
	server, err := config.Complete().New(genericserver.NewEmptyDelegate())
	if err != nil {
		return err
	}
	prepared := server.GenericAPIServer.PrepareRun()
	fmt.Printf("https=%s\n", listener.Addr())
	return prepared.RunWithContext(ctx)
}

// configure puts the library's options together, with its defaults for storage and the watch cache.
func configure(given settings, listener net.Listener) (*apiserver.Config, error) {
	generic := genericserver.NewRecommendedConfig(apiserver.Codecs)
	run := options.NewServerRunOptions()
	if err := errors.Join(run.ComponentGlobalsRegistry.Set(), run.Complete(), run.ApplyTo(&generic.Config)); err != nil {
		return nil, err
	}
	storage := options.NewEtcdOptions(
		storagebackend.NewDefaultConfig(prefix, apiserver.Codecs.LegacyCodec(extensionsv1.SchemeGroupVersion)),
	)
	storage.StorageConfig.Transport.ServerList = strings.Split(given.etcd, ",")
	if err := storage.ApplyTo(&generic.Config); err != nil {
		return nil, err
	}
	if err := secure(given, listener, generic); err != nil {
		return nil, err
	}
	// A request without a token is somebody: of what authenticates, nothing costs less.
	generic.Authentication.Authenticator = anonymous.NewAuthenticator(nil)
	generic.Authorization.Authorizer = authorizerfactory.NewAlwaysAllowAuthorizer()
	// Fields are managed by these; they are not served.
	generic.SkipOpenAPIInstallation = true
	generic.OpenAPIV3Config = genericserver.DefaultOpenAPIV3Config(
		generated.GetOpenAPIDefinitions, openapi.NewDefinitionNamer(apiserver.Scheme),
	)
	enabled := options.NewAPIEnablementOptions()
	if err := enabled.ApplyTo(&generic.Config, apiserver.DefaultAPIResourceConfigSource(), apiserver.Scheme); err != nil {
		return nil, err
	}
	getter := extensions.NewCRDRESTOptionsGetter(
		*storage, generic.ResourceTransformers, generic.StorageObjectCountTracker,
	)
	return &apiserver.Config{
		GenericConfig: generic,
		ExtraConfig:   apiserver.ExtraConfig{CRDRESTOptionsGetter: getter, MasterCount: 1},
	}, nil
}

// secure sets TLS up, and the client by which the server's own controllers reach it.
func secure(given settings, listener net.Listener, generic *genericserver.RecommendedConfig) error {
	serving := options.NewSecureServingOptions()
	serving.Listener = listener
	serving.BindPort = listener.Addr().(*net.TCPAddr).Port
	serving.ServerCert.CertKey = options.CertKey{CertFile: given.certificate, KeyFile: given.key}
	return serving.WithLoopback().ApplyTo(&generic.SecureServing, &generic.LoopbackClientConfig)
}
