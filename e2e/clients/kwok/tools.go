//go:build tools

// Package main names the program of others that tests build: a simulator of nodes.
package main

import _ "sigs.k8s.io/kwok/cmd/kwok"
