{{/*
The cluster, in one table: each pod's service, whom it calls, what it listens at, its flags, and the bundles of
certificates that are mounted below /etc/orch. Deployments, Services, NetworkPolicies, budgets and monitors are made of it.
A component is `<service>`, or `<service>-<part>` where a service has parts.
*/}}
{{- define "orch.components" -}}
{{- if eq .Values.mode "standalone" -}}
{{ include "orch.standaloneComponents" . }}
{{- else -}}
{{ include "orch.distributedComponents" . }}
{{- end -}}
{{- end -}}

{{/* Flags that every program knows. */}}
{{- define "orch.commonFlags" -}}
api-dialect: {{ .Values.dialect }}
bind-address: {{ .Values.bindAddress | quote }}
log-level: {{ .Values.logging.level }}
logging-format: {{ .Values.logging.format }}
{{- with .Values.release.emulatedVersion }}
emulated-version: {{ . | quote }}
{{- end }}
{{- with .Values.release.featureGates }}
feature-gates: [{{ range $name, $on := . }}{{ printf "%s=%t" $name $on | quote }}, {{ end }}]
{{- end }}
{{- end -}}

{{/* Who a service is to the others. */}}
{{- define "orch.rpcFlags" -}}
rpc-ca-file: /etc/orch/rpc/ca.crt
rpc-cert-file: /etc/orch/rpc/tls.crt
rpc-key-file: /etc/orch/rpc/tls.key
rpc-trust-domain: {{ .Values.trustDomain }}
{{- end -}}

{{/* How the agents of nodes are reached. */}}
{{- define "orch.agentFlags" -}}
{{- if .Values.gateway.agents.secret }}
kubelet-client-certificate: /etc/orch/agents/tls.crt
kubelet-client-key: /etc/orch/agents/tls.key
kubelet-certificate-authority: /etc/orch/agents/ca.crt
{{- end }}
{{- with .Values.gateway.agents.preferredAddressTypes }}
kubelet-preferred-address-types: {{ toJson . }}
{{- end }}
{{- end -}}

{{- define "orch.agentSecret" -}}
{{- with .Values.gateway.agents.secret }}
- { secret: {{ . }}, mount: agents }
{{- end }}
{{- end -}}

{{- define "orch.tracingFlags" -}}
{{- if .Values.tracingConfiguration }}
tracing-config-file: /etc/orch/config/tracing.yaml
{{- end }}
{{- end -}}

{{/* What opens the store and asks for webhooks and keys. */}}
{{- define "orch.storeFlags" -}}
etcd-servers: {{ include "orch.etcdEndpoints" . | fromYamlArray | toJson }}
etcd-prefix: {{ .Values.etcd.prefix }}
{{- if or (include "orch.hasEtcd" .) .Values.etcd.external.secret }}
etcd-cafile: /etc/orch/etcd/ca.crt
etcd-certfile: /etc/orch/etcd/tls.crt
etcd-keyfile: /etc/orch/etcd/tls.key
{{- end }}
admission-servers: {{ include "orch.rpcAddress" (dict "root" . "component" "admission") }}
{{- if .Values.kms.enabled }}
kms-servers: {{ include "orch.rpcAddress" (dict "root" . "component" "kms") }}
{{- end }}
{{- end -}}

{{- define "orch.etcdEndpoints" -}}
{{- if include "orch.hasEtcd" . -}}
{{- range include "orch.etcdHosts" . | fromYamlArray }}
- https://{{ . }}:2379
{{- end -}}
{{- else -}}
{{ toYaml .Values.etcd.external.endpoints }}
{{- end -}}
{{- end -}}

{{- define "orch.etcdSecret" -}}
{{- if include "orch.hasEtcd" . }}
- { bundle: etcd-client, mount: etcd }
{{- else if .Values.etcd.external.secret }}
- { secret: {{ .Values.etcd.external.secret }}, mount: etcd }
{{- end }}
{{- end -}}

