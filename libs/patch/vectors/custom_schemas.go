package main

// The schemas of the custom kinds, by name. The tests compile the same texts.
var customSchemas = map[string]map[string]any{
	"widget":      parse(object(`"spec": ` + widgetSpec + `, "status": ` + widgetStatus)),
	"widget-beta": parse(object(`"spec": ` + widgetBetaSpec + `, "status": ` + widgetStatus)),
	// The same with what was granular atomic, and the other way round.
	"widget-turned":      turned(parse(object(`"spec": ` + widgetSpec + `, "status": ` + widgetStatus))).(map[string]any),
	"widget-turned-beta": turned(parse(object(`"spec": ` + widgetBetaSpec + `, "status": ` + widgetStatus))).(map[string]any),
	"atomic":             parse(object(`"spec": ` + topologySpec("atomic", "atomic"))),
	"granular":           parse(object(`"spec": ` + topologySpec("granular", "map"))),
	"set":                parse(object(`"spec": ` + setSpec("set"))),
	"listed":             parse(object(`"spec": ` + setSpec("atomic"))),
	"loose":              parse(object(`"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {"known": {"type": "string"}, "list": {"type": "array", "items": {"type": "string"}}}}, "free": {"type": "object"}`)),
	"keyless":            parse(object(`"spec": {"type": "object", "properties": {"list": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a", "b"], "items": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer", "default": 7}, "c": {"type": "boolean"}}}}}}`)),
}

func object(properties string) string {
	return `{"type": "object", "properties": {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": ` + metadata + `, ` + properties + `}}`
}

const metadata = `{"type": "object", "properties": {
	"name": {"type": "string"}, "namespace": {"type": "string"}, "uid": {"type": "string"}, "generateName": {"type": "string"},
	"resourceVersion": {"type": "string"}, "generation": {"type": "integer"}, "creationTimestamp": {"type": "string", "format": "date-time"},
	"labels": {"type": "object", "additionalProperties": {"type": "string"}},
	"annotations": {"type": "object", "additionalProperties": {"type": "string"}},
	"finalizers": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
	"ownerReferences": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["uid"], "items": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"uid": {"type": "string"}, "name": {"type": "string"}}}},
	"managedFields": {"type": "array", "x-kubernetes-list-type": "atomic", "items": {"type": "object"}}
}}`

const widgetFields = `
	"name": {"type": "string"},
	"flag": {"type": "boolean"},
	"ratio": {"type": "number"},
	"when": {"type": "string", "format": "date-time"},
	"tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
	"numbers": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "integer"}},
	"ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"], "items": {"type": "object", "properties": {
		"port": {"type": "integer"}, "protocol": {"type": "string", "default": "TCP"}, "name": {"type": "string"},
		"options": {"type": "object", "additionalProperties": {"type": "string"}}}}},
	"items": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": {"type": "object", "properties": {
		"name": {"type": "string"}, "value": {"type": "integer"},
		"tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
		"inner": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["key"], "items": {"type": "object", "properties": {"key": {"type": "string"}, "text": {"type": "string"}}}},
		"piece": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}}}},
	"rows": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}},
	"selector": {"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": {"type": "string"}},
	"labels": {"type": "object", "additionalProperties": {"type": "string"}},
	"groups": {"type": "object", "additionalProperties": {"type": "object", "properties": {"x": {"type": "string"}, "y": {"type": "string"}}}},
	"nested": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "object", "properties": {"c": {"type": "string"}, "d": {"type": "integer"}}}}},
	"any": {"x-kubernetes-preserve-unknown-fields": true},
	"open": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}`

const widgetSpec = `{"type": "object", "properties": {"replicas": {"type": "integer"}, ` + widgetFields + `}}`
const widgetBetaSpec = `{"type": "object", "properties": {"count": {"type": "integer"}, ` + widgetFields + `}}`
const widgetStatus = `{"type": "object", "properties": {"phase": {"type": "string"}, "conditions": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"], "items": {"type": "object", "properties": {"type": {"type": "string"}, "status": {"type": "string"}}}}}}`

func topologySpec(mapType, listType string) string {
	keys := ""
	if listType == "map" {
		keys = `, "x-kubernetes-list-map-keys": ["name"]`
	}
	return `{"type": "object", "properties": {
		"struct": {"type": "object", "x-kubernetes-map-type": "` + mapType + `", "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "object", "properties": {"d": {"type": "string"}}}}},
		"map": {"type": "object", "x-kubernetes-map-type": "` + mapType + `", "additionalProperties": {"type": "string"}},
		"list": {"type": "array", "x-kubernetes-list-type": "` + listType + `"` + keys + `, "items": {"type": "object", "properties": {"name": {"type": "string"}, "value": {"type": "string"}}}}
	}}`
}

func setSpec(listType string) string {
	return `{"type": "object", "properties": {"set": {"type": "array", "x-kubernetes-list-type": "` + listType + `", "items": {"type": "string"}}, "other": {"type": "string"}}}`
}

func turned(value any) any {
	schema, ok := value.(map[string]any)
	if !ok {
		return value
	}
	out := map[string]any{}
	for name, below := range schema {
		if name != "metadata" {
			below = turned(below)
		}
		out[name] = below
	}
	switch {
	case out["x-kubernetes-map-type"] == "atomic":
		out["x-kubernetes-map-type"] = "granular"
	case out["x-kubernetes-list-type"] == "set" || out["x-kubernetes-list-type"] == "map":
		out["x-kubernetes-list-type"] = "atomic"
		delete(out, "x-kubernetes-list-map-keys")
	case out["additionalProperties"] != nil:
		out["x-kubernetes-map-type"] = "atomic"
	}
	return out
}
