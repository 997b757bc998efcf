package main

import "fmt"

func widget(apiVersion, rest string) map[string]any {
	return parse(fmt.Sprintf(`{"apiVersion": "example.com/%s", "kind": "Widget", "metadata": {"name": "w"}, %s}`, apiVersion, rest))
}

func applied(manager, version, rest string) Step {
	return Step{Op: "apply", Manager: manager, APIVersion: group + "/" + version, Patch: widget(version, rest)}
}

func forced(manager, version, rest string) Step {
	step := applied(manager, version, rest)
	step.Force = true
	return step
}

func created(manager, version, rest string) Step {
	return Step{Op: "create", Manager: manager, APIVersion: group + "/" + version, Whole: widget(version, rest)}
}

func updated(manager, version, patch string) Step {
	return Step{Op: "update", Manager: manager, APIVersion: group + "/" + version, Patch: parse(patch)}
}

func (s Step) with(schemas map[string]string) Step {
	s.Schemas = schemas
	return s
}

func (s Step) through(subresource string, ignored ...string) Step {
	s.Subresource = subresource
	s.Ignored = map[string][]string{"example.com/v1": ignored, "example.com/v1beta1": ignored}
	return s
}

var widgets = map[string]string{"v1": "widget", "v1beta1": "widget-beta"}

func custom(name string, schemas map[string]string, steps ...Step) Scenario {
	return run(newCustomWorld("Widget", schemas), Scenario{Name: name, Kind: "Widget", Schemas: schemas, Steps: steps})
}

func schemaV1(name string) map[string]string { return map[string]string{"v1": name} }

