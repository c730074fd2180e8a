{{- define "mufakat.labels" -}}
app.kubernetes.io/name: mufakat
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "mufakat.selector" -}}
app.kubernetes.io/name: mufakat
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{- define "mufakat.image" -}}
{{ .Values.image.repository }}{{ if .Values.image.tag }}:{{ .Values.image.tag }}{{ end }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ end }}
{{- end }}

{{/* What every container runs with: nothing that it could write but its volumes, no privilege, no root. */}}
{{- define "mufakat.locked" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- define "mufakat.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "mufakat.env" -}}
- {name: DJANGO_SETTINGS_MODULE, value: config.settings.production}
- {name: ALLOWED_HOSTS, value: {{ .Values.host | quote }}}
- {name: DATA_DIR, value: /srv/data}
- {name: TMPDIR, value: /srv/scratch}
- {name: TRUSTED_PROXY_COUNT, value: {{ index .Values.config "TRUSTED_PROXY_COUNT" | default "1" | quote }}}
{{- range $name, $value := omit .Values.config "TRUSTED_PROXY_COUNT" }}
- {name: {{ $name }}, value: {{ $value | toString | quote }}}
{{- end }}
{{- range list "SECRET_KEY" "DATABASE_URL" "REDIS_URL" "CACHE_URL" "EMAIL_URL" }}
- name: {{ . }}
  valueFrom: {secretKeyRef: {name: {{ $.Values.secretName }}, key: {{ if and $.pooled (eq . "DATABASE_URL") }}WEB_{{ end }}{{ . }}}}
{{- end }}
{{- if .pooled }}
- {name: DATABASE_POOLED, value: "true"}
{{- end }}
{{- if .Values.databaseReplica }}
- name: DATABASE_REPLICA_URL
  valueFrom: {secretKeyRef: {name: {{ .Values.secretName }}, key: DATABASE_REPLICA_URL}}
{{- end }}
{{- if .Values.storage.url }}
- {name: STORAGE_URL, value: {{ .Values.storage.url | quote }}}
{{- range list "AWS_ACCESS_KEY_ID" "AWS_SECRET_ACCESS_KEY" }}
- name: {{ . }}
  valueFrom: {secretKeyRef: {name: {{ $.Values.secretName }}, key: {{ . }}}}
{{- end }}
{{- end }}
{{- if .Values.oidcSecretName }}
- {name: OIDC_CLIENT_SECRET_FILE, value: /srv/oidc/client-secret}
{{- end }}
{{- end }}

{{- define "mufakat.mounts" -}}
- {name: data, mountPath: /srv/data}
- {name: scratch, mountPath: /srv/scratch}
- {name: tmp, mountPath: /tmp}
{{- if .Values.oidcSecretName }}
- {name: oidc, mountPath: /srv/oidc, readOnly: true}
{{- end }}
{{- end }}

{{- define "mufakat.volumes" -}}
- name: data
  {{- if .Values.storage.url }}
  emptyDir: {}
  {{- else }}
  persistentVolumeClaim: {claimName: {{ .Values.storage.existingClaim | default (printf "%s-data" .Release.Name) }}}
  {{- end }}
- name: scratch
  emptyDir: {}
- name: tmp
  emptyDir: {medium: Memory, sizeLimit: 64Mi}
{{- if .Values.oidcSecretName }}
- name: oidc
  secret: {secretName: {{ .Values.oidcSecretName }}, defaultMode: 0440}
{{- end }}
{{- end }}
