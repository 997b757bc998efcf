//go:build tools

// Package operators names the programs of others that tests build beside those of this module: kro's controller and its
// own tests, which need what is named behind it.
package operators

import (
	_ "github.com/kro-run/kro/cmd/controller"
	_ "github.com/kro-run/kro/test/integration/environment"
	_ "github.com/onsi/ginkgo/v2"
	_ "github.com/onsi/gomega"
)
