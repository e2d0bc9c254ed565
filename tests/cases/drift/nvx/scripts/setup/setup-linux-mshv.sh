#!/usr/bin/env bash
set -euo pipefail
modprobe mshv
