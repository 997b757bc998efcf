package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// pause is over after so many milliseconds.
func pause(ms int) func() error {
	end := time.Now().Add(time.Duration(ms) * time.Millisecond)
	return func() error {
		if time.Now().Before(end) {
			return errors.New("not yet")
		}
		return nil
	}
}

func (s sort) configuration(name, part, value string) *unstructured.Unstructured {
	object := s.object(name, 0)
	object.Object["spec"] = map[string]any{"parts": []any{map[string]any{"name": part, "value": value}}}
	return object
}

func (c *client) applies(ctx context.Context) error {
	s := sort{kind: "Canal", plural: "canals", versions: []string{"v1"}}
	if err := c.define(ctx, s); err != nil {
		return err
	}
	at := c.at(s)
	by := func(manager string) metav1.ApplyOptions { return metav1.ApplyOptions{FieldManager: manager} }
	if _, err := at.Apply(ctx, "one", s.configuration("one", "a", "1"), by("ann")); err != nil {
		return err
	}
	both, err := at.Apply(ctx, "one", s.configuration("one", "b", "1"), by("bob"))
	if err != nil {
		return err
	}
	if parts, _, err := unstructured.NestedSlice(both.Object, "spec", "parts"); err != nil || len(parts) != 2 {
		return fmt.Errorf("they are not merged: %v %w", parts, err)
	}
	_, err = at.Apply(ctx, "one", s.configuration("one", "a", "2"), by("bob"))
	if !apierrors.IsConflict(err) {
		return fmt.Errorf("instead of a conflict: %w", err)
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) || len(status.Status().Details.Causes) != 1 ||
		status.Status().Details.Causes[0].Field != `.spec.parts[name="a"].value` {
		return fmt.Errorf("its causes: %w", err)
	}
	forced, err := at.Apply(ctx, "one", s.configuration("one", "a", "2"), metav1.ApplyOptions{FieldManager: "bob", Force: true})
	if err != nil {
		return err
	}
	if parts, _, err := unstructured.NestedSlice(forced.Object, "spec", "parts"); err != nil || len(parts) != 1 {
		return fmt.Errorf("what bob lets go of is still there: %v %w", parts, err)
	}
	told := s.object("one", 9)
	told.Object["status"] = map[string]any{"depth": int64(4)}
	after, err := at.ApplyStatus(ctx, "one", told, by("carl"))
	if err != nil {
		return err
	}
	depth, found, err := unstructured.NestedInt64(after.Object, "status", "depth")
	if _, spec, _ := unstructured.NestedFieldNoCopy(after.Object, "spec", "depth"); err != nil || !found || depth != 4 || spec {
		return fmt.Errorf("the status applied: %v %w", after, err)
	}
	entries := after.GetManagedFields()
	if len(entries) != 3 || entries[2].Subresource != "status" || entries[2].Manager != "carl" {
		return fmt.Errorf("its managers: %v", entries)
	}
	return nil
}
