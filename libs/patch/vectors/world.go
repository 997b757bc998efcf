package main

import (
	"encoding/json"
	"errors"
	"log"
	"reflect"
	"sort"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"
)

// World is what a kind lives in: its versions, and how its objects are read and written.
type World interface {
	Manager(version schema.GroupVersionKind, subresource string, ignored map[fieldpath.APIVersion]fieldpath.Filter) *managedfields.FieldManager
	// Empty is an object of a version that is not there yet.
	Empty(version schema.GroupVersionKind) runtime.Object
	// Read takes an object as a request brings it: decoded, defaulted, in the hub's version.
	Read(object map[string]any) runtime.Object
	// Write gives an object of any version as the reference prints it in a version.
	Write(object runtime.Object, version schema.GroupVersionKind) map[string]any
}

// Step is one write. Patch is a merge patch upon the live object, or for an apply the configuration.
type Step struct {
	Op          string              `json:"op"`
	Manager     string              `json:"manager"`
	APIVersion  string              `json:"apiVersion"`
	Subresource string              `json:"subresource,omitempty"`
	Force       bool                `json:"force,omitempty"`
	Ignored     map[string][]string `json:"ignored,omitempty"`
	// Only are patterns of the only fields that count, by version.
	Only  map[string][][]string `json:"only,omitempty"`
	Time  string                `json:"time"`
	Patch map[string]any        `json:"-"`
	Whole map[string]any        `json:"-"`
	// Schemas replaces the versions' types from here on: by version the name of a schema.
	Schemas map[string]string `json:"schemas,omitempty"`
	// Live is there where it is not the last result.
	Live          map[string]any `json:"live,omitempty"`
	Object        map[string]any `json:"object,omitempty"`
	Configuration map[string]any `json:"configuration,omitempty"`
	// ManagedFields of an update.
	ManagedFields any `json:"managedFields,omitempty"`
	// Fields is the text of each entry's fieldsV1 where the reference keeps its order.
	Fields []string       `json:"fields,omitempty"`
	Result map[string]any `json:"result,omitempty"`
	Error  *Failure       `json:"error,omitempty"`
}

type Failure struct {
	Code    int32   `json:"code"`
	Reason  string  `json:"reason,omitempty"`
	Message string  `json:"message"`
	Causes  []Cause `json:"causes,omitempty"`
}

type Cause struct {
	Message string `json:"message"`
	Field   string `json:"field"`
}

type Scenario struct {
	Name    string            `json:"name"`
	Kind    string            `json:"kind"`
	Schemas map[string]string `json:"schemas,omitempty"`
	Steps   []Step            `json:"steps"`
}

func kindOf(apiVersion, kind string) schema.GroupVersionKind {
	version, err := schema.ParseGroupVersion(apiVersion)
	check(err)
	return version.WithKind(kind)
}

// run plays a scenario and fills in what the reference answers.
func run(world World, scenario Scenario) Scenario {
	var live runtime.Object
	var shown map[string]any
	for i := range scenario.Steps {
		step := &scenario.Steps[i]
		if custom, ok := world.(*customWorld); ok && step.Schemas != nil {
			custom.use(step.Schemas)
		}
		step.Time = time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC).Format(time.RFC3339)
		version := kindOf(step.APIVersion, scenario.Kind)
		var before map[string]any
		if live != nil {
			before = world.Write(live.DeepCopyObject(), version)
			if !reflect.DeepEqual(before, shown) {
				step.Live = before
			}
		}
		after := play(world, step, version, live, before)
		if after == nil {
			shown = before
			continue
		}
		shown = stamped(after, step.Time)
		if step.Op == "apply" {
			step.Result = copied(shown)
		} else {
			step.ManagedFields = shown["metadata"].(map[string]any)["managedFields"]
		}
		if live == nil {
			// What tells an update from a create.
			shown["metadata"].(map[string]any)["uid"] = "u1"
		}
		live = world.Read(copied(shown))
		shown = world.Write(live.DeepCopyObject(), version)
	}
	return scenario
}

