//go:build tools

// Package main names the program of others that tests build: Helm 3.
package main

import _ "helm.sh/helm/v3/cmd/helm"
