package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

type object = map[string]any

// random makes patches of a type for a live object: changes of what is there, things that are new, directives.
type random struct{ *rand.Rand }

func newRandom(seed int64) random { return random{rand.New(rand.NewSource(seed))} }

func (r random) patch(d document) string {
	var live object
	must(json.Unmarshal([]byte(d.json), &live))
	text, err := json.Marshal(r.members(reflect.TypeOf(d.object).Elem(), live, 0))
	must(err)
	return string(text)
}

func (r random) chance(percent int) bool { return r.Intn(100) < percent }

func (r random) pick(texts ...string) string { return texts[r.Intn(len(texts))] }

type member struct {
	name, strategy, key string
	typ                 reflect.Type
}

func membersOf(t reflect.Type) []member {
	var all []member
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			if f.Type != reflect.TypeOf(metav1.TypeMeta{}) {
				all = append(all, membersOf(f.Type)...)
			}
			continue
		}
		if name == "" || name == "-" || name == "managedFields" {
			continue
		}
		all = append(all, member{name, f.Tag.Get("patchStrategy"), f.Tag.Get("patchMergeKey"), deref(f.Type)})
	}
	return all
}

func deref(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// members is a patch of an object.
func (r random) members(t reflect.Type, live object, depth int) object {
	patch := object{}
	all := membersOf(t)
	var present []member
	for _, m := range all {
		if _, ok := live[m.name]; ok {
			present = append(present, m)
		}
	}
	for n := 1 + r.Intn(2); n > 0 && len(present) > 0; n-- {
		r.member(patch, present[r.Intn(len(present))], live, depth)
	}
	if len(present) == 0 || (depth > 0 && r.chance(40)) {
		if len(all) > 0 {
			r.member(patch, all[r.Intn(len(all))], live, depth)
		}
	}
	if depth > 0 && r.chance(8) {
		r.retain(patch, live)
	}
	if depth > 0 && r.chance(4) {
		patch["$patch"] = r.pick("replace", "delete", "replace", "delete", "merge", "other")
	}
	return patch
}

func (r random) retain(patch, live object) {
	keep := []any{}
	for _, name := range names(patch) {
		if !strings.HasPrefix(name, "$") && !r.chance(5) {
			keep = append(keep, name)
		}
	}
	for _, name := range names(live) {
		if r.chance(40) {
			keep = append(keep, name)
		}
	}
	patch["$retainKeys"] = keep
}

func names(o object) []string {
	all := []string{}
	for name := range o {
		all = append(all, name)
	}
	sort.Strings(all)
	return all
}

func (r random) member(patch object, m member, live object, depth int) {
	if r.chance(8) {
		patch[m.name] = nil
		return
	}
	current := live[m.name]
	merges := strings.Contains(m.strategy, "merge")
	switch items, isList := current.([]any); {
	case special(m.typ):
		patch[m.name] = r.value(m.typ, depth)
	case m.typ.Kind() == reflect.Struct:
		inner, _ := current.(object)
		patch[m.name] = r.members(m.typ, inner, depth+1)
	case m.typ.Kind() == reflect.Map:
		inner, _ := current.(object)
		patch[m.name] = r.entries(m.typ, inner)
	case merges && m.key != "" && (isList || current == nil):
		r.keyed(patch, m, items, depth)
	case merges && (isList || current == nil):
		r.scalars(patch, m, items)
	default:
		patch[m.name] = r.value(m.typ, depth)
	}
}

func (r random) entries(t reflect.Type, live object) object {
	patch := object{}
	for _, name := range names(live) {
		if r.chance(30) {
			patch[name] = nil
		} else if r.chance(40) {
			patch[name] = r.value(t.Elem(), 9)
		}
	}
	if r.chance(50) {
		patch[r.pick("new", "other")] = r.value(t.Elem(), 9)
	}
	if r.chance(8) {
		patch["$patch"] = r.pick("replace", "delete")
	}
	return patch
}

// keyed is a patch of a list of objects with a merge key.
func (r random) keyed(patch object, m member, live []any, depth int) {
	item := deref(m.typ.Elem())
	var list []any
	seen := map[any]bool{}
	add := func(o object) {
		if key := o[m.key]; !seen[key] || r.chance(5) {
			seen[key] = true
			list = append(list, o)
		}
	}
	for _, l := range live {
		o := l.(object)
		key, ok := o[m.key]
		switch roll := r.Intn(10); {
		case !ok || roll < 5:
		case roll < 6:
			add(object{m.key: key, "$patch": "delete"})
		default:
			change := r.members(item, o, depth+1)
			if _, directive := change["$patch"]; !directive {
				change[m.key] = key
				if keep, ok := change["$retainKeys"].([]any); ok && r.chance(95) {
					change["$retainKeys"] = append(keep, m.key)
				}
			}
			add(change)
		}
	}
	for n := r.Intn(3); n > 0; n-- {
		o := object{m.key: r.newKey(item, m.key)}
		for name, value := range r.fresh(item, depth+1) {
			if name != m.key {
				o[name] = value
			}
		}
		add(o)
	}
	if r.chance(4) {
		list = append(list, object{"$patch": r.pick("replace", "replace", "merge", "delete")})
	}
	if r.chance(2) {
		list = append(list, object{})
	}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	var order []any
	for _, l := range list {
		if o := l.(object); o["$patch"] == nil && o[m.key] != nil {
			order = append(order, object{m.key: o[m.key]})
		}
	}
	for _, l := range live {
		if key := l.(object)[m.key]; key != nil && !seen[key] && r.chance(50) {
			at := r.Intn(len(order) + 1)
			order = append(order[:at:at], append([]any{object{m.key: key}}, order[at:]...)...)
		}
	}
	r.ordered(patch, m.name, list, order)
}

// ordered adds a list and its order to a patch, or one of them.
func (r random) ordered(patch object, name string, list, order []any) {
	if len(order) > 0 && r.chance(50) {
		if r.chance(5) {
			r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		patch["$setElementOrder/"+name] = order
	}
	if len(list) > 0 && !r.chance(5) {
		patch[name] = list
	}
}

// scalars is a patch of a list of scalars that is merged.
func (r random) scalars(patch object, m member, live []any) {
	var list, order, gone []any
	for _, text := range []string{"n1", "n2", "n3"} {
		if r.chance(35) {
			list = append(list, text)
		}
	}
	for _, l := range live {
		if r.chance(25) {
			gone = append(gone, l)
		} else if r.chance(20) {
			list = append(list, l)
		}
	}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	order = append(order, list...)
	for _, l := range live {
		if r.chance(40) {
			order = append(order, l)
		}
	}
	r.ordered(patch, m.name, list, order)
	if len(gone) > 0 {
		patch["$deleteFromPrimitiveList/"+m.name] = gone
	}
}

func (r random) newKey(item reflect.Type, key string) any {
	for _, m := range membersOf(item) {
		if m.name == key && m.typ.Kind() != reflect.String {
			return 1000 + r.Intn(3)
		}
	}
	return r.pick("n1", "n2", "n3")
}

func special(t reflect.Type) bool {
	switch t {
	case reflect.TypeOf(metav1.Time{}), reflect.TypeOf(metav1.MicroTime{}), reflect.TypeOf(resource.Quantity{}),
		reflect.TypeOf(intstr.IntOrString{}), reflect.TypeOf(runtime.RawExtension{}), reflect.TypeOf(metav1.FieldsV1{}),
		reflect.TypeOf(metav1.Duration{}):
		return true
	}
	return false
}

// fresh is an object that is not there yet; some have a null or an object to leave out inside of them.
func (r random) fresh(t reflect.Type, depth int) object {
	made := object{}
	all := membersOf(t)
	for n := r.Intn(3); n > 0 && len(all) > 0; n-- {
		m := all[r.Intn(len(all))]
		if r.chance(6) {
			made[m.name] = nil
		} else {
			made[m.name] = r.value(m.typ, depth+1)
		}
	}
	if depth > 1 && r.chance(4) {
		made["$patch"] = r.pick("replace", "delete")
	}
	return made
}

func (r random) value(t reflect.Type, depth int) any {
	t = deref(t)
	switch t {
	case reflect.TypeOf(metav1.Time{}):
		return r.pick("2024-01-01T00:00:00Z", "2025-02-03T04:05:06Z")
	case reflect.TypeOf(metav1.MicroTime{}):
		return "2024-01-01T00:00:00.000001Z"
	case reflect.TypeOf(resource.Quantity{}):
		return r.pick("1", "100m", "2Gi")
	case reflect.TypeOf(metav1.Duration{}):
		return "5s"
	case reflect.TypeOf(intstr.IntOrString{}):
		if r.chance(50) {
			return r.Intn(100)
		}
		return r.pick("http", "30%")
	case reflect.TypeOf(runtime.RawExtension{}), reflect.TypeOf(metav1.FieldsV1{}):
		return object{"text": r.pick("a", "b"), r.pick("m", "n"): object{"a": r.Intn(9)}}
	}
	switch t.Kind() {
	case reflect.String:
		return r.pick("v1", "v2", "v3")
	case reflect.Bool:
		return r.chance(50)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return r.pick("Yg==", "Yw==")
		}
		list := []any{}
		for n := r.Intn(3); n > 0; n-- {
			list = append(list, r.value(t.Elem(), depth+1))
		}
		return list
	case reflect.Map:
		made := object{}
		for n := r.Intn(3); n > 0; n-- {
			made[r.pick("k1", "k2", "k3")] = r.value(t.Elem(), depth+1)
		}
		return made
	case reflect.Struct:
		if depth > 6 {
			return object{}
		}
		return r.fresh(t, depth)
	case reflect.Int32, reflect.Int64, reflect.Int:
		return r.Intn(1000)
	}
	panic(fmt.Sprint("no value of ", t))
}
