package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// plainDiscovery holds the document of each version against the list of every version.
func (c *client) plainDiscovery() []error {
	_, lists, err := c.discovery.ServerGroupsAndResources()
	if err != nil {
		return []error{err}
	}
	if len(lists) != len(c.lists) {
		return []error{fmt.Errorf("%d versions instead of %d", len(lists), len(c.lists))}
	}
	return nil
}

// aggregatedDiscovery holds the aggregated documents, one for each root, against the list of every version.
func (c *client) aggregatedDiscovery() (problems []error) {
	_, found, failed, err := c.discovery.GroupsAndMaybeResources()
	if err != nil {
		return []error{err}
	}
	if found == nil {
		// Servers of releases before 1.27 tell each version's resources alone.
		return c.plainDiscovery()
	}
	for version, err := range failed {
		problems = append(problems, fmt.Errorf("%s: %w", version, err))
	}
	if len(found) != len(c.lists) {
		problems = append(problems, fmt.Errorf("%d versions instead of %d", len(found), len(c.lists)))
	}
	for _, list := range c.lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return append(problems, err)
		}
		aggregated := found[version]
		if aggregated == nil {
			problems = append(problems, fmt.Errorf("%s is missing", version))
			continue
		}
		got, want := plain(version, aggregated.APIResources), plain(version, list.APIResources)
		for _, place := range differences("", got, want) {
			problems = append(problems, fmt.Errorf("%s %s", version, place))
		}
	}
	if _, err := c.discovery.ServerPreferredResources(); err != nil {
		problems = append(problems, err)
	}
	return problems
}

// plain is what both forms of discovery tell, by name: the kind with its version, no hashes, and no singular names of
// subresources, which client-go makes up when it takes a document apart.
func plain(version schema.GroupVersion, list []metav1.APIResource) any {
	byName := map[string]any{}
	for _, r := range list {
		r.StorageVersionHash = ""
		if strings.Contains(r.Name, "/") {
			r.SingularName = ""
		}
		if r.Version == "" {
			r.Group, r.Version = version.Group, version.Version
		}
		slices.Sort(r.Verbs)
		byName[r.Name] = treeOf(r)
	}
	return byName
}

const kindsExtension = "x-kubernetes-group-version-kind"

// openAPI2 reads the document as kubectl does, in Protobuf, and looks for every kind.
func (c *client) openAPI2() (problems []error) {
	document, err := c.discovery.OpenAPISchema()
	if err != nil {
		return []error{err}
	}
	var described []metav1.GroupVersionKind
	for _, definition := range document.GetDefinitions().GetAdditionalProperties() {
		for _, extension := range definition.GetValue().GetVendorExtension() {
			if extension.GetName() != kindsExtension {
				continue
			}
			var kinds []metav1.GroupVersionKind
			if err := yaml.Unmarshal([]byte(extension.GetValue().GetYaml()), &kinds); err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", definition.GetName(), err))
			}
			described = append(described, kinds...)
		}
	}
	for _, r := range c.resources {
		if !slices.Contains(described, metav1.GroupVersionKind(r.GroupVersionKind)) {
			problems = append(problems, fmt.Errorf("nothing says that it is %s", r.GroupVersionKind))
		}
	}
	return problems
}

// openAPI3 reads the document of every version as kubectl explain does, and looks for every kind and its path.
func (c *client) openAPI3() (problems []error) {
	paths, err := c.discovery.OpenAPIV3().Paths()
	if err != nil {
		return []error{err}
	}
	documents := map[string]*document3{}
	for _, r := range c.resources {
		at := strings.TrimPrefix(root(r.GroupVersion()), "/")
		if documents[at] == nil {
			documents[at] = &document3{}
			if paths[at] == nil {
				problems = append(problems, fmt.Errorf("%s is missing", at))
				continue
			}
			text, err := paths[at].Schema(jsonType)
			if err == nil {
				err = json.Unmarshal(text, documents[at])
			}
			if err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", at, err))
				continue
			}
		}
		if !documents[at].describes(r.GroupVersionKind) {
			problems = append(problems, fmt.Errorf("nothing says that it is %s", r.GroupVersionKind))
		}
		if _, known := documents[at].Paths[r.collection("{namespace}")]; !known {
			problems = append(problems, fmt.Errorf("no path %s", r.collection("{namespace}")))
		}
	}
	return problems
}

type document3 struct {
	Paths      map[string]any `json:"paths"`
	Components struct {
		Schemas map[string]struct {
			Kinds []metav1.GroupVersionKind `json:"x-kubernetes-group-version-kind"`
		} `json:"schemas"`
	} `json:"components"`
}

func (d *document3) describes(kind schema.GroupVersionKind) bool {
	for _, described := range d.Components.Schemas {
		if slices.Contains(described.Kinds, metav1.GroupVersionKind(kind)) {
			return true
		}
	}
	return false
}