{{/* Where a component answers the others: every address of the name is one of its pods. */}}
{{- define "orch.rpcAddress" -}}
{{- $name := printf "%s-%s" (include "orch.fullname" .root) .component -}}
{{ include "orch.host" (dict "root" .root "name" $name) }}:9001
{{- end -}}

{{- define "orch.distributedComponents" -}}
{{- $addressOf := dict -}}
gateway:
  service: gateway
  values: gateway
  calls: [resource, watch-cache{{ if .Values.audit.enabled }}, audit{{ end }}]
  ports: { https: 6443 }
  probe: https
  flags:
    {{- include "orch.commonFlags" . | nindent 4 }}
    {{- include "orch.rpcFlags" . | nindent 4 }}
    {{- include "orch.tracingFlags" . | nindent 4 }}
    {{- include "orch.agentFlags" . | nindent 4 }}
    secure-port: 6443
    tls-cert-file: /etc/orch/serving/tls.crt
    tls-private-key-file: /etc/orch/serving/tls.key
    client-ca-file: /etc/orch/serving/ca.crt
    service-account-issuer: {{ include "orch.issuer" . }}
    service-account-key-file: /etc/orch/service-accounts/tls.crt
    shutdown-delay-duration: {{ .Values.gateway.shutdownDelay }}
    watch-cache-servers: {{ include "orch.rpcAddress" (dict "root" . "component" "watch-cache") }}
    {{- with .Values.gateway.nearCache }}
    near-cache: {{ toJson . }}
    {{- end }}
    resource-servers:
      {{- range $part := .Values.resource.parts }}
      {{- $address := include "orch.rpcAddress" (dict "root" $ "component" (printf "resource-%s" $part.name)) }}
      {{- range $part.groups }}
      - {{ . }}={{ $address }}
      {{- else }}
      - {{ $address }}
      {{- end }}
      {{- end }}
    {{- if .Values.audit.enabled }}
    audit-policy-file: /etc/orch/config/audit-policy.yaml
    audit-servers: {{ include "orch.rpcAddress" (dict "root" . "component" "audit") }}
    {{- end }}
  secrets:
    - { bundle: service-gateway, mount: rpc }
    - { bundle: serving, mount: serving }
    - { bundle: service-accounts, mount: service-accounts, keys: [tls.crt] }
    {{- include "orch.agentSecret" . | nindent 4 }}
{{- range $part := .Values.resource.parts }}
resource-{{ $part.name }}:
  service: resource
  part: {{ $part.name }}
  values: resource
  override: {{ omit $part "name" "groups" | toJson }}
  calls: [etcd, admission{{ if $.Values.kms.enabled }}, kms{{ end }}]
  ports: { rpc: 9001, metrics: 9002 }
  probe: metrics
  flags:
    {{- include "orch.commonFlags" $ | nindent 4 }}
    {{- include "orch.rpcFlags" $ | nindent 4 }}
    {{- include "orch.tracingFlags" $ | nindent 4 }}
    {{- include "orch.storeFlags" $ | nindent 4 }}
    rpc-port: 9001
    metrics-port: 9002
    {{- with $part.groups }}
    groups: {{ toJson . }}
    {{- end }}
    {{- if has "core" $part.groups }}
    gateway-port: {{ $.Values.gateway.service.port }}
    {{- with $.Values.advertiseAddress }}
    advertise-address: {{ . | quote }}
    {{- end }}
    {{- end }}
    enable-admission-plugins: NodeRestriction
    service-account-issuer: {{ include "orch.issuer" $ }}
    service-account-signing-key-file: /etc/orch/service-accounts/tls.key
  secrets:
    - { bundle: service-resource, mount: rpc }
    - { bundle: service-accounts, mount: service-accounts }
    {{- include "orch.etcdSecret" $ | nindent 4 }}
{{- end }}
watch-cache:
  service: watch-cache
  values: watchCache
  calls: [etcd, admission{{ if .Values.kms.enabled }}, kms{{ end }}]
  ports: { rpc: 9001, metrics: 9002 }
  probe: metrics
  flags:
    {{- include "orch.commonFlags" . | nindent 4 }}
    {{- include "orch.rpcFlags" . | nindent 4 }}
    {{- include "orch.tracingFlags" . | nindent 4 }}
    {{- include "orch.storeFlags" . | nindent 4 }}
    rpc-port: 9001
    metrics-port: 9002
  secrets:
    - { bundle: service-watch-cache, mount: rpc }
    {{- include "orch.etcdSecret" . | nindent 4 }}
