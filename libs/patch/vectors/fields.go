package main

import (
	"bytes"

	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"
)

// fieldTexts are texts of FieldsV1, and what the reference prints of what it read; null where it refuses.
func fieldTexts() []map[string]any {
	texts := []string{
		`{}`, `{"f:a":{}}`, `{"f:a":{"f:b":{},".":{}}}`, `{"f:b":{},"f:a":{}}`, `{"f:a":{".":{}}}`, `{".":{}}`, `{".":{},"f:a":{}}`,
		`{"f:a":null}`, `{"f:a":{"x:b":{}}}`, `{"x:a":{}}`, `{"f:a":{"f:b":{"x:c":{}}}}`, `null`,
		`{"a":{}}`, `{"ab":{}}`, `{"":{}}`, `{"f":{}}`, `{"f:":{}}`, `{"f:a":5}`, `{"f:a":[]}`, `{"f:a":"x"}`, `[]`, `5`,
		`{"k:{\"name\":\"a\"}":{}}`, `{"k:{\"name\": \"a\"}":{}}`, `{"k:{\"b\":1,\"a\":2}":{}}`, `{"k:{\"a\":1}":{".":{},"f:x":{}}}`,
		`{"k:{}":{}}`, `{"k:null":{}}`, `{"k:[]":{}}`, `{"k:5":{}}`, `{"k:":{}}`, `{"k:{\"a\":}":{}}`, `{"k:{\"a\":true,\"b\":null}":{}}`,
		`{"v:\"a\"":{},"v:1":{},"v:true":{},"v:null":{},"v:1.5":{},"v:-3":{}}`, `{"v:1.0":{}}`, `{"v:1e3":{}}`, `{"v:x":{}}`, `{"v:":{}}`,
		`{"v:1e21":{}}`, `{"v:1e-7":{}}`, `{"v:\"<&>\"":{}}`, `{"v:\"\\u003c\"":{}}`, `{"v:\"é\"":{}}`, `{"v:[1,\"a\"]":{}}`, `{"v:1000000":{},"v:1234567.5":{},"v:0.0001":{},"v:0.00001":{},"v:100000":{}}`,
		`{"i:0":{},"i:10":{},"i:9":{}}`, `{"i:007":{}}`, `{"i:+1":{}}`, `{"i:-1":{}}`, `{"i:x":{}}`, `{"i:":{}}`, `{"i:1.5":{}}`,
		`{"i:1":{},"v:1":{},"k:{\"a\":1}":{},"f:a":{}}`,
		`{"k:{\"a\":\"x\"}":{},"k:{\"a\":\"X\"}":{},"k:{\"a\":1}":{},"k:{\"a\":1,\"b\":2}":{},"k:{\"b\":0}":{}}`,
		`{"f:😀":{},"f:ï¿®":{},"f:é":{},"f:z":{},"f:Z":{}}`, `{"f:<":{},"f:\"":{},"f:\\":{},"f:\n":{}}`,
		`{"f:a":{"f:b":{"f:c":{}}},"f:a2":{}}`, `{"f:a":{".":5,"f:b":{}}}`, `{"f:a":{".":null,"f:b":{}}}`, `{"f:__proto__":{},"f:constructor":{}}`,
		`{"k:{\"a\":1}":{"f:x":{}},"k:{ \"a\":1}":{"f:y":{}}}`, `{"k:{\"a\":1}":{},"k:{ \"a\":1}":{"f:y":{}}}`,
		`{"k:{\"a\":\"tab\\t\\u0001\\b\\f\\u2028\"}":{}}`, `{"k:{\"<n>\":\"v\"}":{}}`,
	}
	out := []map[string]any{}
	for _, text := range texts {
		set := fieldpath.Set{}
		vector := map[string]any{"text": text}
		if err := set.FromJSON(bytes.NewReader([]byte(text))); err == nil {
			printed, err := set.ToJSON()
			check(err)
			vector["printed"] = string(printed)
			vector["paths"] = paths(&set)
			vector["leaves"] = paths(set.Leaves())
		}
		out = append(out, vector)
	}
	return out
}

func paths(set *fieldpath.Set) []string {
	out := []string{}
	set.Iterate(func(path fieldpath.Path) { out = append(out, path.String()) })
	return out
}
