package main

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"
	watchtools "k8s.io/client-go/tools/watch"
)

func (c *client) pages(ctx context.Context) error {
	s := sort{kind: "Well", plural: "wells", versions: []string{"v1"}}
	if err := c.define(ctx, s); err != nil {
		return err
	}
	for i := range 7 {
		if _, err := c.create(ctx, s, fmt.Sprintf("well-%d", i), int64(i)); err != nil {
			return err
		}
	}
	asked := 0
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		asked++
		return c.at(s).List(ctx, options)
	})
	pages.PageSize = 3
	seen := 0
	err := pages.EachListItem(ctx, metav1.ListOptions{}, func(runtime.Object) error {
		seen++
		return nil
	})
	if err != nil || seen != 7 || asked != 3 {
		return fmt.Errorf("%d of 7 items in %d of 3 pages: %w", seen, asked, err)
	}
	first, err := c.at(s).List(ctx, metav1.ListOptions{Limit: 3})
	if err != nil || first.GetContinue() == "" || first.GetRemainingItemCount() == nil || *first.GetRemainingItemCount() != 4 {
		return fmt.Errorf("the first page is %v: %w", first, err)
	}
	// The list is as it was when it began.
	if err := c.at(s).Delete(ctx, "well-5", metav1.DeleteOptions{}); err != nil {
		return err
	}
	rest, err := c.at(s).List(ctx, metav1.ListOptions{Continue: first.GetContinue()})
	if err != nil || len(rest.Items) != 4 || rest.GetResourceVersion() != first.GetResourceVersion() {
		return fmt.Errorf("the rest is %v: %w", rest, err)
	}
	_, err = c.at(s).List(ctx, metav1.ListOptions{Continue: "nothing of ours"})
	if !apierrors.IsBadRequest(err) {
		return fmt.Errorf("a wrong token: %w", err)
	}
	return nil
}

func (c *client) bookmarks(ctx context.Context) error {
	s := sort{kind: "Spring", plural: "springs", versions: []string{"v1"}}
	if err := c.define(ctx, s); err != nil {
		return err
	}
	made, err := c.create(ctx, s, "one", 1)
	if err != nil {
		return err
	}
	yes := true
	stream, err := c.at(s).Watch(ctx, metav1.ListOptions{
		SendInitialEvents: &yes, AllowWatchBookmarks: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	})
	if err != nil {
		return err
	}
	defer stream.Stop()
	if event := <-stream.ResultChan(); event.Type != watch.Added {
		return fmt.Errorf("instead of ADDED came %v", event)
	}
	event := <-stream.ResultChan()
	end, is := event.Object.(*unstructured.Unstructured)
	if !is || event.Type != watch.Bookmark || end.GetAnnotations()[metav1.InitialEventsAnnotationKey] != "true" {
		return fmt.Errorf("instead of the bookmark came %v", event)
	}
	if end.GetKind() != s.kind || end.GetResourceVersion() < made.GetResourceVersion() {
		return fmt.Errorf("the bookmark is %v", end)
	}
	return nil
}

func (c *client) retries(ctx context.Context) error {
	s := sort{kind: "River", plural: "rivers", versions: []string{"v1"}}
	if err := c.define(ctx, s); err != nil {
		return err
	}
	list, err := c.at(s).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	second := int64(1)
	watcher, err := watchtools.NewRetryWatcher(list.GetResourceVersion(), &cache.ListWatch{
		WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) {
			options.TimeoutSeconds = &second
			return c.at(s).Watch(ctx, options)
		},
	})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	const count = 40
	failed := make(chan error, 1)
	go func() {
		defer close(failed)
		for i := range count {
			if _, err := c.create(ctx, s, fmt.Sprintf("river-%02d", i), int64(i)); err != nil {
				failed <- err
				return
			}
			// The watch ends in between.
			if err := until(ctx, pause(50)); err != nil {
				failed <- err
				return
			}
		}
	}()
	for i := range count {
		select {
		case event := <-watcher.ResultChan():
			object, is := event.Object.(*unstructured.Unstructured)
			if want := fmt.Sprintf("river-%02d", i); !is || event.Type != watch.Added || object.GetName() != want {
				return fmt.Errorf("instead of %s came %v", want, event)
			}
		case <-ctx.Done():
			return fmt.Errorf("only %d came", i)
		}
	}
	return <-failed
}
