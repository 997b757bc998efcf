package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

const asTable = ";as=Table;g=meta.k8s.io;v=v1"

// tables reads the object and its list as kubectl prints them. Tables are written as text only.
func (t *trial) tables() {
	read := func(mediaType string, path ...string) (*metav1.Table, error) {
		var table metav1.Table
		err := t.rest[mediaType].Get().AbsPath(path...).SetHeader("Accept", mediaType+asTable).Do(t.ctx).Into(&table)
		return &table, err
	}
	for _, mediaType := range mediaTypes {
		if mediaType == jsonType {
			continue
		}
		if _, err := read(mediaType, t.path, t.name); !apierrors.IsNotAcceptable(err) {
			t.note("table in "+mediaType, fmt.Errorf("instead of 406: %v", err))
		}
	}
	one, err := read(jsonType, t.path, t.name)
	if !t.note("table", err) {
		return
	}
	if t.note("table", t.rowOf(one)); len(one.Rows) != 1 {
		t.note("table", fmt.Errorf("it has %d rows", len(one.Rows)))
	}
	many, err := read(jsonType, t.path)
	if t.note("table of the list", err) {
		t.note("table of the list", t.rowOf(many))
		t.note("table of the list", compareValues(many.ColumnDefinitions, one.ColumnDefinitions))
	}
	t.watchedTable()
}

// rowOf looks for the object's row: a cell for each column, its name among them, and its metadata.
func (t *trial) rowOf(table *metav1.Table) error {
	if len(table.ColumnDefinitions) == 0 {
		return errors.New("no columns")
	}
	for _, row := range table.Rows {
		if len(row.Cells) != len(table.ColumnDefinitions) {
			return fmt.Errorf("%d cells for %d columns", len(row.Cells), len(table.ColumnDefinitions))
		}
		var one metav1.PartialObjectMetadata
		if err := runtime.DecodeInto(t.codecs.UniversalDeserializer(), row.Object.Raw, &one); err != nil {
			return err
		}
		if one.Name != t.name {
			continue
		}
		for i, column := range table.ColumnDefinitions {
			if column.Name == "Name" && row.Cells[i] == t.name {
				return nil
			}
		}
		return fmt.Errorf("its name is not among %v", row.Cells)
	}
	return fmt.Errorf("not among %d rows", len(table.Rows))
}

func (t *trial) watchedTable() {
	ctx, cancel := context.WithTimeout(t.ctx, 10*time.Second)
	defer cancel()
	stream, err := t.rest[jsonType].Get().AbsPath(t.path).SetHeader("Accept", jsonType+asTable).
		Param("watch", "true").Param("fieldSelector", "metadata.name="+t.name).Watch(ctx)
	if !t.note("watch of tables", err) {
		return
	}
	defer stream.Stop()
	event := <-stream.ResultChan()
	table, is := event.Object.(*metav1.Table)
	if !is || event.Type != watch.Added {
		t.note("watch of tables", fmt.Errorf("instead of a table came %q: %v", event.Type, event.Object))
		return
	}
	t.note("watch of tables", t.rowOf(table))
}