admission:
  service: admission
  values: admission
  calls: [watch-cache]
  ports: { rpc: 9001, metrics: 9002 }
  probe: metrics
  flags:
    {{- include "orch.commonFlags" . | nindent 4 }}
    {{- include "orch.rpcFlags" . | nindent 4 }}
    {{- include "orch.tracingFlags" . | nindent 4 }}
    rpc-port: 9001
    metrics-port: 9002
    watch-cache-servers: {{ include "orch.rpcAddress" (dict "root" . "component" "watch-cache") }}
  secrets:
    - { bundle: service-admission, mount: rpc }
controller-manager:
  service: controller-manager
  values: controllerManager
  calls: [gateway]
  ports: { metrics: 9002 }
  probe: metrics
  files: { controller-manager.orchconfig: controller-manager }
  flags:
    {{- include "orch.commonFlags" . | nindent 4 }}
    {{- include "orch.rpcFlags" . | nindent 4 }}
    metrics-port: 9002
    orchconfig: /etc/orch/config/controller-manager.orchconfig
    use-service-account-credentials: true
    service-account-private-key-file: /etc/orch/service-accounts/tls.key
    root-ca-file: /etc/orch/client/ca.crt
    cluster-signing-cert-file: /etc/orch/clients-ca/tls.crt
    cluster-signing-key-file: /etc/orch/clients-ca/tls.key
  secrets:
    - { bundle: service-controller-manager, mount: rpc }
    - { bundle: client-controller-manager, mount: client }
    - { bundle: clients-ca, mount: clients-ca }
    - { bundle: service-accounts, mount: service-accounts }
{{- if .Values.scheduler.enabled }}
scheduler:
  service: scheduler
  values: scheduler
  calls: [gateway]
  ports: { metrics: 9002 }
  probe: metrics
  flags:
    {{- include "orch.commonFlags" . | nindent 4 }}
    {{- include "orch.rpcFlags" . | nindent 4 }}
    metrics-port: 9002
    orchconfig: /etc/orch/config/scheduler.orchconfig
    {{- if .Values.scheduler.configuration }}
    config: /etc/orch/config/scheduler.yaml
    {{- end }}
  secrets:
    - { bundle: service-scheduler, mount: rpc }
    - { bundle: client-scheduler, mount: client }
{{- end }}
{{- if .Values.nodeSimulator.enabled }}
node-simulator:
  service: node-simulator
  values: nodeSimulator
  calls: [gateway]
  ports: { metrics: 9002 }
  probe: metrics
  flags:
    {{- include "orch.commonFlags" . | nindent 4 }}
    {{- include "orch.rpcFlags" . | nindent 4 }}
    metrics-port: 9002
    nodes: {{ .Values.nodeSimulator.nodes }}
    orchconfig: /etc/orch/config/node-simulator.orchconfig
  secrets:
    - { bundle: service-node-simulator, mount: rpc }
    # It writes for every node, which no node's own right allows.
    - { bundle: client-admin, mount: client }
{{- end }}
{{- if .Values.audit.enabled }}
audit:
  service: audit
  values: audit
  calls: []
  ports: { rpc: 9001, metrics: 9002 }
  probe: metrics
  volume: /var/lib/orch
  flags:
    {{- include "orch.commonFlags" . | nindent 4 }}
    {{- include "orch.rpcFlags" . | nindent 4 }}
    {{- include "orch.tracingFlags" . | nindent 4 }}
    rpc-port: 9001
    metrics-port: 9002
    audit-spool-directory: /var/lib/orch/spool
  secrets:
    - { bundle: service-audit, mount: rpc }
{{- end }}
{{- if .Values.kms.enabled }}
kms:
  service: kms
  values: kms
  calls: []
  ports: { rpc: 9001, metrics: 9002 }
  probe: metrics
  flags:
    {{- include "orch.commonFlags" . | nindent 4 }}
    {{- include "orch.rpcFlags" . | nindent 4 }}
    {{- include "orch.tracingFlags" . | nindent 4 }}
    rpc-port: 9001
    metrics-port: 9002
    encryption-provider-config: /etc/orch/encryption/config.yaml
    encryption-provider-config-automatic-reload: true
  secrets:
    - { bundle: service-kms, mount: rpc }
    - { secret: {{ required "kms.configurationSecret is needed where kms is enabled" .Values.kms.configurationSecret }}, mount: encryption }
{{- end }}
{{- end -}}

