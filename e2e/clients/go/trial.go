package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
)

const (
	asMetadata  = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	asMetadatas = ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
)

// trial is the life of one object.
type trial struct {
	*client
	ctx        context.Context
	at         resource
	path       string
	name       string
	namespace  string
	watchLists bool
	problems   []error
}

func (t *trial) note(what string, err error) bool {
	if err != nil {
		t.problems = append(t.problems, fmt.Errorf("%s %s: %w", t.at.GroupVersion(), what, err))
	}
	return err == nil
}

// typed leads the object through its life with the types of client-go; `watchLists`: watches may begin with a list.
func (c *client) typed(m manifest, kind schema.GroupVersionKind, namespace string, watchLists bool) []error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	object, _, err := c.codecs.UniversalDeserializer().Decode(m.Object, nil, nil)
	if err != nil {
		return []error{err}
	}
	versions := slices.DeleteFunc(c.versionsOf(kind), func(r resource) bool { return !c.knows(r.GroupVersionKind) })
	if len(versions) == 0 || versions[0].GroupVersionKind != kind {
		return []error{errors.New("not served")}
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return []error{err}
	}
	t := &trial{client: c, ctx: ctx, name: accessor.GetName(), namespace: namespace, watchLists: watchLists}
	t.through(versions[0])
	t.live(object, m.Status, versions)
	return t.problems
}

// through says by which version the next requests go.
func (t *trial) through(version resource) {
	t.at, t.path = version, version.collection(t.namespace)
}

func (t *trial) live(object runtime.Object, status map[string]any, versions []resource) {
	histories := map[string]watch.Interface{}
	for _, mediaType := range mediaTypes {
		if histories[mediaType] = t.watch(t.ctx, mediaType); histories[mediaType] == nil {
			return
		}
		defer histories[mediaType].Stop()
	}
	// What the Go encoder writes is read, and the answer is read by the Go decoder.
	created := t.empty(t.at.GroupVersionKind)
	if created == nil ||
		!t.note("create", t.rest[protobufType].Post().AbsPath(t.path).Body(object).Do(t.ctx).Into(created)) {
		return
	}
	for _, version := range versions {
		t.through(version)
		t.read()
		t.tables()
	}
	t.through(versions[0])
	for _, mediaType := range mediaTypes {
		t.change(mediaType)
		if t.at.has("status") && status != nil {
			t.changeStatus(mediaType, status)
		}
		if t.at.has("scale") {
			t.scale(mediaType)
		}
	}
	if t.remove() {
		t.sameHistories(histories)
	}
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

// watch watches the object, or is nil with a note.
func (t *trial) watch(ctx context.Context, mediaType string, params ...string) watch.Interface {
	request := t.rest[mediaType].Get().AbsPath(t.path).
		Param("watch", "true").Param("fieldSelector", "metadata.name="+t.name)
	for i := 0; i+1 < len(params); i += 2 {
		request = request.Param(params[i], params[i+1])
	}
	stream, err := request.Watch(ctx)
	if !t.note("watch in "+mediaType, err) {
		return nil
	}
	return stream
}

// watched is the object as the first event of a watch, which says then that this was all.
func (t *trial) watched(mediaType string) runtime.Object {
	ctx, cancel := context.WithTimeout(t.ctx, 10*time.Second)
	defer cancel()
	var withList []string
	if t.watchLists {
		withList = []string{
			"sendInitialEvents", "true", "resourceVersionMatch", "NotOlderThan", "allowWatchBookmarks", "true",
		}
	}
	stream := t.watch(ctx, mediaType, withList...)
	if stream == nil {
		return nil
	}
	defer stream.Stop()
	event := <-stream.ResultChan()
	if event.Type != watch.Added {
		t.note("watch in "+mediaType, fmt.Errorf("instead of ADDED came %q: %v", event.Type, event.Object))
		return nil
	}
	if !t.watchLists {
		return event.Object
	}
	end := <-stream.ResultChan()
	accessor, err := meta.Accessor(end.Object)
	if err != nil || end.Type != watch.Bookmark || accessor.GetAnnotations()[metav1.InitialEventsAnnotationKey] != "true" {
		t.note("watch in "+mediaType, fmt.Errorf("instead of the bookmark came %q: %v", end.Type, end.Object))
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

// sameHistories reads what the watches saw from before the object was until it is gone: the same in every encoding.
func (t *trial) sameHistories(histories map[string]watch.Interface) {
	var first []string
	for _, mediaType := range mediaTypes {
		seen := t.history(histories[mediaType])
		if len(seen) < 2 || !strings.HasPrefix(seen[0], "ADDED") || !strings.HasPrefix(seen[len(seen)-1], "DELETED") {
			t.note("watch in "+mediaType, fmt.Errorf("it saw %v", seen))
			return
		}
		if first == nil {
			first = seen
		}
		if !slices.Equal(first, seen) {
			t.note("watch in "+mediaType, fmt.Errorf("it saw %v instead of %v", seen, first))
		}
	}
}

// history is the events of a watch with their versions, up to the deletion.
func (t *trial) history(stream watch.Interface) (seen []string) {
	for {
		select {
		case event, open := <-stream.ResultChan():
			if !open {
				return append(seen, "end")
			}
			version := ""
			if accessor, err := meta.Accessor(event.Object); err == nil {
				version = accessor.GetResourceVersion()
			}
			seen = append(seen, string(event.Type)+"@"+version)
			if event.Type == watch.Deleted || event.Type == watch.Error {
				return seen
			}
		case <-t.ctx.Done():
			return append(seen, "silence")
		}
	}
}