// play performs a step; nil where it failed.
func play(world World, step *Step, version schema.GroupVersionKind, live runtime.Object, before map[string]any) map[string]any {
	ignored := map[fieldpath.APIVersion]fieldpath.Filter{}
	for apiVersion, names := range step.Ignored {
		set := fieldpath.NewSet()
		for _, name := range names {
			set.Insert(fieldpath.MakePathOrDie(name))
		}
		ignored[fieldpath.APIVersion(apiVersion)] = fieldpath.NewExcludeSetFilter(set)
	}
	for apiVersion, patterns := range step.Only {
		matchers := []*fieldpath.SetMatcher{}
		for _, pattern := range patterns {
			parts := []any{}
			for _, name := range pattern {
				if name == "*" {
					parts = append(parts, fieldpath.MatchAnyPathElement())
				} else {
					parts = append(parts, name)
				}
			}
			matchers = append(matchers, fieldpath.MakePrefixMatcherOrDie(parts...))
		}
		ignored[fieldpath.APIVersion(apiVersion)] = fieldpath.NewIncludeMatcherFilter(matchers...)
	}
	manager := world.Manager(version, step.Subresource, ignored)
	base := live
	if base == nil {
		base = world.Empty(version)
	}
	base = base.DeepCopyObject()
	switch step.Op {
	case "apply":
		step.Configuration = step.Patch
		configuration := &unstructured.Unstructured{Object: copied(step.Patch)}
		object, err := manager.Apply(base, configuration, step.Manager, step.Force)
		if err != nil {
			step.Error = failure(err)
			return nil
		}
		step.Fields = fieldsOf(object)
		return world.Write(object, version)
	case "create", "update":
		wanted := step.Whole
		if wanted == nil {
			wanted = merged(copied(before), step.Patch).(map[string]any)
			wanted["apiVersion"], wanted["kind"] = step.APIVersion, version.Kind
		}
		object := world.Read(copied(wanted))
		step.Object = world.Write(object.DeepCopyObject(), version)
		updated := manager.UpdateNoErrors(base, object, step.Manager)
		step.Fields = fieldsOf(updated)
		return world.Write(updated, version)
	}
	log.Fatalf("no operation %q", step.Op)
	return nil
}

// fieldsOf gives the texts of an object that is no tree: trees have lost their order.
func fieldsOf(object runtime.Object) []string {
	if _, ok := object.(*unstructured.Unstructured); ok {
		return nil
	}
	accessor, err := meta.Accessor(object)
	check(err)
	out := []string{}
	for _, entry := range accessor.GetManagedFields() {
		out = append(out, string(entry.FieldsV1.Raw))
	}
	return out
}

func failure(err error) *Failure {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return &Failure{Code: 500, Message: err.Error()}
	}
	s := status.Status()
	out := &Failure{Code: s.Code, Reason: string(s.Reason), Message: s.Message}
	if s.Details != nil {
		for _, cause := range s.Details.Causes {
			out.Causes = append(out.Causes, Cause{Message: cause.Message, Field: cause.Field})
		}
		sort.SliceStable(out.Causes, func(i, j int) bool { return out.Causes[i].Message < out.Causes[j].Message })
	}
	return out
}

// stamped puts the step's time where the reference took the clock's.
func stamped(object map[string]any, now string) map[string]any {
	for _, entry := range entries(object) {
		if at, ok := entry["time"].(string); ok && at > "2026-02" {
			entry["time"] = now
		}
	}
	return object
}

func entries(object map[string]any) []map[string]any {
	meta, _ := object["metadata"].(map[string]any)
	list, _ := meta["managedFields"].([]any)
	out := []map[string]any{}
	for _, entry := range list {
		out = append(out, entry.(map[string]any))
	}
	return out
}

// merged is RFC 7386.
func merged(target any, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	object, ok := target.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	for name, value := range changes {
		if value == nil {
			delete(object, name)
		} else {
			object[name] = merged(object[name], value)
		}
	}
	return object
}

func printed(object any) map[string]any {
	data, err := json.Marshal(object)
	check(err)
	return parse(string(data))
}
