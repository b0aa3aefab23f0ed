package visible

import "testing"

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "",
		`plain "text", naïve: 象`:  `plain "text", naïve: 象`,
		"a\x1b[31mb\x07":          `a\x1b[31mb\a`,
		"one\ntwo\r\tthree":       `one\ntwo\r\tthree`,
		"\u202eevil\u200b\u0085x": `\u202eevil\u200b\u0085x`,
		"\xff\xfea":               `\xff\xfea`,
		"\ufffd":                  "\ufffd", // the character itself is printable
		"del\x7f\x9b":             `del\x7f\x9b`,
	} {
		if got := Text(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
