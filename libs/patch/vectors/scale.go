package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"
)

// scaleVectors are entries of parents and of their scales, both ways.
func scaleVectors() []map[string]any {
	replicas := fieldpath.MakePathOrDie("spec", "replicas")
	mappings := managedfields.ResourcePathMappings{"apps/v1beta1": replicas, "apps/v1": replicas, "example.com/v1": nil}
	entry := func(manager, operation, version, time, subresource, fields string) string {
		out := `{"manager": "` + manager + `", "operation": "` + operation + `", "apiVersion": "` + version + `", "fieldsType": "FieldsV1", "fieldsV1": ` + fields
		if time != "" {
			out += `, "time": "` + time + `"`
		}
		if subresource != "" {
			out += `, "subresource": "` + subresource + `"`
		}
		return out + "}"
	}
	const both, one, none = `{"f:spec": {"f:replicas": {}, "f:selector": {}}}`, `{"f:spec": {"f:replicas": {}}}`, `{"f:spec": {"f:selector": {}}}`
	const early, late = "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"
	rows := []struct{ parent, scale string }{
		{`[]`, `[]`},
		{`[` + entry("a", "Apply", "apps/v1", early, "", both) + `]`, `[]`},
		{`[` + entry("a", "Apply", "apps/v1", early, "", one) + `]`, `[]`},
		{`[` + entry("a", "Update", "apps/v1", early, "", none) + `]`, `[` + entry("b", "Update", "autoscaling/v1", late, "scale", one) + `]`},
		{`[` + entry("a", "Apply", "apps/v1", early, "", both) + `]`, `[` + entry("a", "Apply", "autoscaling/v1", early, "", one) + `]`},
		{`[` + entry("a", "Apply", "apps/v1", early, "", both) + `,` + entry("u", "Update", "apps/v1beta1", late, "", one) + `]`, `[` + entry("u", "Update", "autoscaling/v1", late, "", one) + `,` + entry("v", "Apply", "autoscaling/v1", late, "scale", one) + `]`},
		{`[` + entry("a", "Apply", "apps/v9", early, "", both) + `,` + entry("c", "Update", "example.com/v1", late, "", both) + `]`, `[` + entry("v", "Update", "autoscaling/v1", late, "scale", `{"f:status": {}}`) + `]`},
	}
	out := []map[string]any{}
	for _, row := range rows {
		var parent, scale []metav1.ManagedFieldsEntry
		decode(row.parent, &parent)
		decode(row.scale, &scale)
		handler := managedfields.NewScaleHandler(parent, schema.GroupVersion{Group: "apps", Version: "v1"}, mappings)
		down, err := handler.ToSubresource()
		check(err)
		up, err := handler.ToParent(scale)
		check(err)
		out = append(out, map[string]any{"parent": parent, "scale": scale, "toScale": down, "toParent": up})
	}
	return out
}
