// A client made of client-go alone: it creates, reads, lists, watches, changes and deletes the objects of a file of
// manifests in every encoding, through every served version, and compares what the Go codecs make of the answers.
// It prints one line for each kind, and ends with 1 when a kind is not as it must be.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	appsv1beta1 "k8s.io/api/apps/v1beta1"
	appsv1beta2 "k8s.io/api/apps/v1beta2"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	apiregistrationv1beta1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1beta1"
)

const (
	protobufType = "application/vnd.kubernetes.protobuf"
	jsonType     = "application/json"
	cborType     = "application/cbor"
	asMetadata   = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	asMetadatas  = ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
	patience     = 30 * time.Second
)

// mediaTypes are those that the server speaks.
var mediaTypes = []string{protobufType, jsonType}

// manifests is the file that all clients of the tests share.
type manifests struct {
	Namespace string `json:"namespace"`
	Kinds     []struct {
		// Release is the one that the object is for; empty for all.
		Release string          `json:"release"`
		Object  json.RawMessage `json:"object"`
	} `json:"kinds"`
}

// resource is one kind in one version, as discovery names it.
type resource struct {
	schema.GroupVersionKind
	plural     string
	namespaced bool
}

func main() {
	config := flag.String("kubeconfig", "", "the client configuration file")
	file := flag.String("manifests", "", "the file of manifests")
	release := flag.String("release", "", "only the manifests that are marked with this release")
	withCBOR := flag.Bool("cbor", false, "the server speaks CBOR")
	flag.Parse()
	if *withCBOR {
		mediaTypes = append(mediaTypes, cborType)
	}
	failed, err := run(*config, *file, *release)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if failed > 0 {
		os.Exit(1)
	}
}

func run(config, file, release string) (failed int, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	var known manifests
	if err := json.Unmarshal(text, &known); err != nil {
		return 0, err
	}
	c, err := newClient(config)
	if err != nil {
		return 0, err
	}
	if err := c.discover(); err != nil {
		return 0, err
	}
	if err := c.ensureNamespace(known.Namespace); err != nil {
		return 0, err
	}
	for _, kind := range known.Kinds {
		if kind.Release != release {
			continue
		}
		name, problems := c.exercise(kind.Object, known.Namespace)
		if len(problems) == 0 {
			fmt.Printf("ok %s\n", name)
			continue
		}
		failed++
		fmt.Printf("not ok %s\n", name)
		for _, problem := range problems {
			fmt.Printf("  %v\n", problem)
		}
	}
	return failed, nil
}

// client has one REST client for each encoding, over one scheme.
type client struct {
	codecs    serializer.CodecFactory
	rest      map[string]*rest.RESTClient
	resources []resource
}

func newClient(path string) (*client, error) {
	for _, add := range []func(*runtime.Scheme) error{
		apiextensionsv1.AddToScheme, apiextensionsv1beta1.AddToScheme,
		apiregistrationv1.AddToScheme, apiregistrationv1beta1.AddToScheme,
		metav1.AddMetaToScheme,
	} {
		if err := add(scheme.Scheme); err != nil {
			return nil, err
		}
	}
	codecs := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict, serializer.WithSerializer(cbor.NewSerializerInfo))
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	// Old versions are asked for on purpose.
	config.WarningHandler = rest.NoWarnings{}
	config.APIPath = "/"
	config.GroupVersion = &schema.GroupVersion{}
	config.NegotiatedSerializer = codecs.WithoutConversion()
	c := &client{codecs: codecs, rest: map[string]*rest.RESTClient{}}
	for _, mediaType := range mediaTypes {
		of := rest.CopyConfig(config)
		of.ContentType, of.AcceptContentTypes = mediaType, mediaType
		if c.rest[mediaType], err = rest.RESTClientFor(of); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// discover reads what is served, in Protobuf.
func (c *client) discover() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var groups metav1.APIGroupList
	if err := c.rest[protobufType].Get().AbsPath("/apis").Do(ctx).Into(&groups); err != nil {
		return fmt.Errorf("discovery of groups: %w", err)
	}
	versions := []string{"v1"}
	for _, group := range groups.Groups {
		for _, version := range group.Versions {
			versions = append(versions, version.GroupVersion)
		}
	}
	for _, text := range versions {
		version, err := schema.ParseGroupVersion(text)
		if err != nil {
			return err
		}
		var list metav1.APIResourceList
		if err := c.rest[protobufType].Get().AbsPath(root(version)).Do(ctx).Into(&list); err != nil {
			return fmt.Errorf("discovery of %s: %w", version, err)
		}
		for _, r := range list.APIResources {
			if strings.Contains(r.Name, "/") {
				continue
			}
			c.resources = append(c.resources, resource{version.WithKind(r.Kind), r.Name, r.Namespaced})
		}
	}
	return nil
}

