package main

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	"k8s.io/kube-openapi/pkg/builder3"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/generated/openapi"
	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"
)

// builtInWorld is that of the reference's own kinds: its types, defaults, conversions and published schemas.
type builtInWorld struct{ types managedfields.TypeConverter }

func newBuiltInWorld() *builtInWorld {
	namer := openapinamer.NewDefinitionNamer(legacyscheme.Scheme)
	config := &common.OpenAPIV3Config{GetDefinitions: openapi.GetOpenAPIDefinitions, GetDefinitionName: namer.GetDefinitionName}
	names := []string{}
	for _, name := range []string{"ConfigMap", "Pod", "Service", "Node"} {
		names = append(names, "k8s.io/api/core/v1."+name)
	}
	for _, version := range []string{"v1", "v1beta1", "v1beta2"} {
		names = append(names, "k8s.io/api/apps/"+version+".Deployment")
	}
	definitions, err := builder3.BuildOpenAPIDefinitionsForResources(config, names...)
	check(err)
	types, err := managedfields.NewTypeConverter(definitions, false)
	check(err)
	return &builtInWorld{types: types}
}

func (w *builtInWorld) Manager(version schema.GroupVersionKind, subresource string, ignored map[fieldpath.APIVersion]fieldpath.Filter) *managedfields.FieldManager {
	hub := schema.GroupVersion{Group: version.Group, Version: runtime.APIVersionInternal}
	scheme := legacyscheme.Scheme
	manager, err := managedfields.NewDefaultFieldManager(w.types, runtime.UnsafeObjectConvertor(scheme), scheme, scheme, version, hub, subresource, ignored)
	check(err)
	return manager
}

func (w *builtInWorld) Empty(version schema.GroupVersionKind) runtime.Object {
	object, err := legacyscheme.Scheme.New(version)
	check(err)
	return object
}

func (w *builtInWorld) Read(object map[string]any) runtime.Object {
	data, err := json.Marshal(object)
	check(err)
	version, err := schema.ParseGroupVersion(object["apiVersion"].(string))
	check(err)
	hub := schema.GroupVersion{Group: version.Group, Version: runtime.APIVersionInternal}
	decoded, err := runtime.Decode(legacyscheme.Codecs.UniversalDecoder(hub), data)
	check(err)
	return decoded
}

func (w *builtInWorld) Write(object runtime.Object, version schema.GroupVersionKind) map[string]any {
	converted, err := legacyscheme.Scheme.ConvertToVersion(object, version.GroupVersion())
	check(err)
	return printed(converted)
}

func builtIn(kind, name string, steps ...Step) Scenario {
	return run(newBuiltInWorld(), Scenario{Name: kind + ": " + name, Kind: kind, Steps: steps})
}

func write1(op, manager, apiVersion, kind, rest string) Step {
	object := parse(fmt.Sprintf(`{"apiVersion": %q, "kind": %q, "metadata": {"name": "x", "namespace": "n"}, %s}`, apiVersion, kind, rest))
	step := Step{Op: op, Manager: manager, APIVersion: apiVersion}
	if op == "create" {
		step.Whole = object
	} else {
		step.Patch = object
	}
	return step
}

func change(manager, apiVersion, patch string) Step {
	return Step{Op: "update", Manager: manager, APIVersion: apiVersion, Patch: parse(patch)}
}

func (s Step) main() Step { return s.ignoring("", "status") }

func (s Step) status() Step { return s.ignoring("status", "spec") }

func (s Step) ignoring(subresource string, names ...string) Step {
	s.Subresource = subresource
	s.Ignored = map[string][]string{}
	for _, version := range []string{"v1", "apps/v1", "apps/v1beta1", "apps/v1beta2"} {
		s.Ignored[version] = names
	}
	return s
}

func (s Step) resize() Step {
	s.Subresource = "resize"
	// The reference names resizePolicy, too, but of matchers with one beginning it heeds the first alone.
	s.Only = map[string][][]string{"v1": {{"spec", "containers", "*", "resources"}}}
	return s
}

func (s Step) forced() Step {
	s.Force = true
	return s
}

const podSpec = `{"containers": [{"name": "c", "image": "i:1", "ports": [{"containerPort": 80}, {"containerPort": 80, "protocol": "UDP", "name": "u"}],
	"env": [{"name": "A", "value": "1"}, {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
	"resources": {"limits": {"cpu": "0.5", "memory": "1024Mi"}, "requests": {"cpu": "100m"}},
	"livenessProbe": {"httpGet": {"path": "/", "port": "http"}, "periodSeconds": 5},
	"securityContext": {"capabilities": {"add": ["NET_ADMIN"]}}, "volumeMounts": [{"name": "v", "mountPath": "/v"}]}],
	"volumes": [{"name": "v", "emptyDir": {}}, {"name": "w", "configMap": {"name": "cm", "items": [{"key": "k", "path": "p"}]}}],
	"tolerations": [{"key": "t", "operator": "Exists"}], "nodeSelector": {"a": "b"}, "imagePullSecrets": [{"name": "s"}],
	"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "k", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"a": "b"}}}],
	"hostAliases": [{"ip": "1.2.3.4", "hostnames": ["h"]}], "readinessGates": [{"conditionType": "x/y"}], "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "k", "operator": "Exists"}]}]}}}}`

