package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	appsv1beta1 "k8s.io/api/apps/v1beta1"
	appsv1beta2 "k8s.io/api/apps/v1beta2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// compare tells where two objects differ, but for their type, which decoders drop.
func compare(got, want runtime.Object) error {
	a, b := got.DeepCopyObject(), want.DeepCopyObject()
	dropTypes(a)
	dropTypes(b)
	if equality.Semantic.DeepEqual(a, b) {
		return nil
	}
	left, right := treeOf(a), treeOf(b)
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

// treeOf is a value as JSON has it.
func treeOf(object any) any {
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

// contains tells whether a value is as expected, whatever else its objects have.
func contains(got, want any) bool {
	switch expected := want.(type) {
	case map[string]any:
		found, is := got.(map[string]any)
		for name, value := range expected {
			is = is && contains(found[name], value)
		}
		return is
	case []any:
		found, is := got.([]any)
		is = is && len(found) == len(expected)
		for i := 0; is && i < len(expected); i++ {
			is = contains(found[i], expected[i])
		}
		return is
	}
	return reflect.DeepEqual(got, want)
}

// compareValues tells where two values differ as JSON.
func compareValues(got, want any) error {
	if places := differences("", treeOf(got), treeOf(want)); len(places) > 0 {
		return errors.New(strings.Join(places, "; "))
	}
	return nil
}
