package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
)

const mark = "dynamic"

// dynamicTrial is the life of one object of which the client knows no type, only what discovery tells.
type dynamicTrial struct {
	*client
	ctx       context.Context
	name      string
	namespace string
	problems  []error
}

func (t *dynamicTrial) note(kind schema.GroupVersionKind, what string, err error) bool {
	if err != nil {
		t.problems = append(t.problems, fmt.Errorf("%s %s: %w", kind.GroupVersion(), what, err))
	}
	return err == nil
}

// dynamically leads the object through its life with the dynamic client, as kubectl does.
func (c *client) dynamically(m manifest, kind schema.GroupVersionKind, namespace string) []error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var object unstructured.Unstructured
	if err := object.UnmarshalJSON(m.Object); err != nil {
		return []error{err}
	}
	t := &dynamicTrial{client: c, ctx: ctx, name: object.GetName(), namespace: namespace}
	at := t.resource(kind)
	if at == nil {
		return t.problems
	}
	labels := map[string]string{"client": mark}
	for name, value := range object.GetLabels() {
		labels[name] = value
	}
	object.SetLabels(labels)
	created, err := at.Create(ctx, &object, metav1.CreateOptions{})
	if apierrors.IsUnsupportedMediaType(err) && !slices.Contains(mediaTypes, cborType) {
		// The first refusal teaches the client to write JSON.
		created, err = at.Create(ctx, &object, metav1.CreateOptions{})
	}
	if !t.note(kind, "create", err) {
		return t.problems
	}
	versions := c.versionsOf(kind)
	for _, version := range versions {
		t.read(version.GroupVersionKind, created)
	}
	t.update(kind, at)
	t.remove(versions[0], at)
	return t.problems
}

// resource is the path of a kind, found as kubectl finds it, or nil with a note.
func (t *dynamicTrial) resource(kind schema.GroupVersionKind) dynamic.ResourceInterface {
	mapping, err := t.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if !t.note(kind, "mapping", err) {
		return nil
	}
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return t.dynamic.Resource(mapping.Resource).Namespace(t.namespace)
	}
	return t.dynamic.Resource(mapping.Resource)
}

func (t *dynamicTrial) read(kind schema.GroupVersionKind, created *unstructured.Unstructured) {
	at := t.resource(kind)
	if at == nil {
		return
	}
	object, err := at.Get(t.ctx, t.name, metav1.GetOptions{})
	if !t.note(kind, "get", err) {
		return
	}
	if object.GroupVersionKind() != kind || object.GetUID() != created.GetUID() {
		t.note(kind, "get", fmt.Errorf("it is %s with uid %s", object.GroupVersionKind(), object.GetUID()))
	}
	if kind == created.GroupVersionKind() {
		t.note(kind, "get", compareValues(object.Object, created.Object))
	}
	list, err := at.List(t.ctx, metav1.ListOptions{LabelSelector: "client=" + mark})
	if t.note(kind, "list", err) {
		if len(list.Items) != 1 {
			t.note(kind, "list", fmt.Errorf("%d items", len(list.Items)))
		} else {
			t.note(kind, "list", compareValues(list.Items[0].Object, object.Object))
		}
	}
	t.watch(kind, at, object)
}

func (t *dynamicTrial) watch(kind schema.GroupVersionKind, at dynamic.ResourceInterface, object *unstructured.Unstructured) {
	ctx, cancel := context.WithTimeout(t.ctx, 10*time.Second)
	defer cancel()
	stream, err := at.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + t.name})
	if !t.note(kind, "watch", err) {
		return
	}
	defer stream.Stop()
	event := <-stream.ResultChan()
	seen, is := event.Object.(*unstructured.Unstructured)
	if !is || event.Type != watch.Added {
		t.note(kind, "watch", fmt.Errorf("instead of ADDED came %q: %v", event.Type, event.Object))
		return
	}
	t.note(kind, "watch", compareValues(seen.Object, object.Object))
}

func (t *dynamicTrial) update(kind schema.GroupVersionKind, at dynamic.ResourceInterface) {
	object, err := at.Get(t.ctx, t.name, metav1.GetOptions{})
	if !t.note(kind, "get", err) {
		return
	}
	object.SetAnnotations(map[string]string{"changed-by": mark})
	answer, err := at.Update(t.ctx, object, metav1.UpdateOptions{})
	if !t.note(kind, "update", err) {
		return
	}
	if answer.GetAnnotations()["changed-by"] != mark || answer.GetResourceVersion() == object.GetResourceVersion() {
		t.note(kind, "update", fmt.Errorf("it left %v", answer))
	}
	_, err = at.Update(t.ctx, object, metav1.UpdateOptions{})
	if !apierrors.IsConflict(err) {
		t.note(kind, "update of an old version", fmt.Errorf("instead of a conflict: %v", err))
	}
}

// remove deletes what has the label, where the kind allows it, else the object by its name.
func (t *dynamicTrial) remove(r resource, at dynamic.ResourceInterface) {
	zero := int64(0)
	options := metav1.DeleteOptions{GracePeriodSeconds: &zero}
	kind := r.GroupVersionKind
	if r.can("deletecollection") {
		err := at.DeleteCollection(t.ctx, options, metav1.ListOptions{LabelSelector: "client=" + mark})
		t.note(kind, "delete of the collection", err)
	} else {
		t.note(kind, "delete", at.Delete(t.ctx, t.name, options))
	}
	object, err := at.Get(t.ctx, t.name, metav1.GetOptions{})
	if err == nil && r.has("finalize") {
		unstructured.RemoveNestedField(object.Object, "spec", "finalizers")
		_, err = at.Update(t.ctx, object, metav1.UpdateOptions{}, "finalize")
		t.note(kind, "finalize", err)
	}
	t.note(kind, "get after delete", gone(func() error {
		_, err := at.Get(t.ctx, t.name, metav1.GetOptions{})
		return err
	}))
}
