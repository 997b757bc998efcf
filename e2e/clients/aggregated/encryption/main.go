// Opens and seals values as the reference library does for an EncryptionConfiguration: it reads one JSON object a line,
// {"do":"open"|"seal","resource","key","value"}, and answers each with {"value","stale"} or {"error"}; values are base64.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/server/options/encryptionconfig"
	"k8s.io/apiserver/pkg/storage/value"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

// A plugin of KMS v2 is asked for its first key after the file was loaded.
const patience = 20 * time.Second

const longestLine = 8 << 20

type question struct {
	Do       string `json:"do"`
	Resource string `json:"resource"`
	Key      string `json:"key"`
	Value    []byte `json:"value"`
}

type answer struct {
	Value []byte `json:"value,omitempty"`
	Stale bool   `json:"stale,omitempty"`
	Error string `json:"error,omitempty"`
}

func main() {
	file := flag.String("config", "", "the EncryptionConfiguration")
	flag.Parse()
	if err := run(*file); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(file string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := utilfeature.DefaultMutableFeatureGate.Set("KMSv1=true"); err != nil {
		return err
	}
	config, err := encryptionconfig.LoadEncryptionConfig(ctx, file, false, "oracle")
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, longestLine)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			return err
		}
		transformer, ok := config.Transformers[schema.ParseGroupResource(asked.Resource)]
		if !ok {
			return fmt.Errorf("no provider is named for %s", asked.Resource)
		}
		if err := out.Encode(reply(ctx, transformer, asked)); err != nil {
			return err
		}
	}
	return lines.Err()
}

func reply(ctx context.Context, transformer value.Transformer, asked question) answer {
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		var said answer
		var err error
		switch asked.Do {
		case "open":
			said.Value, said.Stale, err = transformer.TransformFromStorage(ctx, asked.Value, value.DefaultContext(asked.Key))
		case "seal":
			said.Value, err = transformer.TransformToStorage(ctx, asked.Value, value.DefaultContext(asked.Key))
		default:
			return answer{Error: "neither open nor seal"}
		}
		if err == nil {
			return said
		}
		if time.Now().After(end) {
			return answer{Error: err.Error()}
		}
	}
}
