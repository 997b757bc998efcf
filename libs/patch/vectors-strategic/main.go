// Writes what the reference's strategic merge makes of objects and patches, a JSON object a line.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	kjson "sigs.k8s.io/json"
)

type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

type vector struct {
	On     string          `json:"on"`
	Patch  json.RawMessage `json:"patch"`
	Result any             `json:"result,omitempty"`
	Error  *failure        `json:"error,omitempty"`
}

// Go walks maps in another order each time; what comes out the same so often does not depend on it.
const attempts = 24

func main() {
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	byName := map[string]document{}
	for _, d := range documents {
		byName[d.name] = d
		must(out.Encode(map[string]any{"document": d.name, "object": json.RawMessage(compact(d.json))}))
	}
	left := 0
	write := func(d document, patch string) bool {
		v, ok := ask(d, patch)
		if ok {
			must(out.Encode(v))
		} else {
			left++
		}
		return ok
	}
	for _, c := range byHand {
		if !write(byName[c.document], c.patch) {
			log.Printf("left out: %s %s", c.document, c.patch)
		}
	}
	r := newRandom(1)
	for _, d := range documents {
		for n := 0; n < 30; {
			if write(d, r.patch(d)) {
				n++
			}
		}
	}
	log.Printf("%d left out", left)
}

// ask gives the library's answer, and false where it panics or has more than one.
func ask(d document, patch string) (v vector, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	v = vector{On: d.name, Patch: compact(patch)}
	for i := 0; i < attempts; i++ {
		result, err := merge(d, patch)
		next := vector{On: v.On, Patch: v.Patch}
		if err != nil {
			next.Error = &failure{codeOf(err), err.Error()}
		} else {
			next.Result = map[string]any(result)
		}
		if i > 0 && !reflect.DeepEqual(v, next) {
			return v, false
		}
		v = next
	}
	return v, true
}

func merge(d document, patch string) (strategicpatch.JSONMap, error) {
	typed := reflect.New(reflect.TypeOf(d.object).Elem()).Interface()
	must(json.Unmarshal([]byte(d.json), typed))
	original, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	must(err)
	parsed := map[string]any{}
	_, err = kjson.UnmarshalStrict([]byte(patch), &parsed)
	must(err)
	return strategicpatch.StrategicMergeMapPatch(original, parsed, d.object)
}

// codeOf is the status that the reference's server answers with.
func codeOf(err error) int {
	for _, bad := range []error{
		mergepatch.ErrBadJSONDoc, mergepatch.ErrBadPatchFormatForPrimitiveList,
		mergepatch.ErrBadPatchFormatForRetainKeys, mergepatch.ErrBadPatchFormatForSetElementOrderList,
	} {
		if errors.Is(err, bad) {
			return 400
		}
	}
	if errors.Is(err, mergepatch.ErrNoListOfLists) || errors.Is(err, mergepatch.ErrPatchContentNotMatchRetainKeys) {
		return 422
	}
	return 500
}

func compact(text string) json.RawMessage {
	var b bytes.Buffer
	must(json.Compact(&b, []byte(text)))
	return b.Bytes()
}

func must(err error) {
	if err != nil {
		panic(fmt.Sprint(err))
	}
}
