// Reads JSON as Grafana's data source Infinity does, by its own library: the rows of a response as the fields of a frame.
//
// Standard input: {"body": <response>, "root": <root selector>, "columns": [{"selector": …, "alias": …, "type": …}]}.
// Standard output: {<field>: [<value>, …]}, times as RFC 3339.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/grafana/infinity-libs/lib/go/jsonframer"
)

type request struct {
	Body    string                      `json:"body"`
	Root    string                      `json:"root"`
	Columns []jsonframer.ColumnSelector `json:"columns"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var asked request
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		return err
	}
	options := jsonframer.FramerOptions{RootSelector: asked.Root, Columns: asked.Columns}
	frame, err := jsonframer.ToFrame(asked.Body, options)
	if err != nil {
		return err
	}
	fields := map[string][]any{}
	for _, field := range frame.Fields {
		values := make([]any, 0, field.Len())
		for at := range field.Len() {
			value, _ := field.ConcreteAt(at)
			values = append(values, value)
		}
		fields[field.Name] = values
	}
	return json.NewEncoder(os.Stdout).Encode(fields)
}
