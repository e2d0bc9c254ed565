# Bring a Windows runner into the state that jobs expect, or check that it is.
param([switch]$Check)
$ErrorActionPreference = 'Stop'
$versions = Join-Path $PSScriptRoot 'tool-versions.conf'
Get-Content $versions | ForEach-Object { $_ }
