// A client made of client-go alone: it creates, reads, lists, watches, changes and deletes the objects of a file of
// manifests in every encoding, through every served version, and compares what the Go codecs make of the answers.
// It prints one line for each kind and client, and ends with 1 when something is not as it must be.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	protobufType = "application/vnd.kubernetes.protobuf"
	jsonType     = "application/json"
	cborType     = "application/cbor"
	patience     = 30 * time.Second
)

// mediaTypes are those that the server speaks.
var mediaTypes = []string{protobufType, jsonType}

// manifest is one object and a status that it takes.
type manifest struct {
	// Release is the one that the object is for; empty for all.
	Release string          `json:"release"`
	Object  json.RawMessage `json:"object"`
	Status  map[string]any  `json:"status"`
}

// manifests is the file that all clients of the tests share.
type manifests struct {
	Namespace string     `json:"namespace"`
	Kinds     []manifest `json:"kinds"`
}

func main() {
	config := flag.String("kubeconfig", "", "the client configuration file")
	file := flag.String("manifests", "", "the file of manifests")
	release := flag.String("release", "", "only the manifests that are marked with this release")
	withCBOR := flag.Bool("cbor", false, "the server speaks CBOR")
	flag.Parse()
	if *withCBOR {
		mediaTypes = append(mediaTypes, cborType)
	}
	// Without these client-go quietly says JSON wherever it is asked for CBOR. With a server that has none, the dynamic
	// client has to find its way back to JSON.
	os.Setenv("KUBE_FEATURE_ClientsAllowCBOR", "true")
	os.Setenv("KUBE_FEATURE_ClientsPreferCBOR", "true")
	failed, err := run(*config, *file, *release)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if failed > 0 {
		os.Exit(1)
	}
}

func run(config, file, release string) (failed int, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	var known manifests
	if err := json.Unmarshal(text, &known); err != nil {
		return 0, err
	}
	c, err := newClient(config)
	if err != nil {
		return 0, err
	}
	if err := c.discover(); err != nil {
		return 0, err
	}
	if err := c.ensureNamespace(known.Namespace); err != nil {
		return 0, err
	}
	report := func(name string, problems []error) {
		if len(problems) == 0 {
			fmt.Printf("ok %s\n", name)
			return
		}
		failed++
		fmt.Printf("not ok %s\n", name)
		for _, problem := range problems {
			fmt.Printf("  %s\n", strings.ReplaceAll(problem.Error(), "\n", "\n  "))
		}
	}
	report("answers in the encoding asked for", c.encodings())
	report("discovery as aggregated", c.aggregatedDiscovery())
	report("OpenAPI v2", c.openAPI2())
	report("OpenAPI v3", c.openAPI3())
	if release == "" {
		report("a manifest for every kind", c.missing(known.Kinds))
		for _, mediaType := range mediaTypes {
			for _, w := range writes {
				report(w.name+" in "+mediaType, c.typedWrites(mediaType, w.try))
			}
		}
	}
	for _, m := range known.Kinds {
		if m.Release != release {
			continue
		}
		kind, err := kindOf(m.Object)
		if err != nil {
			return failed, err
		}
		name := kind.GroupVersion().String() + " " + kind.Kind
		if c.knows(kind) {
			report(name, c.typed(m, kind, known.Namespace, release == ""))
		}
		report(name+", dynamic", c.dynamically(m, kind, known.Namespace))
	}
	return failed, nil
}

func kindOf(text []byte) (schema.GroupVersionKind, error) {
	var object unstructured.Unstructured
	err := object.UnmarshalJSON(text)
	return object.GroupVersionKind(), err
}

// living are kinds of which the server says something in their status by itself, and which go a moment after they are
// deleted: other tests follow their life.
var living = map[string]bool{"CustomResourceDefinition": true, "APIService": true, "ResourceQuota": true}

// missing are the served kinds, whatever their version, of which there is no manifest.
func (c *client) missing(known []manifest) (problems []error) {
	have := map[string]bool{}
	for _, m := range known {
		if kind, err := kindOf(m.Object); err == nil {
			have[kind.Kind] = true
		}
	}
	for _, r := range c.resources {
		if !have[r.Kind] && !living[r.Kind] && r.can("create") && r.can("list") {
			problems = append(problems, errors.New(r.GroupVersionKind.String()))
		}
	}
	return problems
}