func customScenarios() []Scenario {
	many := []Step{created("m0", "v1", `"spec": {"labels": {"k0": "v"}}`)}
	for i := 1; i <= 14; i++ {
		many = append(many, updated(fmt.Sprintf("m%d", i), "v1", fmt.Sprintf(`{"spec": {"labels": {"k%d": "v"}}}`, i)))
	}
	mixed := []Step{created("n0", "v1", `"spec": {"labels": {"k0": "v"}}`)}
	for i := 1; i <= 13; i++ {
		version := []string{"v1", "v1beta1"}[i%2]
		mixed = append(mixed, updated(fmt.Sprintf("n%d", i), version, fmt.Sprintf(`{"spec": {"labels": {"k%d": "v"}}}`, i)))
	}
	return []Scenario{
		custom("fields are given up, shared and conflicted", widgets,
			applied("one", "v1", `"spec": {"labels": {"a": "1", "b": "2"}}`),
			applied("two", "v1", `"spec": {"labels": {"a": "9"}}`),
			applied("two", "v1", `"spec": {"labels": {"a": "9", "b": "9"}}`),
			applied("two", "v1", `"spec": {"labels": {"a": "1"}}`),
			applied("three", "v1", `"spec": {"labels": {"a": "9", "b": "9"}}`),
			forced("two", "v1", `"spec": {"labels": {"a": "9"}}`),
			applied("one", "v1", `"spec": {"labels": {"b": "2"}}`),
			applied("one", "v1", `"spec": {}`),
			applied("two", "v1", `"spec": {}`),
			applied("two", "v1", `"status": {}`),
		),
		custom("an apply that changes nothing moves no time", widgets,
			applied("one", "v1", `"spec": {"name": "x", "tags": ["b", "a"]}`),
			applied("one", "v1", `"spec": {"tags": ["b", "a"], "name": "x"}`),
			applied("two", "v1", `"spec": {"name": "x"}`),
			applied("two", "v1", `"spec": {"name": "x", "tags": ["a"]}`),
		),
		custom("sets", widgets,
			created("u", "v1", `"spec": {"tags": ["a", "b", "c"], "numbers": [3, 1, 20, 10]}`),
			applied("one", "v1", `"spec": {"tags": ["c", "x", "a"], "numbers": [20, 5]}`),
			applied("one", "v1", `"spec": {"tags": ["y", "c"]}`),
			updated("u", "v1", `{"spec": {"tags": ["c", "z"], "numbers": [1]}}`),
			applied("one", "v1", `"spec": {"tags": []}`),
			applied("one", "v1", `"spec": {"tags": ["q", "q"]}`),
			applied("one", "v1", `"spec": {"tags": ["q", null]}`),
			applied("one", "v1", `"spec": {"tags": [["q"]]}`),
			applied("one", "v1", `"spec": {"tags": [{"a": "b"}]}`),
		),
		custom("lists of items with keys", widgets,
			applied("one", "v1", `"spec": {"ports": [{"port": 80, "name": "http"}, {"port": 80, "protocol": "UDP"}], "items": [{"name": "a", "value": 1, "tags": ["t"]}]}`),
			updated("u", "v1", `{"spec": {"items": [{"name": "b"}, {"name": "a", "value": 1, "tags": ["t", "u"], "piece": {"a": "1"}}]}}`),
			applied("two", "v1", `"spec": {"ports": [{"port": 443}, {"port": 80, "name": "web"}]}`),
			forced("two", "v1", `"spec": {"ports": [{"port": 443}, {"port": 80, "name": "web"}]}`),
			applied("one", "v1", `"spec": {"items": [{"name": "a"}], "ports": []}`),
			applied("one", "v1", `"spec": {"items": [{"name": "c", "inner": [{"key": "k", "text": "x"}]}, {"name": "b"}]}`),
			applied("one", "v1", `"spec": {"items": [{"value": 1}]}`),
			applied("one", "v1", `"spec": {"items": [{"name": "a"}, {"name": "a"}]}`),
			applied("one", "v1", `"spec": {"items": [null]}`),
			applied("one", "v1", `"spec": {"items": ["a"]}`),
			applied("one", "v1", `"spec": {"ports": [{"port": 1}, {"port": 1, "protocol": "TCP"}]}`),
		),
		custom("items that are there twice", widgets,
			created("u", "v1", `"spec": {"tags": ["a", "a", "b"], "items": [{"name": "a", "value": 1}, {"name": "a", "value": 2}]}`),
			updated("v", "v1", `{"spec": {"tags": ["a", "b"], "items": [{"name": "a", "value": 1}]}}`),
			updated("w", "v1", `{"spec": {"tags": ["b", "b", "a"], "items": [{"name": "a", "value": 3}, {"name": "a", "value": 2}]}}`),
			updated("x", "v1", `{"spec": {"items": [{"name": "a", "value": 4}, {"name": "a", "value": 2}]}}`),
			applied("one", "v1", `"spec": {"tags": ["b", "c"]}`),
			forced("one", "v1", `"spec": {"items": [{"name": "a", "value": 9}]}`),
		),
		custom("atomic lists, maps and structs", widgets,
			applied("one", "v1", `"spec": {"rows": [{"a": "1"}, {"a": "2"}], "selector": {"x": "y"}, "items": [{"name": "i", "piece": {"a": "1"}}]}`),
			updated("u", "v1", `{"spec": {"selector": {"z": "y"}}}`),
			applied("two", "v1", `"spec": {"rows": [{"a": "1"}]}`),
			forced("two", "v1", `"spec": {"rows": [{"a": "1"}], "items": [{"name": "i", "piece": {"b": "1"}}]}`),
			applied("two", "v1", `"spec": {"items": [{"name": "i"}]}`),
		),
		custom("what has no schema within one that has", widgets,
			applied("one", "v1", `"spec": {"any": {"a": {"b": [1, 2], "c": {"d": true}}}, "open": {"x": {"y": "z"}, "l": [{"m": 1}]}}`),
			applied("two", "v1", `"spec": {"any": {"a": {"b": [1]}}}`),
			forced("two", "v1", `"spec": {"any": {"a": {"b": [1], "e": null}}, "open": {"x": {"w": ""}}}`),
			applied("one", "v1", `"spec": {"any": "text"}`),
			forced("one", "v1", `"spec": {"any": "text"}`),
			updated("u", "v1", `{"spec": {"any": [1, 2]}}`),
			updated("v", "v1", `{"spec": {"any": {"k": 1}}}`),
			updated("u", "v1", `{"spec": {"any": 5}}`),
		),
		custom("nulls and empties", widgets,
			created("u", "v1", `"spec": {"nested": {}, "tags": [], "labels": {}, "rows": [], "groups": {"g": {}}, "items": [{"name": "a", "tags": [], "inner": []}]}`),
			applied("one", "v1", `"spec": {"nested": null, "tags": null, "labels": null, "name": null, "rows": null, "items": null, "any": null, "ratio": null}`),
			applied("two", "v1", `"spec": {"nested": {}, "labels": {}, "groups": {"g": null, "h": {}}, "selector": {}, "rows": []}`),
			updated("v", "v1", `{"spec": {"nested": {"b": {}}, "labels": {"a": ""}, "flag": false, "replicas": 0}}`),
			applied("two", "v1", `"spec": {}`),
			applied("one", "v1", `"spec": null`),
			applied("one", "v1", `"spec": {"nested": {"b": null}}`),
		),
		custom("versions", widgets,
			applied("one", "v1", `"spec": {"replicas": 1, "name": "x"}`),
			updated("u", "v1beta1", `{"spec": {"count": 2}}`),
			applied("two", "v1beta1", `"spec": {"count": 3, "name": "y"}`),
			forced("two", "v1beta1", `"spec": {"count": 3}`),
			applied("one", "v1beta1", `"spec": {"name": "x"}`),
			applied("one", "v1", `"spec": {"flag": true}`),
			updated("u", "v1", `{"spec": {"replicas": 4, "labels": {"a": "b"}}}`),
			applied("two", "v1", `"spec": {}`),
		),
		custom("a version that is not known any more", widgets,
			applied("one", "v1beta1", `"spec": {"count": 1}`),
			updated("u", "v1beta1", `{"spec": {"name": "x"}}`),
			updated("w", "v1", `{"spec": {"flag": true}}`),
			updated("v", "v1", `{"spec": {"name": "y"}}`).with(schemaV1("widget")),
			applied("one", "v1", `"spec": {"replicas": 5}`),
		),
		custom("an applier of a version that is not known any more", widgets,
			applied("one", "v1beta1", `"spec": {"count": 1, "name": "x"}`),
			applied("one", "v1", `"spec": {"replicas": 5}`).with(schemaV1("widget")),
		),
		custom("parts of an object", widgets,
			created("u", "v1", `"spec": {"name": "a"}, "status": {"phase": "x"}`).through("", "status"),
			updated("k", "v1", `{"status": {"phase": "y", "conditions": [{"type": "Ready", "status": "True"}]}, "spec": {"name": "b"}}`).through("status", "spec", "metadata"),
			updated("k", "v1", `{"spec": {"replicas": 2}, "status": {"phase": "z"}}`).through("", "status"),
			applied("k", "v1", `"status": {"conditions": [{"type": "Ready", "status": "False"}]}`).through("status", "spec", "metadata"),
			forced("k", "v1", `"status": {"conditions": [{"type": "Ready", "status": "False"}]}`).through("status", "spec", "metadata"),
			applied("k", "v1", `"spec": {"replicas": 2}, "status": {"phase": "w"}`).through("", "status"),
			applied("j", "v1", `"spec": {"replicas": 3}`).through("", "status"),
		),
		custom("an object that was never tracked", widgets,
			created("u", "v1", `"spec": {"name": "a", "labels": {"k": "v"}, "items": [{"name": "i", "value": 1}]}`),
			updated("u", "v1", `{"metadata": {"managedFields": [{}]}}`),
			updated("u", "v1", `{"spec": {"name": "b"}}`),
			applied("one", "v1", `"spec": {"name": "c"}`),
			forced("one", "v1", `"spec": {"name": "c", "labels": {"k": "v"}}`),
			applied("one", "v1", `"spec": {"labels": {"k": "v"}}`),
		),
		custom("what is there already and applied in a part", widgets,
			created("u", "v1", `"spec": {"name": "a"}, "status": {"phase": "x"}`),
			updated("u", "v1", `{"metadata": {"managedFields": [{}]}}`),
			forced("one", "v1", `"status": {"phase": "y"}`).through("status", "spec", "metadata"),
		),
		custom("entries that a client sends", widgets,
			created("u", "v1", `"spec": {"name": "a", "labels": {"k": "v", "l": "w"}}`),
			updated("u", "v1", `{"metadata": {"managedFields": [{"manager": "z", "operation": "Update", "apiVersion": "example.com/v1", "time": "2025-01-01T00:00:00Z", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:name": {}, "f:labels": {"f:l": {}, "f:k": {}, ".": {}}, "x:future": {}}, "f:metadata": {"f:name": {}}}}]}}`),
			updated("u", "v1", `{"metadata": {"managedFields": [{"manager": "z", "operation": "Other", "apiVersion": "example.com/v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {}}}]}, "spec": {"name": "b"}}`),
			updated("u", "v1", `{"metadata": {"managedFields": [{"manager": "z", "operation": "Update", "apiVersion": "example.com/v1", "fieldsType": "FieldsV2", "fieldsV1": {"f:spec": {}}}]}, "spec": {"name": "c"}}`),
			updated("u", "v1", `{"metadata": {"managedFields": [{"manager": "z", "operation": "Update", "apiVersion": "example.com/v1", "fieldsType": "FieldsV1", "fieldsV1": {"spec": {}}}]}, "spec": {"name": "d"}}`),
			updated("u", "v1", `{"metadata": {"managedFields": [{"manager": "z", "operation": "Apply", "apiVersion": "example.com/v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:name": {}}}}, {"manager": "z", "operation": "Apply", "apiVersion": "example.com/v1beta1", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:labels": {"f:k": {}}}}}, {"operation": "Update", "apiVersion": "example.com/v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:labels": {"f:l": {}}}}}]}}`),
			updated("", "v1", `{"spec": {"labels": {"m": "n"}}}`),
			updated("u", "v1", `{"metadata": {"managedFields": null}, "spec": {"name": "e"}}`),
			applied("z", "v1", `"spec": {"flag": true}`),
		),
		custom("more than ten who update", widgets, many...),
		custom("more than ten who update, in two versions", widgets, mixed...),
		custom("from granular to atomic", schemaV1("granular"),
			applied("one", "v1", `"spec": {"struct": {"a": "1", "c": {"d": "e"}}, "map": {"a": "1"}, "list": [{"name": "a", "value": "1"}]}`),
			applied("two", "v1", `"spec": {"struct": {"b": "1"}, "map": {"b": "1"}, "list": [{"name": "b"}]}`),
			updated("u", "v1", `{"metadata": {"labels": {"x": "y"}}}`).with(schemaV1("atomic")),
			applied("one", "v1", `"spec": {"struct": {"a": "1"}, "map": {"a": "1"}, "list": [{"name": "a", "value": "1"}]}`),
			forced("one", "v1", `"spec": {"struct": {"a": "1"}, "map": {"a": "1"}, "list": [{"name": "a", "value": "1"}]}`),
		),
		custom("from atomic to granular", schemaV1("atomic"),
			applied("one", "v1", `"spec": {"struct": {"a": "1", "b": "1"}, "map": {"a": "1", "b": "1"}, "list": [{"name": "a", "value": "1"}, {"name": "b"}]}`),
			applied("two", "v1", `"spec": {"struct": {"a": "2"}, "map": {"a": "2"}, "list": [{"name": "a", "value": "2"}]}`).with(schemaV1("granular")),
			updated("u", "v1", `{"spec": {"map": {"c": "3"}}}`),
			applied("one", "v1", `"spec": {"struct": {"a": "2"}, "map": {"a": "2"}, "list": [{"name": "a", "value": "2"}]}`),
		),
		custom("from a set to an atomic list and back", schemaV1("set"),
			applied("one", "v1", `"spec": {"set": ["a"]}`),
			applied("two", "v1", `"spec": {"set": ["b"]}`),
			applied("two", "v1", `"spec": {"set": ["b"], "other": "x"}`).with(schemaV1("listed")),
			forced("two", "v1", `"spec": {"set": ["b"], "other": "x"}`),
			applied("one", "v1", `"spec": {"set": ["c"]}`).with(schemaV1("set")),
		),
		custom("without a schema", schemaV1(""),
			applied("one", "v1", `"spec": {"a": {"b": [1, {"c": 2}]}, "n": null, "e": {}, "l": []}`),
			applied("two", "v1", `"spec": {"a": {"b": [1]}, "x": 1.5}`),
			forced("two", "v1", `"spec": {"a": {"b": [1]}, "x": 1.5}`),
			updated("u", "v1", `{"spec": {"a": "text"}}`),
			applied("one", "v1", `"spec": {"e": {}}`),
		),
		custom("unknown fields that are kept", schemaV1("loose"),
			applied("one", "v1", `"spec": {"known": "a", "list": ["x"], "extra": {"deep": [1]}}, "free": {"a": {"b": "c"}}`),
			applied("one", "v1", `"spec": {"extra": {"deeper": 1}}, "free": {"a": {}}`),
			applied("one", "v1", `"other": 1`),
		),
		custom("keys of several kinds", schemaV1("keyless"),
			applied("one", "v1", `"spec": {"list": [{"a": "x<y>&\"\\ü", "c": true}, {"a": "", "b": 2}, {"a": "x", "b": 10}, {"a": "x", "b": 9}]}`),
			applied("one", "v1", `"spec": {"list": [{"a": "x", "b": 9, "c": false}]}`),
			applied("two", "v1", `"spec": {"list": [{"b": 9}]}`),
			applied("two", "v1", `"spec": {"list": [{"a": "x", "b": 9, "c": true}]}`),
			forced("two", "v1", `"spec": {"list": [{"a": "line\nbreak\u0001\u2028", "b": 1e21}, {"a": "t", "b": 0.0000001}]}`),
		),
		custom("names of many kinds", widgets,
			applied("one", "v1", `"spec": {"labels": {"a/b": "1", "a.b": "2", "é": "3", "<": "4", "": "5", "0": "6", "__proto__": "7", "constructor": "8", "Z": "9", "\uffee": "x", "😀": "y", ".": "z", "f:": "w"}, "tags": ["<b>", "é", "😀", "\uffee", "a b", ""]}`),
			updated("u", "v1", `{"spec": {"labels": {"constructor": "changed", "toString": "new", "\"q\"": "1"}, "tags": ["<b>"]}}`),
			applied("one", "v1", `"spec": {"labels": {"constructor": "8", "<": "5"}}`),
			applied("a \"b\" é\t", "v1", `"spec": {"name": "n"}`),
			applied("two", "v1", `"spec": {"name": "m"}`),
		),
		custom("configurations that do not fit", widgets,
			applied("one", "v1", `"spec": {"nope": 1}`),
			applied("one", "v1", `"spec": {"nested": {"b": {"nope": 1}}}`),
			applied("one", "v1", `"spec": {"items": [{"name": "a", "nope": 1}]}`),
			applied("one", "v1", `"spec": {"ports": [{"port": 1, "options": {"a": "b"}, "nope": {}}]}`),
			applied("one", "v1", `"spec": {"rows": [{"a": "b"}, {"nope": 1}]}`),
			applied("one", "v1", `"spec": {"replicas": "x"}`),
			applied("one", "v1", `"spec": {"name": 1}`),
			applied("one", "v1", `"spec": {"flag": "x", "name": 1}`),
			applied("one", "v1", `"spec": {"tags": "x"}`),
			applied("one", "v1", `"spec": {"nested": []}`),
			applied("one", "v1", `"spec": {"nested": "x"}`),
			Step{Op: "apply", Manager: "one", APIVersion: "example.com/v1", Patch: parse(`{"apiVersion": "example.com/v1beta1", "kind": "Widget", "metadata": {"name": "w"}}`)},
			Step{Op: "apply", Manager: "one", APIVersion: "example.com/v1", Patch: parse(`{"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "w"}}`)},
			Step{Op: "apply", Manager: "one", APIVersion: "example.com/v1", Patch: parse(`{"apiVersion": "a/b/c", "kind": "Widget", "metadata": {"name": "w"}}`)},
			Step{Op: "apply", Manager: "one", APIVersion: "example.com/v1", Patch: parse(`{"kind": "Widget", "metadata": {"name": "w"}}`)},
			Step{Op: "apply", Manager: "one", APIVersion: "example.com/v1", Patch: parse(`{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w", "managedFields": []}}`)},
			Step{Op: "apply", Manager: "one", APIVersion: "example.com/v1", Patch: parse(`{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w", "namespace": "n", "nope": 1}}`)},
		),
		custom("metadata", widgets,
			applied("one", "v1", `"metadata": {"name": "w", "labels": {"a": "b"}, "annotations": {"c": "d"}, "finalizers": ["f/g"], "ownerReferences": [{"uid": "1", "name": "x"}]}`),
			updated("u", "v1", `{"metadata": {"generation": 3, "resourceVersion": "12", "labels": {"a": "c"}, "finalizers": ["f/h"], "ownerReferences": [{"uid": "1", "name": "y"}, {"uid": "2"}]}}`),
			applied("one", "v1", `"metadata": {"name": "w", "resourceVersion": "12", "uid": "u1"}`),
		),
		custom("from applying on the client's side", widgets,
			created("kubectl-client-side-apply", "v1", `"metadata": {"name": "w", "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"w\"},\"spec\":{\"name\":\"a\",\"replicas\":1,\"labels\":{\"k\":\"v\"}}}"}}, "spec": {"name": "a", "replicas": 1, "labels": {"k": "v"}}`),
			updated("other", "v1", `{"spec": {"replicas": 2}}`),
			applied("one", "v1", `"spec": {"name": "b"}`),
			applied("kubectl", "v1", `"spec": {"name": "b", "replicas": 3}`),
			applied("kubectl", "v1", `"spec": {"name": "b<&>"}`),
			applied("kubectl", "v1", `"metadata": {"name": "w", "annotations": {"x": "y", "kubectl.kubernetes.io/last-applied-configuration": "z"}}, "spec": {"name": "c"}`),
			forced("kubectl", "v1", `"metadata": {"name": "w", "annotations": {"x": "y"}}, "spec": {"name": "c", "ratio": 2.50, "any": [1, "z"]}`),
		),
		custom("an annotation of the client's that can not be used", widgets,
			created("u", "v1", `"metadata": {"name": "w", "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{\"apiVersion\":\"example.com/v1beta1\",\"kind\":\"Widget\",\"spec\":{\"name\":\"a\"}}"}}, "spec": {"name": "a"}`),
			applied("kubectl", "v1", `"spec": {"name": "b"}`),
		),
		custom("ownership is handed over", widgets,
			applied("user", "v1", `"spec": {"replicas": 3, "name": "x"}`),
			applied("handover", "v1", `"spec": {"replicas": 3}`),
			applied("user", "v1", `"spec": {"name": "x"}`),
			updated("controller", "v1", `{"spec": {"replicas": 5}}`),
			applied("user", "v1", `"spec": {"name": "x", "nested": {"b": {"c": "d"}}}`),
			applied("user", "v1", `"spec": {"name": "x", "nested": {"a": "b"}}`),
			applied("user", "v1", `"spec": {"name": "x"}`),
		),
		custom("unowned parts stay when what holds them is given up", widgets,
			applied("one", "v1", `"spec": {"items": [{"name": "a", "value": 1}, {"name": "b", "value": 2}], "groups": {"g": {"x": "1"}}}`),
			updated("u", "v1", `{"spec": {"items": [{"name": "a", "value": 1, "tags": ["t"]}, {"name": "b", "value": 2}], "groups": {"g": {"y": "2"}}}}`),
			applied("one", "v1", `"spec": {"items": [{"name": "b", "value": 2}]}`),
			applied("one", "v1", `"spec": {"items": []}`),
			updated("u", "v1", `{"spec": {"items": null}}`),
		),
	}
}
