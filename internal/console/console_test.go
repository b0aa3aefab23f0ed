package console

import (
	"os"
	"testing"
)

func TestAgain(t *testing.T) {
	before := os.Args
	defer func() { os.Args = before }()
	for want, args := range map[string][]string{
		`train --run a`:                     {"train", "--run", "a"},
		`go run ./cmd/train --run 'my run'`: {"/tmp/go-build123/b001/exe/train", "--run", "my run"},
		`train --run 'Ann'\''s $1'`:         {"train", "--run", "Ann's $1"},
		`'my bin/train' --run a`:            {"my bin/train", "--run", "a"},
	} {
		if os.Args = args; Again("train") != want {
			t.Errorf("got %s, want %s", Again("train"), want)
		}
	}
}
