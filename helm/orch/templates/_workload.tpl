{{/* A component's values: those of its part over those of its service over `defaults`. Takes {root, component}. */}}
{{- define "orch.valuesOf" -}}
{{- $own := index .root.Values .component.values -}}
{{- $over := default (dict) .component.override -}}
{{- toYaml (mergeOverwrite (deepCopy .root.Values.defaults) (deepCopy $own) (deepCopy $over)) -}}
{{- end -}}

{{/* A component's flags as arguments, sorted: what the user says stands above the chart's. Takes {component, values}. */}}
{{- define "orch.args" -}}
{{- $flags := mergeOverwrite (deepCopy .component.flags) (default (dict) .values.flags) -}}
{{- range $name, $value := $flags }}
{{- if kindIs "slice" $value }}
- {{ printf "--%s=%s" $name (join "," $value) | quote }}
{{- else if kindIs "float64" $value }}
- {{ printf "--%s=%v" $name (ternary (int64 $value | toString) (toString $value) (eq $value (floor $value))) | quote }}
{{- else }}
- {{ printf "--%s=%s" $name (toString $value) | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Texts of the files at /etc/orch/config. Takes {root, component, values}. */}}
{{- define "orch.files" -}}
{{- $root := .root -}}
{{- $service := .component.service -}}
{{- if and $root.Values.tracingConfiguration (not (has $service (list "controller-manager" "scheduler" "node-simulator"))) }}
tracing.yaml: {{ $root.Values.tracingConfiguration | quote }}
{{- end }}
{{- if and $root.Values.audit.enabled (has $service (list "gateway" "standalone")) }}
{{- if not $root.Values.audit.policy }}{{ fail "audit.policy is needed where audit is enabled" }}{{ end }}
audit-policy.yaml: {{ toYaml $root.Values.audit.policy | quote }}
{{- end }}
{{- if eq $service "controller-manager" }}
{{- $user := printf "system:%s" (include "orch.systemName" (dict "root" $root "part" "controller-manager")) }}
controller-manager.orchconfig: {{ include "orch.clientConfig" (dict "root" $root "user" $user) | quote }}
{{- end }}
{{- if eq $service "scheduler" }}
{{- $user := printf "system:%s" (include "orch.systemName" (dict "root" $root "part" "scheduler")) }}
scheduler.orchconfig: {{ include "orch.clientConfig" (dict "root" $root "user" $user) | quote }}
{{- end }}
{{- if and $root.Values.scheduler.enabled $root.Values.scheduler.configuration (has $service (list "scheduler" "standalone")) }}
scheduler.yaml: {{ toYaml $root.Values.scheduler.configuration | quote }}
{{- end }}
{{- if eq $service "node-simulator" }}
node-simulator.orchconfig: {{ include "orch.clientConfig" (dict "root" $root "user" "admin") | quote }}
{{- end }}
{{- range $name, $text := .values.files }}
{{ $name }}: {{ $text | quote }}
{{- end }}
{{- end -}}

{{/* A client configuration that names the files of a bundle at /etc/orch/client. Takes {root, user}. */}}
{{- define "orch.clientConfig" -}}
apiVersion: {{ if eq .root.Values.dialect "kubernetes" }}v1{{ else }}orchconfig.orch/v1{{ end }}
kind: Config
clusters:
- name: orch
  cluster: { server: {{ include "orch.server" .root | quote }}, certificate-authority: /etc/orch/client/ca.crt }
users:
- name: {{ .user | quote }}
  user: { client-certificate: /etc/orch/client/tls.crt, client-key: /etc/orch/client/tls.key }
contexts:
- name: orch
  context: { cluster: orch, user: {{ .user | quote }} }
current-context: orch
{{- end -}}

{{/* What makes a pod `restricted`: of the pod, and of each of its containers. */}}
{{- define "orch.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "orch.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* Secrets as volumes; takes {root, secrets: [{bundle | secret, mount, keys}]}. */}}
{{- define "orch.secretVolumes" -}}
{{- $prefix := include "orch.secretPrefix" .root -}}
{{- range .secrets }}
- name: secret-{{ .mount }}
  secret:
    secretName: {{ if .bundle }}{{ $prefix }}{{ .bundle }}{{ else }}{{ .secret }}{{ end }}
    defaultMode: 0440
    {{- with .keys }}
    items: [{{ range . }}{ key: {{ . }}, path: {{ . }} }, {{ end }}]
    {{- end }}
{{- end }}
{{- end -}}

{{- define "orch.secretMounts" -}}
{{- range .secrets }}
- { name: secret-{{ .mount }}, mountPath: /etc/orch/{{ .mount }}, readOnly: true }
{{- end }}
{{- end -}}

{{- define "orch.probes" -}}
startupProbe:
  httpGet: { path: /livez, port: {{ . }}, scheme: HTTPS }
  periodSeconds: 2
  timeoutSeconds: 5
  failureThreshold: 150
livenessProbe:
  httpGet: { path: /livez, port: {{ . }}, scheme: HTTPS }
  periodSeconds: 10
  timeoutSeconds: 10
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: {{ . }}, scheme: HTTPS }
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 3
{{- end -}}

