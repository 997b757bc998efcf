// Command vectors runs the reference's field manager over scripted and random sequences of writes and prints what
// it was given and what it answered. The tests of libs/patch and services/resource walk the result.
//
//	cd libs/patch/vectors && go run . ../testdata
package main

import (
	"encoding/json"
	"log"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: vectors <directory>")
	}
	write("fields.jsonl", fieldTexts())
	schemas := []map[string]any{}
	for _, name := range sortedNames(customSchemas) {
		schemas = append(schemas, map[string]any{"name": name, "schema": customSchemas[name]})
	}
	write("custom-schemas.jsonl", schemas)
	write("custom.jsonl", customScenarios())
	write("custom-random.jsonl", randomScenarios(40))
	write("built-in.jsonl", builtInScenarios())
	write("scale.jsonl", scaleVectors())
}

// write prints each row as a line of JSON, so that a diff can be read.
func write[T any](name string, rows []T) {
	file, err := os.Create(filepath.Join(os.Args[1], name))
	check(err)
	defer file.Close()
	encoder := json.NewEncoder(file)
	encoder.SetEscapeHTML(false)
	for _, row := range rows {
		check(encoder.Encode(row))
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func parse(text string) map[string]any {
	var value map[string]any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		log.Fatalf("%v in %s", err, text)
	}
	return value
}

func copied[T any](value T) T {
	data, err := json.Marshal(value)
	check(err)
	var out T
	check(json.Unmarshal(data, &out))
	return out
}

func decode(text string, into any) { check(json.Unmarshal([]byte(text), into)) }