func root(version schema.GroupVersion) string {
	if version.Group == "" {
		return "/api/" + version.Version
	}
	return "/apis/" + version.String()
}

func (r resource) collection(namespace string) string {
	if r.namespaced {
		return root(r.GroupVersion()) + "/namespaces/" + namespace + "/" + r.plural
	}
	return root(r.GroupVersion()) + "/" + r.plural
}

func (c *client) ensureNamespace(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	namespace := fmt.Sprintf(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q}}`, name)
	err := c.rest[jsonType].Post().AbsPath("/api/v1/namespaces").Body([]byte(namespace)).Do(ctx).Error()
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// versionsOf are the served versions of a kind that the scheme knows, the given one first. A kind that moved from one
// group to another is met in both: what one path has stored, the other one reads.
func (c *client) versionsOf(kind schema.GroupVersionKind) []resource {
	var found, others []resource
	for _, r := range c.resources {
		switch {
		case r.GroupVersionKind == kind:
			found = append(found, r)
		case r.Kind == kind.Kind && scheme.Scheme.Recognizes(r.GroupVersionKind) && related(r.Group, kind.Group):
			others = append(others, r)
		}
	}
	return append(found, others...)
}

func related(a, b string) bool {
	old := map[string]bool{"": true, "events.k8s.io": true}
	if a == b || (old[a] && old[b]) {
		return true
	}
	return a == "extensions" || b == "extensions"
}

// trial is the life of one object.
type trial struct {
	*client
	ctx      context.Context
	at       resource
	path     string
	name     string
	problems []error
}

func (t *trial) note(what string, err error) bool {
	if err != nil {
		t.problems = append(t.problems, fmt.Errorf("%s %s: %w", t.at.GroupVersion(), what, err))
	}
	return err == nil
}

func (c *client) exercise(manifest []byte, namespace string) (string, []error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	object, kind, err := c.codecs.UniversalDeserializer().Decode(manifest, nil, nil)
	if runtime.IsNotRegisteredError(err) {
		return kind.GroupVersion().String() + " " + kind.Kind + " # SKIP client-go has no such type any more", nil
	}
	if err != nil {
		return string(manifest[:min(len(manifest), 80)]), []error{err}
	}
	name := kind.GroupVersion().String() + " " + kind.Kind
	versions := c.versionsOf(*kind)
	if len(versions) == 0 || versions[0].GroupVersionKind != *kind {
		return name, []error{errors.New("not served")}
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return name, []error{err}
	}
	t := &trial{client: c, ctx: ctx, at: versions[0], path: versions[0].collection(namespace), name: accessor.GetName()}
	t.live(object, versions, namespace)
	return name, t.problems
}

func (t *trial) live(object runtime.Object, versions []resource, namespace string) {
	created := t.empty(t.at.GroupVersionKind)
	if created == nil {
		return
	}
	// What the Go encoder writes is read, and the answer is read by the Go decoder.
	if !t.note("create", t.rest[protobufType].Post().AbsPath(t.path).Body(object).Do(t.ctx).Into(created)) {
		return
	}
	for _, version := range versions {
		t.at, t.path = version, version.collection(namespace)
		t.read()
	}
	t.at, t.path = versions[0], versions[0].collection(namespace)
	for _, mediaType := range mediaTypes {
		t.change(mediaType)
	}
	t.remove()
}

// empty is a new object of a kind, or nil with a note.
func (t *trial) empty(kind schema.GroupVersionKind) runtime.Object {
	object, err := scheme.Scheme.New(kind)
	t.note("type", err)
	return object
}

// read reads the object alone, in its list, as an event and as its metadata, in every encoding.
func (t *trial) read() {
	var first runtime.Object
	same := func(what, mediaType string, object runtime.Object) {
		if first == nil {
			first = object
			return
		}
		t.note(what+" in "+mediaType, compare(object, first))
	}
	for _, mediaType := range mediaTypes {
		object := t.empty(t.at.GroupVersionKind)
		if object == nil {
			return
		}
		if t.note("get in "+mediaType, t.rest[mediaType].Get().AbsPath(t.path, t.name).Do(t.ctx).Into(object)) {
			same("get", mediaType, object)
		}
		if item := t.listed(mediaType); item != nil {
			same("list", mediaType, item)
		}
		if seen := t.watched(mediaType); seen != nil {
			same("watch", mediaType, seen)
		}
		t.metadata(mediaType, first)
	}
	t.bytes()
}

func (t *trial) listed(mediaType string) runtime.Object {
	list := t.empty(t.at.GroupVersion().WithKind(t.at.Kind + "List"))
	if list == nil {
		return nil
	}
	if !t.note("list in "+mediaType, t.rest[mediaType].Get().AbsPath(t.path).Do(t.ctx).Into(list)) {
		return nil
	}
	items, err := meta.ExtractList(list)
	if !t.note("list in "+mediaType, err) {
		return nil
	}
	for _, item := range items {
		if accessor, err := meta.Accessor(item); err == nil && accessor.GetName() == t.name {
			return item
		}
	}
	t.note("list in "+mediaType, fmt.Errorf("the object is not among its %d items", len(items)))
	return nil
}

func (t *trial) watched(mediaType string) runtime.Object {
	ctx, cancel := context.WithTimeout(t.ctx, 10*time.Second)
	defer cancel()
	stream, err := t.rest[mediaType].Get().AbsPath(t.path).
		Param("watch", "true").Param("fieldSelector", "metadata.name="+t.name).Watch(ctx)
	if !t.note("watch in "+mediaType, err) {
		return nil
	}
	defer stream.Stop()
	event, open := <-stream.ResultChan()
	if !open || event.Type != watch.Added {
		t.note("watch in "+mediaType, fmt.Errorf("instead of ADDED came %q: %v", event.Type, event.Object))
		return nil
	}
	return event.Object
}

// metadata reads the object and its list as their metadata.
func (t *trial) metadata(mediaType string, object runtime.Object) {
	if object == nil {
		return
	}
	accessor, err := meta.Accessor(object)
	if !t.note("metadata", err) {
		return
	}
	read := func(accept string, into runtime.Object, path ...string) error {
		return t.rest[mediaType].Get().AbsPath(path...).SetHeader("Accept", mediaType+accept).Do(t.ctx).Into(into)
	}
	var one metav1.PartialObjectMetadata
	if t.note("metadata in "+mediaType, read(asMetadata, &one, t.path, t.name)) {
		t.note("metadata in "+mediaType, sameMetadata(&one, accessor))
	}
	var many metav1.PartialObjectMetadataList
	if !t.note("metadata of the list in "+mediaType, read(asMetadatas, &many, t.path)) {
		return
	}
	for _, item := range many.Items {
		if item.Name == t.name {
			t.note("metadata of the list in "+mediaType, sameMetadata(&item, accessor))
			return
		}
	}
	t.note("metadata of the list in "+mediaType, errors.New("the object is not among its items"))
}

func sameMetadata(one *metav1.PartialObjectMetadata, accessor metav1.Object) error {
	if one.UID != accessor.GetUID() || one.ResourceVersion != accessor.GetResourceVersion() || one.Name != accessor.GetName() {
		return fmt.Errorf("other metadata: %v", one)
	}
	return nil
}

// bytes holds the Protobuf of an answer against what the Go encoder writes for the same object.
func (t *trial) bytes() {
	served, err := t.rest[protobufType].Get().AbsPath(t.path, t.name).Do(t.ctx).Raw()
	if !t.note("bytes", err) {
		return
	}
	info, _ := runtime.SerializerInfoForMediaType(t.codecs.SupportedMediaTypes(), protobufType)
	object, _, err := info.Serializer.Decode(served, nil, nil)
	if !t.note("bytes", err) {
		return
	}
	encoded, err := runtime.Encode(t.codecs.EncoderForVersion(info.Serializer, t.at.GroupVersion()), object)
	if t.note("bytes", err) && !bytes.Equal(served, encoded) {
		t.note("bytes", fmt.Errorf("served    %x\n  encoder's %x", served, encoded))
	}
}

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
	}
	if answer, ok := written.(runtime.Object); ok {
		t.note("update in "+mediaType, compare(answer, expected))
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

// remove deletes the object on condition of its uid, with options in Protobuf.
func (t *trial) remove() {
	object := t.empty(t.at.GroupVersionKind)
	r := t.rest[protobufType]
	if object == nil || !t.note("get", r.Get().AbsPath(t.path, t.name).Do(t.ctx).Into(object)) {
		return
	}
	accessor, err := meta.Accessor(object)
	if !t.note("delete", err) {
		return
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
		return
	}
	err = r.Get().AbsPath(t.path, t.name).Do(t.ctx).Into(object)
	if err == nil && accessor.GetDeletionTimestamp() != nil {
		return
	}
	if !apierrors.IsNotFound(err) {
		t.note("get after delete", fmt.Errorf("instead of 404: %v", err))
	}
}

// compare tells where two objects differ, but for their type, which decoders drop.
func compare(got, want runtime.Object) error {
	a, b := got.DeepCopyObject(), want.DeepCopyObject()
	dropTypes(a)
	dropTypes(b)
	if equality.Semantic.DeepEqual(a, b) {
		return nil
	}
	left, right := tree(a), tree(b)
	if places := differences("", left, right); len(places) > 0 {
		return errors.New(strings.Join(places, "; "))
	}
	return fmt.Errorf("differs though it is the same JSON: %#v and %#v", a, b)
}

// dropTypes drops what Protobuf has no place for: the types of an object and of the claims inside it.
func dropTypes(object runtime.Object) {
	object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	var claims []corev1.PersistentVolumeClaim
	switch set := object.(type) {
	case *appsv1.StatefulSet:
		claims = set.Spec.VolumeClaimTemplates
	case *appsv1beta1.StatefulSet:
		claims = set.Spec.VolumeClaimTemplates
	case *appsv1beta2.StatefulSet:
		claims = set.Spec.VolumeClaimTemplates
	}
	for i := range claims {
		claims[i].TypeMeta = metav1.TypeMeta{}
	}
}

func tree(object runtime.Object) any {
	text, err := json.Marshal(object)
	if err != nil {
		return err.Error()
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err.Error()
	}
	return value
}

func differences(at string, got, want any) (places []string) {
	left, isObject := got.(map[string]any)
	right, areObjects := want.(map[string]any)
	if isObject && areObjects {
		for _, name := range slices.Sorted(maps.Keys(left)) {
			places = append(places, differences(at+"."+name, left[name], right[name])...)
		}
		for _, name := range slices.Sorted(maps.Keys(right)) {
			if _, known := left[name]; !known {
				places = append(places, differences(at+"."+name, nil, right[name])...)
			}
		}
		return places
	}
	items, isList := got.([]any)
	others, areLists := want.([]any)
	if isList && areLists && len(items) == len(others) {
		for i := range items {
			places = append(places, differences(fmt.Sprintf("%s[%d]", at, i), items[i], others[i])...)
		}
		return places
	}
	if reflect.DeepEqual(got, want) {
		return nil
	}
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	return []string{fmt.Sprintf("%s is %s, not %s", at, a, b)}
}
