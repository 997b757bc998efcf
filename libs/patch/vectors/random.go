package main

import (
	"fmt"
	"math/rand"
	"sort"
)

// randomScenarios are sequences of random writes to widgets, the same for the same number each time.
func randomScenarios(count int) []Scenario {
	scenarios := []Scenario{}
	for i := 0; i < count; i++ {
		random := &randomizer{Rand: rand.New(rand.NewSource(int64(i))), schemas: widgets}
		steps := []Step{}
		for n := 3 + random.Intn(6); n > 0; n-- {
			steps = append(steps, random.step(len(steps) == 0))
		}
		scenarios = append(scenarios, custom(fmt.Sprintf("random %d", i), widgets, steps...))
	}
	return scenarios
}

type randomizer struct {
	*rand.Rand
	schemas map[string]string
	// twice says that an item may be there twice.
	twice bool
}

func (r *randomizer) step(first bool) Step {
	step := Step{}
	if !first && r.Intn(8) == 0 {
		// The versions' types change: in topology, or one is not there any more.
		r.schemas = []map[string]string{widgets, {"v1": "widget-turned", "v1beta1": "widget-turned-beta"}, {"v1": "widget"}}[r.Intn(3)]
		step.Schemas = r.schemas
	}
	version := "v1"
	if r.schemas["v1beta1"] != "" && r.Intn(4) == 0 {
		version = "v1beta1"
	}
	step.APIVersion = group + "/" + version
	part, ignored := "spec", "status"
	if r.Intn(6) == 0 {
		part, ignored, step.Subresource = "status", "spec", "status"
	}
	step.Ignored = map[string][]string{"example.com/v1": {ignored}, "example.com/v1beta1": {ignored}}
	apply := r.Intn(5) < 3
	r.twice = !apply
	properties := customSchemas[r.schemas[version]]["properties"].(map[string]any)
	content := r.value(properties[part].(map[string]any), 0, false).(map[string]any)
	object := map[string]any{"apiVersion": step.APIVersion, "kind": "Widget", "metadata": map[string]any{"name": "w"}, part: content}
	if r.Intn(4) == 0 {
		object["metadata"].(map[string]any)["labels"] = map[string]any{"l": []string{"x", "y"}[r.Intn(2)]}
	}
	switch {
	case apply:
		step.Op, step.Manager, step.Force, step.Patch = "apply", fmt.Sprintf("a%d", r.Intn(3)), r.Intn(2) == 0, object
	case first:
		step.Op, step.Manager, step.Whole = "create", "u0", object
	default:
		step.Op, step.Manager = "update", fmt.Sprintf("u%d", r.Intn(3))
		step.Patch = map[string]any{part: r.some(content, 3)}
	}
	return step
}

// some keeps at most a number of entries, and now and then takes others away.
func (r *randomizer) some(object map[string]any, most int) map[string]any {
	out := map[string]any{}
	for _, name := range sortedNames(object) {
		if len(out) < most && r.Intn(2) == 0 {
			out[name] = object[name]
			if r.Intn(5) == 0 {
				out[name] = nil
			}
		}
	}
	return out
}

func sortedNames[T any](object map[string]T) []string {
	names := []string{}
	for name := range object {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// value makes up something that fits a schema.
func (r *randomizer) value(schema map[string]any, depth int, key bool) any {
	if !key && depth > 0 && r.Intn(30) == 0 {
		return nil
	}
	switch schema["type"] {
	case "string":
		if schema["format"] == "date-time" {
			return fmt.Sprintf("2025-01-0%dT00:00:00Z", 1+r.Intn(2))
		}
		return []string{"x", "y", "z"}[r.Intn(3)]
	case "integer":
		return float64(r.Intn(3))
	case "number":
		return []float64{0.5, 1, 2}[r.Intn(3)]
	case "boolean":
		return r.Intn(2) == 0
	case "object":
		return r.object(schema, depth)
	case "array":
		return r.list(schema, depth)
	}
	return []any{"text", 1.0, []any{1.0}, map[string]any{"a": "b"}, map[string]any{"a": map[string]any{"c": []any{}}}, map[string]any{"d": nil}}[r.Intn(6)]
}

func (r *randomizer) object(schema map[string]any, depth int) map[string]any {
	out := map[string]any{}
	if properties, ok := schema["properties"].(map[string]any); ok {
		for _, name := range sortedNames(properties) {
			if r.Intn(3) == 0 || (depth > 0 && r.Intn(2) == 0) {
				out[name] = r.value(properties[name].(map[string]any), depth+1, false)
			}
		}
		return out
	}
	element, ok := schema["additionalProperties"].(map[string]any)
	if !ok {
		element = map[string]any{}
	}
	for n := r.Intn(3); n > 0; n-- {
		out[[]string{"k", "l", "m"}[r.Intn(3)]] = r.value(element, depth+1, false)
	}
	return out
}

func (r *randomizer) list(schema map[string]any, depth int) []any {
	items := schema["items"].(map[string]any)
	kind, _ := schema["x-kubernetes-list-type"].(string)
	keys, _ := schema["x-kubernetes-list-map-keys"].([]any)
	seen := map[string]bool{}
	out := []any{}
	for n := r.Intn(4); n > 0; n-- {
		item := r.value(items, depth+1, true)
		identity := fmt.Sprint(item)
		if kind == "map" {
			object := item.(map[string]any)
			identity = ""
			for _, key := range keys {
				property := items["properties"].(map[string]any)[key.(string)].(map[string]any)
				if property["default"] == nil || r.Intn(2) == 0 {
					object[key.(string)] = r.value(property, depth+1, true)
				} else {
					delete(object, key.(string))
				}
				value := object[key.(string)]
				if value == nil {
					value = property["default"]
				}
				identity += fmt.Sprint(value, ";")
			}
		}
		if kind != "" && seen[identity] && !(r.twice && r.Intn(4) == 0) {
			continue
		}
		seen[identity] = true
		out = append(out, item)
	}
	return out
}
