package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

func init() {
	// What informers say of outages is what this program is about.
	klog.SetLogger(logr.Discard())
	klog.SetOutput(io.Discard)
	utilruntime.ErrorHandlers = nil
}

// record is what an informer told, in order.
type record struct {
	lock sync.Mutex
	seen []string
}

func (r *record) note(what string, object any) {
	if gone, is := object.(cache.DeletedFinalStateUnknown); is {
		object = gone.Obj
	}
	name := "?"
	if accessor, err := meta.Accessor(object); err == nil {
		name = accessor.GetName()
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	r.seen = append(r.seen, what+" "+name)
}

func (r *record) OnAdd(object any, _ bool) { r.note("add", object) }
func (r *record) OnUpdate(before, after any) {
	a, errA := meta.Accessor(before)
	b, errB := meta.Accessor(after)
	if errA == nil && errB == nil && a.GetResourceVersion() == b.GetResourceVersion() {
		r.note("resync", after)
		return
	}
	r.note("update", after)
}
func (r *record) OnDelete(object any) { r.note("delete", object) }

// has tells which of these did not come yet, each after the one before it.
func (r *record) has(events ...string) error {
	r.lock.Lock()
	defer r.lock.Unlock()
	next := 0
	for _, seen := range r.seen {
		if next < len(events) && seen == events[next] {
			next++
		}
	}
	if next < len(events) {
		return fmt.Errorf("%q did not come; there were %q", events[next], r.seen)
	}
	return nil
}

// follow runs an informer until the context ends; it is there when it has synced.
func follow(ctx context.Context, informer cache.SharedIndexInformer) (*record, error) {
	told := &record{}
	if _, err := informer.AddEventHandlerWithResyncPeriod(told, time.Second); err != nil {
		return nil, err
	}
	go informer.Run(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return nil, errors.New("it does not sync")
	}
	return told, nil
}

func (c *client) informer(s sort) cache.SharedIndexInformer {
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(c.dynamic, time.Second, namespace, nil)
	return factory.ForResource(s.resource()).Informer()
}

func (c *client) informs(ctx context.Context) error {
	s := sort{kind: "Mere", plural: "meres", versions: []string{"v1"}}
	if err := c.define(ctx, s); err != nil {
		return err
	}
	if _, err := c.create(ctx, s, "early", 1); err != nil {
		return err
	}
	informer := c.informer(s)
	told, err := follow(ctx, informer)
	if err != nil {
		return err
	}
	object, err := c.create(ctx, s, "late", 1)
	if err != nil {
		return err
	}
	if err := unstructured.SetNestedField(object.Object, int64(2), "spec", "depth"); err != nil {
		return err
	}
	if _, err := c.at(s).Update(ctx, object, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if err := c.at(s).Delete(ctx, "late", metav1.DeleteOptions{}); err != nil {
		return err
	}
	for _, events := range [][]string{{"add early", "resync early"}, {"add late", "update late", "delete late"}} {
		if err := until(ctx, func() error { return told.has(events...) }); err != nil {
			return err
		}
	}
	if keys := informer.GetStore().ListKeys(); len(keys) != 1 || keys[0] != namespace+"/early" {
		return fmt.Errorf("it holds %v", keys)
	}
	return nil
}

func (c *client) redefined(ctx context.Context) error {
	s := sort{kind: "Puddle", plural: "puddles", versions: []string{"v1"}}
	if err := c.define(ctx, s); err != nil {
		return err
	}
	if _, err := c.create(ctx, s, "first", 1); err != nil {
		return err
	}
	informer := c.informer(s)
	told, err := follow(ctx, informer)
	if err != nil {
		return err
	}
	if err := c.undefine(ctx, s); err != nil {
		return err
	}
	if err := until(ctx, func() error { return told.has("add first", "delete first") }); err != nil {
		return err
	}
	if err := c.define(ctx, s); err != nil {
		return err
	}
	for _, name := range []string{"first", "second"} {
		if _, err := c.create(ctx, s, name, 2); err != nil {
			return err
		}
	}
	if err := until(ctx, func() error { return told.has("delete first", "add first") }); err != nil {
		return err
	}
	if err := until(ctx, func() error { return told.has("add second") }); err != nil {
		return err
	}
	// It is told of what comes next, too.
	if err := c.at(s).Delete(ctx, "second", metav1.DeleteOptions{}); err != nil {
		return err
	}
	return until(ctx, func() error { return told.has("add second", "delete second") })
}

func (c *client) informsOfMetadata(ctx context.Context) error {
	s := sort{kind: "Brook", plural: "brooks", versions: []string{"v1"}}
	if err := c.define(ctx, s); err != nil {
		return err
	}
	factory := metadatainformer.NewFilteredSharedInformerFactory(c.metadata, time.Second, namespace, nil)
	informer := factory.ForResource(s.resource()).Informer()
	told, err := follow(ctx, informer)
	if err != nil {
		return err
	}
	made, err := c.create(ctx, s, "one", 1)
	if err != nil {
		return err
	}
	if err := until(ctx, func() error { return told.has("add one") }); err != nil {
		return err
	}
	held, is, err := informer.GetStore().GetByKey(namespace + "/one")
	partial, of := held.(*metav1.PartialObjectMetadata)
	if err != nil || !is || !of || partial.UID != made.GetUID() {
		return fmt.Errorf("it holds %v: %w", held, err)
	}
	if err := c.at(s).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return err
	}
	return until(ctx, func() error { return told.has("add one", "delete one") })
}
