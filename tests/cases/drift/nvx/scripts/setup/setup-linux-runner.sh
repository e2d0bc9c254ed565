#!/usr/bin/env bash
# Bring a Linux runner into the state that jobs expect, or check that it is.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=tool-versions.conf
. "$here/tool-versions.conf"

if [ "${1:-}" != --check ]; then
  "$here/setup-linux-mshv.sh"
fi
python3 "$here/cleanup_rootless_docker.py"
docker version --format "$DOCKER_VERSION"
