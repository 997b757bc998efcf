package main

import (
	"errors"
	"fmt"
	"maps"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
)

// change writes the object with one label more.
func (t *trial) change(mediaType string) {
	object := t.empty(t.at.GroupVersionKind)
	if object == nil {
		return
	}
	r := t.rest[mediaType]
	if !t.note("get in "+mediaType, r.Get().AbsPath(t.path, t.name).Do(t.ctx).Into(object)) {
		return
	}
	accessor, err := meta.Accessor(object)
	if !t.note("change", err) {
		return
	}
	// The same again is no change: what was read and is sent back means what is stored.
	written := t.put("update with what was read in ", mediaType, object, object)
	if written == nil {
		return
	}
	accessor.SetResourceVersion(written.GetResourceVersion())
	labels := map[string]string{}
	maps.Copy(labels, accessor.GetLabels())
	labels["encoding"] = mediaType[len("application/"):]
	accessor.SetLabels(labels)
	expected := object.DeepCopyObject()
	if written = t.put("update in ", mediaType, object, nil); written == nil {
		return
	}
	if written.GetResourceVersion() == accessor.GetResourceVersion() {
		t.note("update in "+mediaType, errors.New("the version stayed"))
	}
	if copied, err := meta.Accessor(expected); err == nil {
		copied.SetResourceVersion(written.GetResourceVersion())
		// Labels count as content for a few kinds.
		copied.SetGeneration(written.GetGeneration())
		// Whoever writes owns what it wrote.
		copied.SetManagedFields(written.GetManagedFields())
	}
	if answer, ok := written.(runtime.Object); ok {
		t.note("update in "+mediaType, compare(answer, expected))
	}
}

// changeStatus writes the status of the manifest; the spec goes along unchanged.
func (t *trial) changeStatus(mediaType string, status map[string]any) {
	var before unstructured.Unstructured
	text, err := t.rest[jsonType].Get().AbsPath(t.path, t.name).Do(t.ctx).Raw()
	if !t.note("status", err) || !t.note("status", before.UnmarshalJSON(text)) {
		return
	}
	before.Object["status"] = status
	// Whatever the file says goes through the type first, as its author would have written it.
	object := t.empty(t.at.GroupVersionKind)
	convert := runtime.DefaultUnstructuredConverter.FromUnstructured
	if object == nil || !t.note("status", convert(before.Object, object)) {
		return
	}
	answer := t.empty(t.at.GroupVersionKind)
	request := t.rest[mediaType].Put().AbsPath(t.path, t.name, "status").Body(object)
	if !t.note("status in "+mediaType, request.Do(t.ctx).Into(answer)) {
		return
	}
	got, isObject := treeOf(answer).(map[string]any)
	if !isObject {
		return
	}
	for name, want := range status {
		found, isStatus := got["status"].(map[string]any)
		if !isStatus || !contains(found[name], treeOf(want)) {
			t.note("status in "+mediaType, fmt.Errorf("its %s is %v, not %v", name, found[name], want))
		}
	}
}

// scale reads the size by the subresource and writes it one larger.
func (t *trial) scale(mediaType string) {
	var before, after autoscalingv1.Scale
	request := t.rest[mediaType].Get().AbsPath(t.path, t.name, "scale")
	if !t.note("scale in "+mediaType, request.Do(t.ctx).Into(&before)) {
		return
	}
	wanted := before.DeepCopy()
	wanted.Spec.Replicas++
	request = t.rest[mediaType].Put().AbsPath(t.path, t.name, "scale").Body(wanted)
	if t.note("scale in "+mediaType, request.Do(t.ctx).Into(&after)) && after.Spec != wanted.Spec {
		t.note("scale in "+mediaType, fmt.Errorf("it is %d, not %d", after.Spec.Replicas, wanted.Spec.Replicas))
	}
}

// put writes an object; its answer, of the expected content where there is any, or nil with a note.
func (t *trial) put(what, mediaType string, object, expected runtime.Object) metav1.Object {
	answer := t.empty(t.at.GroupVersionKind)
	if answer == nil {
		return nil
	}
	err := t.rest[mediaType].Put().AbsPath(t.path, t.name).Body(object).Do(t.ctx).Into(answer)
	if !t.note(what+mediaType, err) {
		return nil
	}
	if expected != nil {
		t.note(what+mediaType, compare(answer, expected))
	}
	accessor, err := meta.Accessor(answer)
	if !t.note(what+mediaType, err) {
		return nil
	}
	return accessor
}

// remove deletes the object on condition of its uid, with options in Protobuf, and tells whether it is gone.
func (t *trial) remove() bool {
	object := t.empty(t.at.GroupVersionKind)
	r := t.rest[protobufType]
	if object == nil || !t.note("get", r.Get().AbsPath(t.path, t.name).Do(t.ctx).Into(object)) {
		return false
	}
	accessor, err := meta.Accessor(object)
	if !t.note("delete", err) {
		return false
	}
	other := metav1.NewUIDPreconditions("another")
	err = r.Delete().AbsPath(t.path, t.name).Body(&metav1.DeleteOptions{Preconditions: other}).Do(t.ctx).Error()
	if !apierrors.IsConflict(err) {
		t.note("delete of another uid", fmt.Errorf("instead of a conflict: %v", err))
	}
	uid := accessor.GetUID()
	zero := int64(0)
	options := &metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}, GracePeriodSeconds: &zero}
	if !t.note("delete", r.Delete().AbsPath(t.path, t.name).Body(options).Do(t.ctx).Error()) {
		return false
	}
	if namespace, is := object.(*corev1.Namespace); is && !t.finalize(namespace) {
		return false
	}
	return t.note("get after delete", gone(func() error { return r.Get().AbsPath(t.path, t.name).Do(t.ctx).Into(object) }))
}

// gone waits until there is no object. Of a few kinds the dependents are let go of first, by somebody else.
func gone(get func() error) error {
	every := wait.Backoff{Duration: 10 * time.Millisecond, Factor: 1.5, Steps: 18}
	return retry.OnError(every, func(error) bool { return true }, func() error {
		if err := get(); !apierrors.IsNotFound(err) {
			return fmt.Errorf("instead of 404: %v", err)
		}
		return nil
	})
}

// finalize does for a namespace what its controller would do once it is empty.
func (t *trial) finalize(namespace *corev1.Namespace) bool {
	r := t.rest[protobufType]
	if !t.note("get", r.Get().AbsPath(t.path, t.name).Do(t.ctx).Into(namespace)) {
		return false
	}
	namespace.Spec.Finalizers = nil
	return t.note("finalize", r.Put().AbsPath(t.path, t.name, "finalize").Body(namespace).Do(t.ctx).Error())
}
