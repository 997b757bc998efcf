// Checks a cluster's information as the reference's bootstrapper does: `clusterinfo FILE ID SECRET`, where FILE has the
// ConfigMap as JSON. Prints `valid` or `invalid`.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	bootstrapapi "k8s.io/cluster-bootstrap/token/api"
	jws "k8s.io/cluster-bootstrap/token/jws"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var info v1.ConfigMap
	if err := json.Unmarshal(text, &info); err != nil {
		panic(err)
	}
	id, secret := os.Args[2], os.Args[3]
	config := info.Data[bootstrapapi.KubeConfigKey]
	signature := info.Data[bootstrapapi.JWSSignatureKeyPrefix+id]
	if !jws.DetachedTokenIsValid(signature, config, id, secret) {
		fmt.Println("invalid")
		return
	}
	loaded, err := clientcmd.Load([]byte(config))
	if err != nil {
		panic(err)
	}
	for _, cluster := range loaded.Clusters {
		fmt.Println("valid", cluster.Server, len(cluster.CertificateAuthorityData) > 0)
	}
}
