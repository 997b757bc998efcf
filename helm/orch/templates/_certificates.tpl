{{/* The Job that makes certificates, as it runs before an install and, by the clock, after it. */}}

{{/* Names of the Secrets that it reads and replaces, as a YAML list. */}}
{{- define "orch.bundles" -}}
{{- range list "services-ca" "service-gateway" "service-resource" "service-watch-cache" "service-admission" "service-audit" "service-kms" "service-controller-manager" "service-scheduler" "service-node-simulator" "service-monitoring" "clients-ca" "serving" "client-admin" "client-controller-manager" "client-scheduler" "client-monitoring" "service-accounts" "etcd-ca" "etcd-member" "etcd-client" }}
- {{ include "orch.secretPrefix" $ }}{{ . }}
{{- end -}}
{{- end -}}

{{/* Host names of the serving certificate, as a YAML list. */}}
{{- define "orch.servingNames" -}}
{{- $name := printf "%s-%s" (include "orch.fullname" .) (include "orch.front" .) }}
- {{ $name }}
- {{ $name }}.{{ .Release.Namespace }}
- {{ $name }}.{{ .Release.Namespace }}.svc
{{- range .Values.gateway.tlsNames }}
- {{ . | quote }}
{{- end -}}
{{- end -}}

{{- define "orch.certificatesPod" -}}
metadata:
  labels:
    {{- include "orch.labels" (dict "root" .root "service" "certificates") | nindent 4 }}
spec:
  serviceAccountName: {{ .account }}
  restartPolicy: OnFailure
  enableServiceLinks: false
  securityContext:
    {{- include "orch.podSecurity" .root | nindent 4 }}
  {{- with .root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: certificates
      image: {{ include "orch.image" (dict "root" .root "program" "cli") }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args:
        - certificates
        - --secrets
        - --secrets-namespace={{ .root.Release.Namespace }}
        - --secrets-prefix={{ include "orch.secretPrefix" .root }}
        - --secrets-label=app.kubernetes.io/name={{ include "orch.name" .root }},app.kubernetes.io/instance={{ .root.Release.Name }},app.kubernetes.io/component=certificates
        - --api-dialect={{ .root.Values.dialect }}
        - --server={{ include "orch.server" .root }}
        - --tls-san={{ include "orch.servingNames" .root | fromYamlArray | join "," }}
        - --rpc-trust-domain={{ .root.Values.trustDomain }}
        {{- if include "orch.hasEtcd" .root }}
        - --etcd-name={{ include "orch.etcdHosts" .root | fromYamlArray | join "," }},localhost
        {{- end }}
      resources:
        {{- toYaml .root.Values.certificates.hook.resources | nindent 8 }}
      securityContext:
        {{- include "orch.containerSecurity" .root | nindent 8 }}
      volumeMounts:
        - { name: tmp, mountPath: /tmp }
  volumes:
    - { name: tmp, emptyDir: {} }
{{- end -}}

{{/* An account that may make and replace just these Secrets. Takes {root, account, annotations}. */}}
{{- define "orch.certificatesAccount" -}}
{{- $labels := include "orch.labels" (dict "root" .root "service" "certificates") -}}
{{- $annotations := .annotations -}}
{{- $namespace := .root.Release.Namespace -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .account }}
  namespace: {{ $namespace }}
  labels:
    {{- $labels | nindent 4 }}
  {{- with $annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: {{ .account }}
  namespace: {{ $namespace }}
  labels:
    {{- $labels | nindent 4 }}
  {{- with $annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
rules:
  # A name can't be a condition of what has none yet.
  - { apiGroups: [""], resources: [secrets], verbs: [create] }
  - apiGroups: [""]
    resources: [secrets]
    verbs: [get, update]
    resourceNames:
      {{- include "orch.bundles" .root | nindent 6 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: {{ .account }}
  namespace: {{ $namespace }}
  labels:
    {{- $labels | nindent 4 }}
  {{- with $annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: {{ .account }} }
subjects:
  - { kind: ServiceAccount, name: {{ .account }}, namespace: {{ $namespace }} }
{{- end -}}
