package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	apiregistrationv1beta1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1beta1"
)

// resource is one kind in one version, as discovery names it.
type resource struct {
	schema.GroupVersionKind
	plural       string
	namespaced   bool
	verbs        []string
	subresources []string
}

func (r resource) can(verb string) bool        { return slices.Contains(r.verbs, verb) }
func (r resource) has(subresource string) bool { return slices.Contains(r.subresources, subresource) }

// client has one REST client for each encoding, over one scheme, and those that need no scheme.
type client struct {
	config    *rest.Config
	codecs    serializer.CodecFactory
	rest      map[string]*rest.RESTClient
	discovery *discovery.DiscoveryClient
	dynamic   dynamic.Interface
	mapper    meta.RESTMapper
	// lists is what discovery says of each version, not aggregated.
	lists     []*metav1.APIResourceList
	resources []resource
}

func newClient(path string) (*client, error) {
	for _, add := range []func(*runtime.Scheme) error{
		apiextensionsv1.AddToScheme, apiextensionsv1beta1.AddToScheme,
		apiregistrationv1.AddToScheme, apiregistrationv1beta1.AddToScheme,
		metav1.AddMetaToScheme,
	} {
		if err := add(scheme.Scheme); err != nil {
			return nil, err
		}
	}
	codecs := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict, serializer.WithSerializer(cbor.NewSerializerInfo))
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	// Old versions are asked for on purpose.
	config.WarningHandler = rest.NoWarnings{}
	c := &client{config: rest.CopyConfig(config), codecs: codecs, rest: map[string]*rest.RESTClient{}}
	if c.discovery, err = discovery.NewDiscoveryClientForConfig(config); err != nil {
		return nil, err
	}
	if c.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, err
	}
	groups, err := restmapper.GetAPIGroupResources(c.discovery)
	if err != nil {
		return nil, err
	}
	c.mapper = restmapper.NewDiscoveryRESTMapper(groups)
	config.APIPath = "/"
	config.GroupVersion = &schema.GroupVersion{}
	config.NegotiatedSerializer = codecs.WithoutConversion()
	for _, mediaType := range mediaTypes {
		of := rest.CopyConfig(config)
		of.ContentType, of.AcceptContentTypes = mediaType, mediaType
		if c.rest[mediaType], err = rest.RESTClientFor(of); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// discover reads what is served, in Protobuf.
func (c *client) discover() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var groups metav1.APIGroupList
	if err := c.rest[protobufType].Get().AbsPath("/apis").Do(ctx).Into(&groups); err != nil {
		return fmt.Errorf("discovery of groups: %w", err)
	}
	versions := []string{"v1"}
	for _, group := range groups.Groups {
		for _, version := range group.Versions {
			versions = append(versions, version.GroupVersion)
		}
	}
	for _, text := range versions {
		version, err := schema.ParseGroupVersion(text)
		if err != nil {
			return err
		}
		var list metav1.APIResourceList
		if err := c.rest[protobufType].Get().AbsPath(root(version)).Do(ctx).Into(&list); err != nil {
			return fmt.Errorf("discovery of %s: %w", version, err)
		}
		c.lists = append(c.lists, &list)
		c.resources = append(c.resources, resourcesOf(version, list.APIResources)...)
	}
	return nil
}

func resourcesOf(version schema.GroupVersion, list []metav1.APIResource) (resources []resource) {
	for _, r := range list {
		if strings.Contains(r.Name, "/") {
			continue
		}
		found := resource{version.WithKind(r.Kind), r.Name, r.Namespaced, r.Verbs, nil}
		for _, other := range list {
			if name, is := strings.CutPrefix(other.Name, r.Name+"/"); is {
				found.subresources = append(found.subresources, name)
			}
		}
		resources = append(resources, found)
	}
	return resources
}

func root(version schema.GroupVersion) string {
	if version.Group == "" {
		return "/api/" + version.Version
	}
	return "/apis/" + version.String()
}

func (r resource) collection(namespace string) string {
	if r.namespaced {
		return root(r.GroupVersion()) + "/namespaces/" + namespace + "/" + r.plural
	}
	return root(r.GroupVersion()) + "/" + r.plural
}

// encodings makes sure that nothing between the programs chose another encoding than the one under trial.
func (c *client) encodings() (problems []error) {
	for _, mediaType := range mediaTypes {
		var answered string
		err := c.rest[mediaType].Get().AbsPath("/api/v1/namespaces").Do(context.Background()).ContentType(&answered).Error()
		if err != nil || answered != mediaType {
			problems = append(problems, fmt.Errorf("asked for %s came %q: %v", mediaType, answered, err))
		}
	}
	return problems
}

func (c *client) ensureNamespace(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	namespace := fmt.Sprintf(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q}}`, name)
	err := c.rest[jsonType].Post().AbsPath("/api/v1/namespaces").Body([]byte(namespace)).Do(ctx).Error()
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// knows tells whether this client-go has a type for the kind; removed ones it has not.
func (c *client) knows(kind schema.GroupVersionKind) bool {
	return scheme.Scheme.Recognizes(kind)
}

// versionsOf are the served versions of a kind, the given one first. A kind that moved from one group to another is met
// in both: what one path has stored, the other one reads.
func (c *client) versionsOf(kind schema.GroupVersionKind) []resource {
	var found, others []resource
	for _, r := range c.resources {
		switch {
		case r.GroupVersionKind == kind:
			found = append(found, r)
		case r.Kind == kind.Kind && related(r.Group, kind.Group):
			others = append(others, r)
		}
	}
	return append(found, others...)
}

func related(a, b string) bool {
	old := map[string]bool{"": true, "events.k8s.io": true}
	if a == b || (old[a] && old[b]) {
		return true
	}
	return a == "extensions" || b == "extensions"
}
