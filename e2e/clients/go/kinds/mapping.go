package main

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
)

func (c *client) mapping(ctx context.Context) error {
	s := sort{kind: "Pond", plural: "ponds", versions: []string{"v1"}}
	kind := schema.GroupKind{Group: group, Kind: s.kind}
	if _, err := c.mapper.RESTMapping(kind, "v1"); !meta.IsNoMatchError(err) {
		return fmt.Errorf("before it was defined: %w", err)
	}
	if err := c.define(ctx, s); err != nil {
		return err
	}
	// Who is told that it is established finds it at once.
	c.mapper.Reset()
	mapping, err := c.mapper.RESTMapping(kind, "v1")
	if err != nil {
		return err
	}
	if mapping.Resource != s.resource() || mapping.Scope.Name() != meta.RESTScopeNameNamespace {
		return fmt.Errorf("it is %v", mapping)
	}
	s.versions = []string{"v1", "v2"}
	definition, err := s.definition()
	if err != nil {
		return err
	}
	more, err := definition.MarshalJSON()
	if err != nil {
		return err
	}
	_, err = c.dynamic.Resource(definitions).Patch(ctx, definition.GetName(), types.MergePatchType, more, metav1.PatchOptions{})
	if err != nil {
		return err
	}
	err = until(ctx, func() error {
		c.mapper.Reset()
		_, err := c.mapper.RESTMapping(kind, "v2")
		return err
	})
	if err != nil {
		return err
	}
	preferred, err := discovery.ServerPreferredResources(c.discovery)
	if err != nil {
		return err
	}
	for _, list := range preferred {
		if list.GroupVersion == group+"/v2" && slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name == s.plural }) {
			return c.undefine(ctx, s)
		}
	}
	return fmt.Errorf("the newest version is not the preferred one: %v", preferred)
}

func (c *client) names(ctx context.Context) error {
	s := sort{kind: "Lagoon", plural: "lagoons", versions: []string{"v1"}}
	if err := c.define(ctx, s); err != nil {
		return err
	}
	expand := restmapper.NewShortcutExpander(c.mapper, c.discovery, nil)
	return until(ctx, func() error {
		c.mapper.Reset()
		resource, err := expand.ResourceFor(schema.GroupVersionResource{Resource: "la"})
		if err != nil || resource != s.resource() {
			return fmt.Errorf("la is %v: %w", resource, err)
		}
		found, is := restmapper.NewDiscoveryCategoryExpander(c.discovery).Expand("water")
		if !is || !slices.Contains(found, s.resource().GroupResource()) {
			return fmt.Errorf("water is %v", found)
		}
		return nil
	})
}

func (c *client) scales(ctx context.Context) error {
	s := sort{kind: "Tarn", plural: "tarns", versions: []string{"v1"}}
	if err := c.define(ctx, s); err != nil {
		return err
	}
	if _, err := c.create(ctx, s, "one", 3); err != nil {
		return err
	}
	c.mapper.Reset()
	// This client reads no CBOR, and asks for it where all clients are to.
	inJSON := rest.CopyConfig(c.config)
	inJSON.ContentType, inJSON.AcceptContentTypes = "application/json", "application/json"
	scales, err := scale.NewForConfig(inJSON, c.mapper, dynamicPath, scale.NewDiscoveryScaleKindResolver(c.discovery))
	if err != nil {
		return err
	}
	at := scales.Scales(namespace)
	found, err := at.Get(ctx, s.resource().GroupResource(), "one", metav1.GetOptions{})
	if err != nil || found.Spec.Replicas != 3 {
		return fmt.Errorf("its scale is %v: %w", found, err)
	}
	found.Spec.Replicas = 5
	if _, err := at.Update(ctx, s.resource().GroupResource(), found, metav1.UpdateOptions{}); err != nil {
		return err
	}
	patch := []byte(`{"spec":{"replicas":7}}`)
	found, err = at.Patch(ctx, s.resource(), "one", types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil || found.Spec.Replicas != 7 {
		return fmt.Errorf("its scale is %v: %w", found, err)
	}
	return nil
}

func dynamicPath(kind schema.GroupVersionKind) string {
	if kind.Group == "" {
		return "/api"
	}
	return "/apis"
}