{{- define "orch.standaloneComponents" -}}
standalone:
  service: standalone
  values: standalone
  calls: []
  ports: { https: 6443 }
  probe: https
  volume: /var/lib/orch
  flags:
    {{- include "orch.commonFlags" . | nindent 4 }}
    {{- include "orch.tracingFlags" . | nindent 4 }}
    {{- include "orch.agentFlags" . | nindent 4 }}
    data-dir: /var/lib/orch
    secure-port: 6443
    tls-cert-file: /etc/orch/serving/tls.crt
    tls-private-key-file: /etc/orch/serving/tls.key
    client-ca-file: /etc/orch/serving/ca.crt
    enable-admission-plugins: NodeRestriction
    service-account-issuer: {{ include "orch.issuer" . }}
    service-account-key-file: /etc/orch/service-accounts/tls.crt
    service-account-signing-key-file: /etc/orch/service-accounts/tls.key
    service-account-private-key-file: /etc/orch/service-accounts/tls.key
    root-ca-file: /etc/orch/serving/ca.crt
    cluster-signing-cert-file: /etc/orch/clients-ca/tls.crt
    cluster-signing-key-file: /etc/orch/clients-ca/tls.key
    {{- with .Values.advertiseAddress }}
    advertise-address: {{ . | quote }}
    {{- end }}
    {{- if .Values.scheduler.enabled }}
    scheduler: true
    {{- if .Values.scheduler.configuration }}
    scheduler-config: /etc/orch/config/scheduler.yaml
    {{- end }}
    {{- end }}
    {{- if .Values.nodeSimulator.enabled }}
    simulate-nodes: {{ .Values.nodeSimulator.nodes }}
    {{- if not .Values.scheduler.enabled }}
    scheduler: false
    {{- end }}
    {{- end }}
    {{- if .Values.audit.enabled }}
    audit-policy-file: /etc/orch/config/audit-policy.yaml
    {{- toYaml .Values.audit.flags | nindent 4 }}
    {{- end }}
    {{- if .Values.kms.enabled }}
    encryption-provider-config: /etc/orch/encryption/config.yaml
    encryption-provider-config-automatic-reload: true
    {{- end }}
  secrets:
    - { bundle: serving, mount: serving }
    - { bundle: service-accounts, mount: service-accounts }
    - { bundle: clients-ca, mount: clients-ca }
    {{- include "orch.agentSecret" . | nindent 4 }}
    {{- if .Values.kms.enabled }}
    - { secret: {{ required "kms.configurationSecret is needed where kms is enabled" .Values.kms.configurationSecret }}, mount: encryption }
    {{- end }}
{{- end -}}
