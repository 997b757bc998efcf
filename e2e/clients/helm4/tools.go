//go:build tools

// Package main names the program of others that tests build: Helm 4.
package main

import _ "helm.sh/helm/v4/cmd/helm"
