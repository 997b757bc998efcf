package main

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"
)

const group = "example.com"

// customWorld is that of custom resources: unstructured objects whose versions have a schema each, or none at all.
// Version v1beta1 calls `count` what is `replicas` in the others.
type customWorld struct {
	kind    string
	schemas map[string]string
	types   managedfields.TypeConverter
}

func newCustomWorld(kind string, schemas map[string]string) *customWorld {
	world := &customWorld{kind: kind}
	world.use(schemas)
	return world
}

func (w *customWorld) use(schemas map[string]string) {
	w.schemas = schemas
	definitions := map[string]*spec.Schema{}
	for version, name := range schemas {
		if name == "" {
			w.types = managedfields.NewDeducedTypeConverter()
			return
		}
		source := copied(customSchemas[name])
		source["x-kubernetes-group-version-kind"] = []any{
			map[string]any{"group": group, "version": version, "kind": w.kind},
		}
		data, err := json.Marshal(source)
		check(err)
		definition := &spec.Schema{}
		check(definition.UnmarshalJSON(data))
		definitions[version] = definition
	}
	types, err := managedfields.NewTypeConverter(definitions, false)
	check(err)
	w.types = types
}

func (w *customWorld) Manager(version schema.GroupVersionKind, subresource string, ignored map[fieldpath.APIVersion]fieldpath.Filter) *managedfields.FieldManager {
	manager, err := managedfields.NewDefaultCRDFieldManager(w.types, w, w, w, version, version.GroupVersion(), subresource, ignored)
	check(err)
	return manager
}

func (w *customWorld) Empty(version schema.GroupVersionKind) runtime.Object {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetGroupVersionKind(version)
	return object
}

func (w *customWorld) Read(object map[string]any) runtime.Object {
	return &unstructured.Unstructured{Object: object}
}

func (w *customWorld) Write(object runtime.Object, version schema.GroupVersionKind) map[string]any {
	converted, err := w.ConvertToVersion(object, version.GroupVersion())
	check(err)
	return printed(converted.(*unstructured.Unstructured).Object)
}

// Default fulfills runtime.ObjectDefaulter.
func (w *customWorld) Default(runtime.Object) {}

// New fulfills runtime.ObjectCreater.
func (w *customWorld) New(version schema.GroupVersionKind) (runtime.Object, error) {
	return w.Empty(version), nil
}

func (w *customWorld) Convert(in, out, context any) error { return fmt.Errorf("not used") }

func (w *customWorld) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

func (w *customWorld) ConvertToVersion(in runtime.Object, to runtime.GroupVersioner) (runtime.Object, error) {
	target := to.(schema.GroupVersion)
	if _, ok := w.schemas[target.Version]; !ok || target.Group != group {
		return nil, runtime.NewNotRegisteredErrForTarget("custom", nil, to)
	}
	object := in.(*unstructured.Unstructured)
	from := object.GroupVersionKind().Version
	if from == target.Version {
		return in, nil
	}
	out := object.DeepCopy()
	out.SetAPIVersion(target.String())
	if content, ok := out.Object["spec"].(map[string]any); ok {
		rename := func(from, to string) {
			if value, ok := content[from]; ok {
				delete(content, from)
				content[to] = value
			}
		}
		if from == "v1beta1" {
			rename("count", "replicas")
		} else if target.Version == "v1beta1" {
			rename("replicas", "count")
		}
	}
	return out, nil
}
