package console

import "testing"

// Words are quoted for the shells of each system: on Windows for cmd and PowerShell, to which a backslash is nothing
// special and a single quote of cmd is a character of the word.
func TestQuote(t *testing.T) {
	for _, test := range []struct{ word, unix, windows string }{
		{`a`, `a`, `a`},
		{``, `''`, `""`},
		{`my run`, `'my run'`, `"my run"`},
		{`runs\night`, `'runs\night'`, `runs\night`},
		{`C:\my runs\`, `'C:\my runs\'`, `"C:\my runs\\"`},
		{`Ann's`, `'Ann'\''s'`, `"Ann's"`},
		{`a&b`, `'a&b'`, `"a&b"`},
		{`50%`, `50%`, `"50%"`},
		{`net:a,visits=4`, `net:a,visits=4`, `"net:a,visits=4"`},
		{`net:"a\" b`, `'net:"a\" b'`, `"net:\"a\\\" b"`},
	} {
		if got := quote("linux", test.word); got != test.unix {
			t.Errorf("%s is %s, want %s", test.word, got, test.unix)
		}
		if got := quote("windows", test.word); got != test.windows {
			t.Errorf("on Windows %s is %s, want %s", test.word, got, test.windows)
		}
	}
}

func TestQuoteProgram(t *testing.T) {
	for _, test := range []struct{ path, unix, windows string }{
		{`./warren`, `./warren`, `./warren`},
		{`/my bin/warren`, `'/my bin/warren'`, `warren`},
		{`C:\bin\warren.exe`, `'C:\bin\warren.exe'`, `C:\bin\warren.exe`},
		{`C:\Program Files\Warren\warren.exe`, `'C:\Program Files\Warren\warren.exe'`, `warren.exe`},
	} {
		if got := quoteProgram("linux", test.path); got != test.unix {
			t.Errorf("%s is %s, want %s", test.path, got, test.unix)
		}
		if got := quoteProgram("windows", test.path); got != test.windows {
			t.Errorf("on Windows %s is %s, want %s", test.path, got, test.windows)
		}
	}
}