{{/* Takes {root, selector, spread}. */}}
{{- define "orch.spread" -}}
{{- if ne .spread "none" }}
topologySpreadConstraints:
{{- $when := ternary "DoNotSchedule" "ScheduleAnyway" (eq .spread "hard") }}
{{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: {{ $when }}
    labelSelector:
      matchLabels:
        {{- $.selector | nindent 8 }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Takes {selector, spread, affinity}: what the user says, else pods of one component on different nodes. */}}
{{- define "orch.affinity" -}}
{{- if .affinity }}
affinity:
  {{- toYaml .affinity | nindent 2 }}
{{- else if ne .spread "none" }}
affinity:
  podAntiAffinity:
    {{- if eq .spread "hard" }}
    requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- .selector | nindent 12 }}
    {{- else }}
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels:
              {{- .selector | nindent 14 }}
    {{- end }}
{{- end }}
{{- end -}}

{{/* Where a pod may run, of a component's values. Takes {root, values, selector}. */}}
{{- define "orch.scheduling" -}}
{{- if .values.priorityClassName }}
priorityClassName: {{ .values.priorityClassName }}
{{- else if .root.Values.priorityClass.create }}
priorityClassName: {{ include "orch.priorityClass" .root }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- include "orch.spread" (dict "selector" .selector "spread" .values.spread) }}
{{- include "orch.affinity" (dict "selector" .selector "spread" .values.spread "affinity" .values.affinity) }}
{{- end -}}

{{/* Takes {root, name, component, values}: what is the same in a Deployment's and a StatefulSet's pods. */}}
{{- define "orch.podTemplate" -}}
{{- $root := .root -}}
{{- $component := .component -}}
{{- $values := .values -}}
{{- $who := dict "root" $root "service" $component.service "part" $component.part -}}
{{- $files := include "orch.files" . | fromYaml -}}
{{- $secrets := concat $component.secrets (default (list) $values.secrets) -}}
metadata:
  labels:
    {{- include "orch.selector" $who | nindent 4 }}
    {{- with $root.Values.commonLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- with $values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    kubectl.kubernetes.io/default-container: {{ $component.service }}
    {{- if $files }}
    checksum/config: {{ toJson $files | sha256sum }}
    {{- end }}
    {{- with $values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "orch.serviceAccountName" $root }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
  securityContext:
    {{- include "orch.podSecurity" $root | nindent 4 }}
  {{- with $root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- include "orch.scheduling" (dict "root" $root "values" $values "selector" (include "orch.selector" $who)) | nindent 2 }}
  containers:
    - name: {{ $component.service }}
      image: {{ include "orch.image" (dict "root" $root "program" $component.service) }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      args:
        {{- include "orch.args" (dict "component" $component "values" $values) | nindent 8 }}
      {{- with $values.env }}
      env:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      ports:
        {{- range $port, $number := $component.ports }}
        - { name: {{ $port }}, containerPort: {{ $number }} }
        {{- end }}
      {{- include "orch.probes" $component.probe | nindent 6 }}
      resources:
        {{- toYaml $values.resources | nindent 8 }}
      securityContext:
        {{- include "orch.containerSecurity" $root | nindent 8 }}
      volumeMounts:
        - { name: tmp, mountPath: /tmp }
        {{- if $files }}
        - { name: config, mountPath: /etc/orch/config, readOnly: true }
        {{- end }}
        {{- if $component.volume }}
        - { name: data, mountPath: {{ $component.volume }} }
        {{- end }}
        {{- include "orch.secretMounts" (dict "secrets" $secrets) | nindent 8 }}
        {{- with $values.volumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    {{- with $values.sidecars }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  volumes:
    - { name: tmp, emptyDir: {} }
    {{- if $files }}
    - { name: config, configMap: { name: {{ .name }} } }
    {{- end }}
    {{- if and $component.volume (not (include "orch.isStateful" .)) }}
    - { name: data, emptyDir: {} }
    {{- end }}
    {{- include "orch.secretVolumes" (dict "root" $root "secrets" $secrets) | nindent 4 }}
    {{- with $values.volumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{/* Whether a component has a volume that outlives its pods. */}}
{{- define "orch.isStateful" -}}
{{- if and .component.volume (dig "persistence" "enabled" true .values) -}}true{{- end -}}
{{- end -}}

{{- define "orch.volumeClaim" -}}
- metadata: { name: data }
  spec:
    accessModes: [ReadWriteOnce]
    {{- with .storageClass }}
    storageClassName: {{ . }}
    {{- end }}
    resources: { requests: { storage: {{ .size }} } }
{{- end -}}

{{/* A component as a Deployment, or as a StatefulSet where it keeps data. Takes {root, name, component, values}. */}}
{{- define "orch.workload" -}}
{{- $who := dict "root" .root "service" .component.service "part" .component.part -}}
{{- $stateful := include "orch.isStateful" . -}}
apiVersion: apps/v1
kind: {{ ternary "StatefulSet" "Deployment" (eq $stateful "true") }}
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "orch.labels" $who | nindent 4 }}
spec:
  {{- if not (dig "autoscaling" "enabled" false .values) }}
  replicas: {{ .values.replicas }}
  {{- end }}
  minReadySeconds: {{ .values.minReadySeconds }}
  {{- if $stateful }}
  serviceName: {{ .name }}
  podManagementPolicy: Parallel
  {{- else }}
  progressDeadlineSeconds: 900
  strategy:
    {{- if .component.volume }}
    # Two of them would not know of each other's data.
    type: Recreate
    {{- else }}
    type: RollingUpdate
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }
    {{- end }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "orch.selector" $who | nindent 6 }}
  template:
    {{- include "orch.podTemplate" . | nindent 4 }}
  {{- if $stateful }}
  volumeClaimTemplates:
    {{- include "orch.volumeClaim" .values.persistence | nindent 4 }}
  {{- end }}
{{- end -}}
