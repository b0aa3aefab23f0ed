package quoted

import (
	"slices"
	"testing"
)

func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		``:                        {``},
		`a,b=c`:                   {`a`, `b=c`},
		`"a,b",c`:                 {`"a,b"`, `c`},
		`label='x, "y"',z="1,2",`: {`label='x, "y"'`, `z="1,2"`, ``},
		`C:\nets\a,b`:             {`C:\nets\a`, `b`},
		"\xff\"\xfe,\",é":         {"\xff\"\xfe,\"", "é"},
		`it"'s,"one`:              {`it"'s,"one`},
	} {
		if got, err := Split(text, ","); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{`it's`, `a,"b`} {
		if got, err := Split(text, ","); err == nil {
			t.Errorf("%q: %q", text, got)
		}
	}
	if got, err := Words(" a\t'b c'\n\"d\"e '' "); err != nil || !slices.Equal(got, []string{"a", "b c", "de", ""}) {
		t.Errorf("words %q, %v", got, err)
	}
}

// Every text comes back from its quotes, alone and in lists of all kinds.
func FuzzAdd(f *testing.F) {
	for _, text := range []string{``, `a`, `a,b`, `a;b`, `a:b`, `a=b`, `a b`, `it's`, `"`, `""x`, `'"'"`, "a b=c:d;e\xff\n", `C:\a b\c`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		added := Add(text)
		if got := Remove(added); got != text {
			t.Fatalf("%q is written %s, which is %q", text, added, got)
		}
		for _, separators := range []string{" \t\r\n", ",", ";", ":", "="} {
			parts, err := Split(added+separators[:1]+"x"+separators[:1]+added, separators)
			if err != nil || !slices.Equal(parts, []string{added, "x", added}) {
				t.Fatalf("%q in a list at %q: %q, %v", text, separators, parts, err)
			}
		}
	})
}

// Removing quotes after splitting is the same as splitting what has none.
func FuzzSplit(f *testing.F) {
	f.Add(`a,"b,c",'d'`)
	f.Fuzz(func(t *testing.T, text string) {
		parts, err := Split(text, ",")
		if err != nil {
			return
		}
		again := ""
		for i, part := range parts {
			if i > 0 {
				again += ","
			}
			again += Add(Remove(part))
		}
		second, err := Split(again, ",")
		if err != nil || len(second) != len(parts) {
			t.Fatalf("%q has %q, and then %q", text, parts, second)
		}
		for i := range parts {
			if Remove(second[i]) != Remove(parts[i]) {
				t.Fatalf("%q: %q is %q", text, parts[i], second[i])
			}
		}
	})
}
