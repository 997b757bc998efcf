package main

import (
	appsv1 "k8s.io/api/apps/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
)

type document struct {
	name   string
	object any
	json   string
}

var documents = []document{
	{"pod", &corev1.Pod{}, `{
		"kind": "Pod", "apiVersion": "v1",
		"metadata": {"name": "p", "namespace": "d", "labels": {"app": "a", "tier": "b"}, "annotations": {"x": "1"},
			"finalizers": ["example.com/a", "example.com/b", "example.com/c"],
			"ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u1"}, {"apiVersion": "v1", "kind": "ConfigMap", "name": "q", "uid": "u2"}]},
		"spec": {
			"containers": [
				{"name": "c1", "image": "i1", "args": ["a", "b"], "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}, {"name": "C", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
					"ports": [{"containerPort": 80, "protocol": "TCP"}, {"containerPort": 53, "protocol": "TCP"}, {"containerPort": 53, "protocol": "UDP"}],
					"resources": {"limits": {"cpu": "1", "memory": "1Gi"}}, "securityContext": {"runAsUser": 1, "capabilities": {"add": ["NET_ADMIN"], "drop": ["ALL"]}}},
				{"name": "c2", "image": "i2", "volumeMounts": [{"name": "v1", "mountPath": "/a"}, {"name": "v2", "mountPath": "/b"}], "livenessProbe": {"httpGet": {"port": "http", "path": "/"}, "periodSeconds": 5}},
				{"name": "c3", "image": "i3"}],
			"volumes": [{"name": "v1", "emptyDir": {}}, {"name": "v2", "configMap": {"name": "cm", "items": [{"key": "k", "path": "p"}]}}, {"name": "v3", "secret": {"secretName": "s"}}],
			"tolerations": [{"key": "a", "operator": "Exists"}],
			"imagePullSecrets": [{"name": "s1"}, {"name": "s2"}],
			"nodeSelector": {"disk": "ssd"},
			"hostAliases": [{"ip": "10.0.0.1", "hostnames": ["h1"]}],
			"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}],
			"securityContext": {"supplementalGroups": [1, 2], "sysctls": [{"name": "n", "value": "v"}]}},
		"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}, {"type": "PodScheduled", "status": "True"}], "podIPs": [{"ip": "10.1.1.1"}], "hostIPs": [{"ip": "10.2.2.2"}]}}`},
	{"bare-pod", &corev1.Pod{}, `{"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "bare", "namespace": "d"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}`},
	{"deployment", &appsv1.Deployment{}, `{
		"kind": "Deployment", "apiVersion": "apps/v1",
		"metadata": {"name": "w", "namespace": "d", "labels": {"app": "w"}, "generation": 3},
		"spec": {"replicas": 3, "selector": {"matchLabels": {"app": "w"}, "matchExpressions": [{"key": "k", "operator": "In", "values": ["v"]}]},
			"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 1}},
			"template": {"metadata": {"labels": {"app": "w"}}, "spec": {
				"containers": [{"name": "main", "image": "nginx", "ports": [{"containerPort": 80}], "env": [{"name": "A", "value": "1"}]}, {"name": "side", "image": "s"}],
				"initContainers": [{"name": "init", "image": "i"}],
				"volumes": [{"name": "data", "emptyDir": {"medium": "Memory"}}]}}},
		"status": {"replicas": 3, "conditions": [{"type": "Available", "status": "True"}]}}`},
	{"service", &corev1.Service{}, `{
		"kind": "Service", "apiVersion": "v1", "metadata": {"name": "s", "namespace": "d"},
		"spec": {"selector": {"app": "w"}, "type": "LoadBalancer", "clusterIPs": ["10.0.0.1"], "externalIPs": ["1.1.1.1", "2.2.2.2"],
			"ports": [{"name": "http", "port": 80, "targetPort": 8080, "protocol": "TCP"}, {"name": "dns", "port": 53, "targetPort": "dns", "protocol": "UDP"}, {"name": "dns-tcp", "port": 53, "protocol": "TCP"}],
			"sessionAffinity": "None"},
		"status": {"loadBalancer": {"ingress": [{"ip": "3.3.3.3"}]}}}`},
	{"account", &corev1.ServiceAccount{}, `{
		"kind": "ServiceAccount", "apiVersion": "v1", "metadata": {"name": "a", "namespace": "d", "annotations": {"k": "v"}},
		"secrets": [{"name": "t1"}, {"name": "t2", "namespace": "n"}, {"name": "t3"}],
		"imagePullSecrets": [{"name": "p1"}, {"name": "p2"}], "automountServiceAccountToken": false}`},
	{"odd-account", &corev1.ServiceAccount{}, `{
		"kind": "ServiceAccount", "apiVersion": "v1", "metadata": {"name": "odd", "namespace": "d"},
		"secrets": [{"name": "t1", "namespace": "x"}, {"name": "t1", "namespace": "y"}, {"name": "t2"}], "imagePullSecrets": [{"name": "p1"}, {}]}`},
	{"node", &corev1.Node{}, `{
		"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n", "labels": {"zone": "a"}},
		"spec": {"podCIDR": "10.0.0.0/24", "podCIDRs": ["10.0.0.0/24", "fd00::/64"], "taints": [{"key": "t", "effect": "NoSchedule"}], "providerID": "x"},
		"status": {"capacity": {"cpu": "4", "memory": "8Gi"}, "conditions": [{"type": "Ready", "status": "True"}, {"type": "DiskPressure", "status": "False"}],
			"addresses": [{"type": "InternalIP", "address": "1.2.3.4"}, {"type": "Hostname", "address": "n"}],
			"images": [{"names": ["a"], "sizeBytes": 5}], "volumesInUse": ["v"], "nodeInfo": {"machineID": "m", "kubeletVersion": "v1"}}}`},
	{"revision", &appsv1.ControllerRevision{}, `{
		"kind": "ControllerRevision", "apiVersion": "apps/v1", "metadata": {"name": "r", "namespace": "d"}, "revision": 2,
		"data": {"spec": {"a": 1, "list": [1, 2]}, "text": "t"}}`},
	{"request", &certificatesv1.CertificateSigningRequest{}, `{
		"kind": "CertificateSigningRequest", "apiVersion": "certificates.k8s.io/v1", "metadata": {"name": "r"},
		"spec": {"request": "QQ==", "signerName": "a/b", "usages": ["client auth"], "groups": ["g"], "extra": {"k": ["a", "b"]}}}`},
	{"secret", &corev1.Secret{}, `{
		"kind": "Secret", "apiVersion": "v1", "metadata": {"name": "s", "namespace": "d"}, "type": "Opaque", "data": {"a": "QQ==", "b": "Qg=="}, "immutable": false}`},
}