func deploymentSpec(replicas, image string) string {
	return fmt.Sprintf(`"spec": {%s"selector": {"matchLabels": {"app": "a"}}, "strategy": {"rollingUpdate": {"maxSurge": "30%%"}}, "template": {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": %q, "ports": [{"containerPort": 80}]}]}}}`, replicas, image)
}

func builtInScenarios() []Scenario {
	const cm, svc, apps, beta = "ConfigMap", "Service", "apps/v1", "apps/v1beta1"
	return []Scenario{
		builtIn(cm, "made, changed, applied to",
			write1("create", "curl", "v1", cm, `"data": {"b": "2", "a": "1"}, "binaryData": {"x": "AAEC"}`),
			change("kubectl-edit", "v1", `{"data": {"a": "2", "c": "3"}, "metadata": {"labels": {"l": "m"}, "annotations": {"x": "y"}}}`),
			write1("apply", "one", "v1", cm, `"data": {"a": "9", "d": "4"}`),
			write1("apply", "one", "v1", cm, `"data": {"a": "9", "d": "4"}`).forced(),
			write1("apply", "one", "v1", cm, `"data": {"d": "4"}, "immutable": false`),
			change("curl", "v1", `{"data": null}`),
			write1("apply", "one", "v1", cm, `"spec": {}`),
			write1("apply", "one", "v1", cm, `"data": {"a": 1}`),
		),
		builtIn(cm, "first applied",
			write1("apply", "one", "v1", cm, `"data": {"a": "1", "b": "2"}`),
			write1("apply", "two", "v1", cm, `"data": {"a": "9"}`),
			write1("apply", "two", "v1", cm, `"data": {"a": "9", "b": "9"}`),
			write1("apply", "two", "v1", cm, `"data": {"a": "9"}`).forced(),
			write1("apply", "one", "v1", cm, `"data": {"b": "2"}`),
			write1("apply", "one", "v1", cm, `"immutable": true`),
			write1("apply", "two", "v1", cm, `"immutable": true`),
		),
		builtIn("Pod", "made and bound and reported on",
			write1("create", "kubectl-create", "v1", "Pod", `"spec": `+podSpec).main(),
			change("scheduler", "v1", `{"spec": {"nodeName": "node"}, "status": {"conditions": [{"type": "PodScheduled", "status": "True", "lastProbeTime": null, "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}`),
			change("kubelet", "v1", `{"status": {"phase": "Running", "podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}], "startTime": "2026-01-01T00:00:00Z", "containerStatuses": [{"name": "c", "ready": true, "restartCount": 0, "image": "i", "imageID": "", "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}}]}}`).status(),
			change("kubelet", "v1", `{"status": {"conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}, {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:01:00Z"}]}}`).status(),
			change("user", "v1", `{"metadata": {"labels": {"a": "b"}, "finalizers": ["x/y"]}}`).main(),
		),
		builtIn("Pod", "applied by two",
			write1("apply", "one", "v1", "Pod", `"spec": `+podSpec).main(),
			write1("apply", "two", "v1", "Pod", `"spec": {"containers": [{"name": "d", "image": "j"}, {"name": "c", "env": [{"name": "C", "value": "3"}], "ports": [{"containerPort": 80, "name": "x"}]}], "volumes": [{"name": "z", "hostPath": {"path": "/h"}}]}`).main(),
			write1("apply", "two", "v1", "Pod", `"spec": {"containers": [{"name": "c", "image": "k"}]}`).main(),
			write1("apply", "two", "v1", "Pod", `"spec": {"containers": [{"name": "c", "resources": {"limits": {"cpu": "500m", "memory": "1Gi"}}}]}`).main(),
			write1("apply", "one", "v1", "Pod", `"spec": {"containers": [{"name": "c", "image": "i:1"}]}`).main(),
			write1("apply", "one", "v1", "Pod", `"spec": {"containers": [{"image": "i:1"}]}`).main(),
			write1("apply", "one", "v1", "Pod", `"spec": {"containers": [{"name": "c", "ports": [{"name": "x"}]}]}`).main(),
			write1("apply", "one", "v1", "Pod", `"spec": {"containers": [{"name": "c"}, {"name": "c"}]}`).main(),
		),
		builtIn("Pod", "resized",
			write1("create", "user", "v1", "Pod", `"spec": `+podSpec).main(),
			change("resizer", "v1", `{"metadata": {"labels": {"x": "y"}}, "spec": {"nodeSelector": {"c": "d"}, "containers": [{"name": "c", "image": "i:2", "resources": {"limits": {"cpu": "1", "memory": "2Gi"}}, "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}]}, {"name": "d", "image": "j", "resources": {"limits": {"cpu": "1"}}}]}}`).resize(),
			write1("apply", "one", "v1", "Pod", `"spec": {"containers": [{"name": "c", "image": "i:3", "resources": {"limits": {"cpu": "2"}}}]}`).resize(),
			write1("apply", "one", "v1", "Pod", `"spec": {"containers": [{"name": "c", "image": "i:3", "resources": {"limits": {"cpu": "2"}}}]}`).resize().forced(),
		),
		builtIn(svc, "ports of a protocol that is not said",
			write1("apply", "one", "v1", svc, `"spec": {"selector": {"a": "b"}, "ports": [{"port": 80, "targetPort": "http"}, {"port": 53, "protocol": "UDP", "name": "dns"}]}`).main(),
			write1("apply", "two", "v1", svc, `"spec": {"ports": [{"port": 80, "protocol": "TCP", "targetPort": 8080}]}`).main(),
			write1("apply", "two", "v1", svc, `"spec": {"ports": [{"port": 81}], "type": "NodePort"}`).main(),
			write1("apply", "one", "v1", svc, `"spec": {"selector": {"a": "c"}, "ports": [{"port": 53, "protocol": "UDP", "name": "dns"}]}`).main(),
			change("controller", "v1", `{"status": {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}}, "spec": {"clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"]}}`).status(),
			write1("apply", "one", "v1", svc, `"spec": {"ports": [{"targetPort": 1}]}`).main(),
		),
		builtIn("Node", "kept by its kubelet and its controllers",
			write1("create", "kubelet", "v1", "Node", `"spec": {"podCIDR": "10.0.0.0/24", "podCIDRs": ["10.0.0.0/24"]}, "status": {"capacity": {"cpu": "4", "memory": "8Gi"}, "addresses": [{"type": "Hostname", "address": "h"}], "conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-01-01T00:00:00Z", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}`),
			change("kubelet", "v1", `{"status": {"conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-01-01T00:01:00Z", "lastTransitionTime": "2026-01-01T00:00:00Z"}], "images": [{"names": ["a"], "sizeBytes": 5}]}}`).status(),
			change("controller", "v1", `{"spec": {"taints": [{"key": "k", "effect": "NoSchedule", "timeAdded": "2026-01-01T00:00:00Z"}]}, "metadata": {"labels": {"zone": "z"}}}`).main(),
			write1("apply", "one", "v1", "Node", `"metadata": {"name": "x", "labels": {"zone": "y"}}, "spec": {"unschedulable": true}`).main(),
			write1("apply", "one", "v1", "Node", `"metadata": {"name": "x", "labels": {"zone": "y"}}, "spec": {"unschedulable": true}`).main().forced(),
		),
		builtIn("Deployment", "an autoscaler takes the replicas",
			write1("apply", "user", apps, "Deployment", deploymentSpec(`"replicas": 2, `, "i:1")).main(),
			change("autoscaler", apps, `{"spec": {"replicas": 5}}`).main(),
			change("controller", apps, `{"status": {"observedGeneration": 1, "replicas": 5, "conditions": [{"type": "Available", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z", "lastUpdateTime": "2026-01-01T00:00:00Z"}]}, "metadata": {"annotations": {"revision": "1"}}}`).status(),
			write1("apply", "user", apps, "Deployment", deploymentSpec(`"replicas": 2, `, "i:2")).main(),
			write1("apply", "user", apps, "Deployment", deploymentSpec("", "i:2")).main(),
			write1("apply", "user", apps, "Deployment", deploymentSpec("", "i:2")).main(),
			write1("apply", "user", apps, "Deployment", `"spec": {"selector": {"matchLabels": {"app": "a"}}, "template": {"spec": {"containers": [{"name": "c", "image": "i:2"}]}}}`).main(),
		),
		builtIn("Deployment", "versions of old",
			write1("create", "old", beta, "Deployment", deploymentSpec(`"replicas": 2, "rollbackTo": {"revision": 3}, `, "i:1")).main(),
			change("new", apps, `{"spec": {"replicas": 3, "template": {"spec": {"containers": [{"name": "c", "image": "i:2", "ports": [{"containerPort": 81}]}]}}}}`).main(),
			write1("apply", "one", beta, "Deployment", deploymentSpec("", "i:3")).main(),
			write1("apply", "one", beta, "Deployment", deploymentSpec("", "i:3")).main().forced(),
			write1("apply", "one", apps, "Deployment", deploymentSpec(`"replicas": 3, `, "i:3")).main(),
			write1("apply", "one", "apps/v1beta2", "Deployment", deploymentSpec("", "i:3")).main(),
			change("new", apps, `{"spec": {"paused": true}}`).main(),
		),
		builtIn("Deployment", "applied on the client's side before",
			write1("create", "kubectl-client-side-apply", apps, "Deployment", `"metadata": {"name": "x", "namespace": "n", "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"annotations\":{},\"name\":\"x\",\"namespace\":\"n\"},\"spec\":{\"replicas\":2,\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i:1\"}]}}}}\n"}}, `+deploymentSpec(`"replicas": 2, `, "i:1")).main(),
			write1("apply", "kubectl", apps, "Deployment", deploymentSpec(`"replicas": 3, `, "i:2")).main(),
			write1("apply", "other", apps, "Deployment", deploymentSpec(`"replicas": 4, `, "i:2")).main(),
		),
	}
}
