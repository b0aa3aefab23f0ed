package hoppertest

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"warren/internal/compute"
	"warren/internal/compute/kernels"
)

// CompareCall compares the fields of a call with the parameters of a kernel in PTX: their names, their order, and
// whether they are memory or numbers.
func CompareCall(t *testing.T, text []byte, kernel string, call kernels.Call) {
	t.Helper()
	var want []string
	fields := reflect.VisibleFields(reflect.TypeOf(call))
	for i, f := range fields {
		name := strings.ToLower(f.Name[:1]) + f.Name[1:]
		switch f.Type {
		case reflect.TypeFor[compute.Buffer]():
			want = append(want, ".param .u64 "+name)
		case reflect.TypeFor[int]():
			want = append(want, ".param .u32 "+name)
		case reflect.TypeFor[compute.Local]():
			if i < len(fields)-1 {
				t.Errorf("%T.%s is not the last field", call, f.Name)
			}
		}
	}
	list := regexp.MustCompile(`(?s)\.entry ` + kernel + `\((.*?)\)`).FindSubmatch(text)
	if got := regexp.MustCompile(`\.param \.u\d+ \w+`).FindAllString(string(list[1]), -1); !slices.Equal(got, want) {
		t.Errorf("%T has the fields\n\t%q\nand the kernel %s the parameters\n\t%q", call, want, kernel, got)
	}
}
