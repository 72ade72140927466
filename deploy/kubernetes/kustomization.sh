#!/bin/sh
# Prints a kustomization: the manifest beside this script, and a ConfigMap with all files of a folder of saved queries.
#
#   sh deploy/kubernetes/kustomization.sh queries > kustomization.yaml
#   kubectl apply --server-side -k .
#
# Run it again when files are added, renamed or removed. The names of keys in a ConfigMap have neither @ nor /, so each file
# has a key of its own, which the pod mounts under the name of the file. A key depends on nothing but that name: pods that
# were started before go on reading the same files.
set -eu

folder=${1:?usage: kustomization.sh <folder of saved queries>}
folder=${folder%/}
files=$(cd "$folder" && find -L . -type f ! -path '*/.*' | sed 's#^\./##' | LC_ALL=C sort)
[ -n "$files" ] || { echo "$folder has no files" >&2; exit 1; }
if printf '%s\n' "$folder" "$files" | LC_ALL=C grep '[^A-Za-z0-9._@/-]' >&2; then
  echo "The names above have characters other than letters, digits and . _ - @" >&2
  exit 1
fi

# Prints a line for each file, with its key and its path in the folder in the places of %s.
for_each() {
  printf '%s\n' "$files" | while read -r path; do
    key=$(printf '%s' "$path" | sed 's/_/__/g; s/@/_a/g; s#/#_s#g')
    printf "$1\n" "$key" "$path"
  done
}

cat <<END
resources: [$(dirname "$0")/querygate.yaml]
# Changed files are served without new pods.
generatorOptions: { disableNameSuffixHash: true }
configMapGenerator:
  - name: querygate-queries
    files:
$(for_each "      - '%s=$folder/%s'")
patches:
  - patch: |-
      apiVersion: apps/v1
      kind: Deployment
      metadata: { name: querygate }
      spec:
        template:
          spec:
            volumes:
              - name: queries
                configMap:
                  name: querygate-queries
                  items:
$(for_each "                    - { key: '%s', path: '%s' }")
END
