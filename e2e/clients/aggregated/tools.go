//go:build tools

// Package main names the program of others that tests build, the sample of an aggregated server; encryption beside it is
// ours, of the same modules.
package main

import _ "k8s.io/sample-apiserver"
