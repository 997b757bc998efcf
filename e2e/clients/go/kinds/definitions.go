package main

import (
	"context"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

const (
	group     = "lake.example.com"
	namespace = "default"
)

var definitions = apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions")

// sort is a custom kind of this program.
type sort struct {
	kind, plural string
	versions     []string
}

func (s sort) resource() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: "v1", Resource: s.plural}
}

func (s sort) definition() (*unstructured.Unstructured, error) {
	text := apiextensionsv1.JSONSchemaProps{Type: "string"}
	whole := apiextensionsv1.JSONSchemaProps{Type: "integer"}
	name := "name"
	listType := "map"
	definition := &apiextensionsv1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: apiextensionsv1.SchemeGroupVersion.String(), Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: s.plural + "." + group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: group,
			Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{
				Plural: s.plural, Kind: s.kind, ListKind: s.kind + "List",
				ShortNames: []string{s.plural[:2]}, Categories: []string{"water"},
			},
		},
	}
	schema := &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
		Type: "object",
		Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"spec": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
				"depth": whole,
				"note":  text,
				"parts": {
					Type: "array", XListType: &listType, XListMapKeys: []string{name},
					Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{
						Type: "object", Required: []string{name},
						Properties: map[string]apiextensionsv1.JSONSchemaProps{name: text, "value": text},
					}},
				},
			}},
			"status": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"depth": whole, "selector": text}},
		},
	}}
	selector := ".status.selector"
	for i, version := range s.versions {
		definition.Spec.Versions = append(definition.Spec.Versions, apiextensionsv1.CustomResourceDefinitionVersion{
			Name: version, Served: true, Storage: i == 0, Schema: schema,
			Subresources: &apiextensionsv1.CustomResourceSubresources{
				Status: &apiextensionsv1.CustomResourceSubresourceStatus{},
				Scale: &apiextensionsv1.CustomResourceSubresourceScale{
					SpecReplicasPath: ".spec.depth", StatusReplicasPath: ".status.depth", LabelSelectorPath: &selector,
				},
			},
		})
	}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(definition)
	return &unstructured.Unstructured{Object: object}, err
}

// define creates the definition and waits until it is established.
func (c *client) define(ctx context.Context, s sort) error {
	definition, err := s.definition()
	if err != nil {
		return err
	}
	if _, err := c.dynamic.Resource(definitions).Create(ctx, definition, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create of the definition: %w", err)
	}
	return until(ctx, func() error { return c.established(ctx, definition.GetName()) })
}

func (c *client) established(ctx context.Context, name string) error {
	read, err := c.dynamic.Resource(definitions).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	conditions, _, err := unstructured.NestedSlice(read.Object, "status", "conditions")
	if err != nil {
		return err
	}
	for _, condition := range conditions {
		if one, is := condition.(map[string]any); is && one["type"] == "Established" && one["status"] == "True" {
			return nil
		}
	}
	return fmt.Errorf("%s is not established: %v", name, conditions)
}

// undefine deletes the definition and waits until it is gone with its objects.
func (c *client) undefine(ctx context.Context, s sort) error {
	name := s.plural + "." + group
	at := c.dynamic.Resource(definitions)
	if err := at.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return fmt.Errorf("delete of the definition: %w", err)
	}
	return until(ctx, func() error {
		_, err := at.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("%s is still there: %w", name, err)
	})
}

func (c *client) at(s sort) dynamic.ResourceInterface {
	return c.dynamic.Resource(s.resource()).Namespace(namespace)
}

func (s sort) object(name string, depth int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": group + "/v1",
		"kind":       s.kind,
		"metadata":   map[string]any{"name": name},
		"spec":       map[string]any{"depth": depth},
	}}
}

func (c *client) create(ctx context.Context, s sort, name string, depth int64) (*unstructured.Unstructured, error) {
	return c.at(s).Create(ctx, s.object(name, depth), metav1.CreateOptions{})
}
