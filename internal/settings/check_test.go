package settings

import (
	"strings"
	"testing"
	"time"
)

func TestCheck(t *testing.T) {
	if err := Check(defaults()); err != nil {
		t.Errorf("good settings: %v", err)
	}
	for want, v := range map[string]any{
		"n: has no doc tag": struct {
			N bool `yaml:"n"`
		}{},
		"n: a number needs the tags min and max": struct {
			N time.Duration `yaml:"n" min:"0s" doc:"d"`
		}{},
		"n: the default 0 is out of range (allowed: 1 to 2)": struct {
			N int `yaml:"n" min:"1" max:"2" doc:"d"`
		}{},
		`n: the default "" is not allowed (allowed: a, b)`: struct {
			N string `yaml:"n" oneof:"a b" doc:"d"`
		}{},
		"n: comes after the section s": struct {
			S struct {
				M bool `yaml:"m" doc:"d"`
			} `yaml:"s" doc:"d"`
			N bool `yaml:"n" doc:"d"`
		}{},
		`N: needs a tag yaml:"name" without options`: struct{ N int }{},
		"min 3 is above max 2": struct {
			N int `yaml:"n" min:"3" max:"2" doc:"d"`
		}{},
		"the tag max: 300 is too large in magnitude": struct {
			N int8 `yaml:"n" min:"3" max:"300" doc:"d"`
		}{},
		"the tag min has no meaning for a string": struct {
			N string `yaml:"n" min:"3" doc:"d"`
		}{},
		"a []int cannot be a setting": struct {
			N []int `yaml:"n" doc:"d"`
		}{},
		"a second setting with the name n": struct {
			N bool `yaml:"n" doc:"d"`
			M bool `yaml:"n" doc:"d"`
		}{},
		`the name "N-x" is not lower case`: struct {
			N bool `yaml:"N-x" doc:"d"`
		}{},
		"settings must be a struct": 3,
	} {
		if err := Check(v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v:\ngot  %v\nwant %s", v, err, want)
		}
	}
}
