{{- define "floe.name" -}}
{{- $name := contains "floe" .Release.Name | ternary .Release.Name (printf "%s-floe" .Release.Name) -}}
{{- $name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{/* The labels that never change, of (root, component) */}}
{{- define "floe.selector" -}}
app.kubernetes.io/name: floe
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "floe.labels" -}}
{{ include "floe.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "floe.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (.Values.serviceAccount.create | ternary (include "floe.name" .) "default") -}}
{{- end }}

{{/* What every pod has in common, of (root, component) */}}
{{- define "floe.pod" -}}
# Kubernetes would set FLOE_..._PORT for a service floe-..., and floe refuses variables that name no setting
enableServiceLinks: false
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* What every container has in common, of (root, component, variant, secret) */}}
{{- define "floe.container" -}}
name: floe
image: "{{ .root.Values.image.repository }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}-{{ .variant }}"
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
env:
  - {name: FLOE_ACTOR, value: {{ include "floe.name" .root }}-{{ .component }}}
  - name: FLOE_REGISTRY_URL
    valueFrom:
      secretKeyRef: {name: {{ .secret }}, key: {{ .root.Values.registry.key }}}
  {{- with .root.Values.env }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .root.Values.envFrom }}
envFrom: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* The folders of the monitor and the server */}}
{{- define "floe.volumeMounts" -}}
- {name: work, mountPath: /work}
- {name: tmp, mountPath: /tmp}
{{- if .Values.settings }}
- {name: settings, mountPath: /work/manifest.yaml, subPath: manifest.yaml, readOnly: true}
{{- end }}
{{- if .Values.contracts }}
- {name: contracts, mountPath: /work/contracts, readOnly: true}
{{- end }}
{{- with .Values.volumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "floe.volumes" -}}
- {name: work, emptyDir: {}}
- {name: tmp, emptyDir: {}}
{{- if .Values.settings }}
- {name: settings, configMap: {name: {{ include "floe.name" . }}}}
{{- end }}
{{- with .Values.contracts }}
- name: contracts
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.volumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* A changed manifest.yaml restarts the pods */}}
{{- define "floe.podAnnotations" -}}
{{- $annotations := deepCopy .Values.podAnnotations -}}
{{- if .Values.settings }}{{ $_ := set $annotations "checksum/settings" (.Values.settings | toYaml | sha256sum) }}{{ end -}}
{{- if $annotations }}{{ toYaml $annotations }}{{ end -}}
{{- end }}
