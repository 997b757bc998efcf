package main

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cert-manager/cert-manager/internal/apis/config/shared"
	config "github.com/cert-manager/cert-manager/internal/apis/config/webhook"
	certmanager "github.com/cert-manager/cert-manager/internal/webhook"
	logf "github.com/cert-manager/cert-manager/pkg/logs"
	"github.com/cert-manager/cert-manager/pkg/webhook/admission"
)

type webhook struct {
	config, namespace, name string
	port                    int
}

const authority = "cert-manager-webhook-ca"

// serve answers reviews with cert-manager's own plugins and by its own certificates; its server would listen on every
// address of the machine.
func serve(ctx context.Context, w webhook) error {
	made, err := certmanager.NewCertManagerWebhookServer(logf.FromContext(ctx), config.WebhookConfiguration{
		KubeConfig: w.config,
		TLSConfig: shared.TLSConfig{Dynamic: shared.DynamicServingConfig{
			SecretNamespace: w.namespace,
			SecretName:      authority,
			DNSNames:        []string{w.name},
			LeafDuration:    time.Hour,
		}},
	})
	if err != nil {
		return err
	}
	routes := http.NewServeMux()
	routes.Handle("/mutate", admission.NewCustomMutationWebhook(made.MutationWebhook))
	routes.Handle("/validate", admission.NewCustomValidationWebhook(made.ResourceScheme, made.ValidationWebhook))
	server := &http.Server{
		Addr:              net.JoinHostPort("127.0.0.1", strconv.Itoa(w.port)),
		Handler:           routes,
		ReadHeaderTimeout: 10 * time.Second,
		TLSConfig:         &tls.Config{GetCertificate: made.CertificateSource.GetCertificate, MinVersion: tls.VersionTLS12},
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return made.CertificateSource.Start(ctx) })
	group.Go(func() error { return server.ListenAndServeTLS("", "") })
	group.Go(func() error {
		<-ctx.Done()
		return server.Close()
	})
	return group.Wait()
}
