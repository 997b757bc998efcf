//go:build tools

// Package main names the programs of others that tests build: a konnectivity server and its agent.
package main

import (
	_ "sigs.k8s.io/apiserver-network-proxy/cmd/agent"
	_ "sigs.k8s.io/apiserver-network-proxy/cmd/server"
)
