{{/* Names and labels. */}}

{{- define "orch.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "orch.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains (include "orch.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "orch.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What a pod is selected by; takes root and the labels of a component: {root, service, part}. */}}
{{- define "orch.selector" -}}
app.kubernetes.io/name: {{ include "orch.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .service }}
{{- with .part }}
orch/part: {{ . }}
{{- end }}
{{- end -}}

{{- define "orch.labels" -}}
{{ include "orch.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "orch.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "orch.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* The image of a program: {root, program}. */}}
{{- define "orch.image" -}}
{{- $image := .root.Values.image -}}
{{- with $image.registry }}{{ trimSuffix "/" . }}/{{ end }}{{ $image.prefix }}{{ .program }}:{{ default .root.Chart.AppVersion $image.tag }}
{{- end -}}

{{/* A host name within the cluster: {root, name}. */}}
{{- define "orch.host" -}}
{{ .name }}.{{ .root.Release.Namespace }}.svc.{{ .root.Values.clusterDomain }}
{{- end -}}

{{/* Where clients within the cluster reach the API. */}}
{{- define "orch.apiHost" -}}
{{- include "orch.host" (dict "root" . "name" (printf "%s-%s" (include "orch.fullname" .) (include "orch.front" .))) -}}
{{- end -}}

{{- define "orch.server" -}}
https://{{ include "orch.apiHost" . }}:{{ .Values.gateway.service.port }}
{{- end -}}

{{/* The service that clients connect to. */}}
{{- define "orch.front" -}}
{{- if eq .Values.mode "standalone" -}}standalone{{- else -}}gateway{{- end -}}
{{- end -}}

{{- define "orch.secretPrefix" -}}
{{- default (printf "%s-" (include "orch.fullname" .)) .Values.certificates.secretPrefix -}}
{{- end -}}

{{/* The name of one of the system's own parts in the dialect. */}}
{{- define "orch.systemName" -}}
{{- if eq .root.Values.dialect "kubernetes" -}}kube-{{- else -}}orch-{{- end -}}{{ .part }}
{{- end -}}

{{- define "orch.issuer" -}}
{{- if .Values.serviceAccountIssuer -}}
{{- .Values.serviceAccountIssuer -}}
{{- else -}}
https://{{ if eq .Values.dialect "kubernetes" }}kubernetes{{ else }}orch{{ end }}.default.svc
{{- end -}}
{{- end -}}

{{- define "orch.hasEtcd" -}}
{{- if and (eq .Values.mode "distributed") (empty .Values.etcd.external.endpoints) -}}true{{- end -}}
{{- end -}}

{{/* Host names of the members of etcd, as a YAML list. */}}
{{- define "orch.etcdHosts" -}}
{{- $name := printf "%s-etcd" (include "orch.fullname" .) -}}
{{- range $i := until (int .Values.etcd.replicas) }}
- {{ $name }}-{{ $i }}.{{ include "orch.host" (dict "root" $ "name" $name) }}
{{- end -}}
{{- end -}}

{{- define "orch.priorityClass" -}}
{{ .Release.Namespace }}-{{ include "orch.fullname" . }}
{{- end -}}
