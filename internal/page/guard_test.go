package page

import (
	"encoding/json"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestTokenKeepsStrangersOut(t *testing.T) {
	s := serverOf(t, Config{Runs: []string{fixture(t)}, Token: "a token"})
	for _, path := range []string{"/api/runs", "/api/runs/0/series", "/api/events", "/api/play/x", "/api/nothing"} {
		if code, _ := s.problemOf(t, "GET", path, nil); code != http.StatusForbidden {
			t.Errorf("%s without the token: %d", path, code)
		}
	}
	for _, wrong := range []string{"", "x", s.config.Token + "x", s.config.Token[1:]} {
		if code, text := s.problemOf(t, "POST", "/api/enter", map[string]string{"token": wrong}); code != http.StatusForbidden || text == "" {
			t.Errorf("the token %q: %d %s", wrong, code, text)
		}
	}
	r := httptest.NewRequest("POST", "http://example.org/api/enter", strings.NewReader(`{"token":"`+s.config.Token+`"}`))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	cookies := w.Result().Cookies()
	other := httptest.NewRequest("GET", "http://example.org:8081/api/runs", nil)
	if w.Code != http.StatusOK || len(cookies) != 1 || cookies[0].Name == cookie(other) || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode {
		t.Fatalf("entering: %d, %v", w.Code, cookies)
	}
	for value, want := range map[string]int{cookies[0].Value: http.StatusOK, cookies[0].Value + "x": http.StatusForbidden} {
		r := httptest.NewRequest("GET", "http://example.org/api/runs", nil)
		r.AddCookie(&http.Cookie{Name: cookie(r), Value: value})
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		mustBe(t, "the answer to a visitor with the cookie "+value, w.Code, want)
	}
}

func TestOnlyThePageItselfIsAnswered(t *testing.T) {
	s := serverOf(t, Config{Runs: []string{fixture(t)}})
	for _, c := range []struct {
		what, method, host string
		header             map[string]string
		want               int
	}{
		{"the page", "POST", "localhost:8080", map[string]string{"Origin": "http://localhost:8080"}, 200},
		{"an address", "POST", "127.0.0.1:8080", nil, 200},
		{"version 6", "POST", "[::1]:8080", nil, 200},
		{"a name made to point here", "POST", "evil.example:8080", nil, 403},
		{"a name made to point here", "GET", "localhost.evil.example", nil, 403},
		{"another page", "POST", "localhost:8080", map[string]string{"Origin": "http://evil.example"}, 403},
		{"another port", "POST", "localhost:8080", map[string]string{"Origin": "http://localhost:9"}, 403},
		{"a sandbox", "POST", "localhost:8080", map[string]string{"Origin": "null"}, 403},
		{"another site", "POST", "localhost:8080", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{"another host of this site", "POST", "localhost:8080", map[string]string{"Sec-Fetch-Site": "same-site"}, 403},
		{"a form", "POST", "localhost:8080", map[string]string{"Content-Type": "text/plain"}, 403},
	} {
		path, body := "/api/play", `{"player":"greedy","side":"gold"}`
		if c.method == "GET" {
			path, body = "/api/runs", ""
		}
		r := httptest.NewRequest(c.method, path, strings.NewReader(body))
		r.Host = c.host
		r.Header.Set("Content-Type", "application/json")
		for k, v := range c.header {
			r.Header.Set(k, v)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s: %d, want %d: %s", c.what, w.Code, c.want, w.Body)
		}
	}
}

func TestTokenFor(t *testing.T) {
	for address, asks := range map[string]bool{"127.0.0.1:0": false, "[::1]:0": false, "0.0.0.0:0": true} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Logf("%s: %v", address, err) // a machine without version 6
			continue
		}
		defer l.Close()
		if token := tokenFor(l); (token != "") != asks || asks && len(token) < 20 {
			t.Errorf("%s asks for %q", address, token)
		}
	}
}

// A GET changes nothing: what changes something does not take it.
func TestGetChangesNothing(t *testing.T) {
	s := serverOf(t, Config{})
	for _, path := range []string{"/api/play", "/api/enter", "/api/analyse", "/api/search", "/api/position", "/api/why", "/api/play/x/undo"} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost"+path, nil))
		if w.Code != http.StatusNotFound && w.Code != http.StatusMethodNotAllowed {
			t.Errorf("GET %s: %d", path, w.Code)
		}
	}
	if len(s.open.all) > 0 {
		t.Error("a GET has begun a game")
	}
}

func TestEveryAnswerHasThePolicy(t *testing.T) {
	s := serverOf(t, Config{Runs: []string{fixture(t)}, Token: "x"})
	for _, path := range []string{"/", "/app.js", "/nothing", "/api/runs", "/api/play"} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost"+path, nil))
		p := w.Header().Get("Content-Security-Policy")
		if !strings.HasPrefix(p, "default-src 'none'") || strings.Contains(p, "unsafe") || strings.Contains(p, "*") || strings.Contains(p, "http") {
			t.Errorf("%s has the policy %q", path, p)
		}
		mustBe(t, "X-Content-Type-Options of "+path, w.Header().Get("X-Content-Type-Options"), "nosniff")
	}
}

// The page is small, asks nobody else for anything, and keeps to its own policy.
func TestAssets(t *testing.T) {
	total := 0
	outside := regexp.MustCompile(`(?i)(https?:)?//[a-z0-9-]+\.[a-z]{2,}`)
	err := fs.WalkDir(files, "assets", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := files.ReadFile(path)
		if err != nil {
			return err
		}
		total += len(content)
		if types[filepath.Ext(path)] == "" {
			t.Errorf("%s has no media type", path)
		}
		for _, host := range outside.FindAllString(string(content), -1) {
			if !strings.Contains(host, "www.w3.org") { // the name space of SVG, which nobody fetches
				t.Errorf("%s names %s", path, host)
			}
		}
		for _, forbidden := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "setAttribute('style'", " style=", "onclick="} {
			if strings.Contains(string(content), forbidden) {
				t.Errorf("%s has %s", path, forbidden)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if total > 500_000 || total < 50_000 {
		t.Errorf("the page has %d bytes", total)
	}
	t.Logf("the whole page has %d bytes", total)
	s := serverOf(t, Config{})
	r := httptest.NewRequest("GET", "http://localhost/app.js", nil)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	r.Header.Set("If-None-Match", w.Header().Get("ETag"))
	again := httptest.NewRecorder()
	s.ServeHTTP(again, r)
	if w.Code != 200 || again.Code != http.StatusNotModified {
		t.Errorf("answers %d, then %d", w.Code, again.Code)
	}
}

const secret = "not for the page"

// secretive is a server whose run has a secret next to it and below it.
func secretive(t testing.TB) *Server {
	dir := fixture(t)
	for _, path := range []string{filepath.Join(dir, "secret.txt"), filepath.Join(filepath.Dir(dir), "secret.txt"), filepath.Join(dir, "games", "secret.parquet"), filepath.Join(dir, "networks", "secret.safetensors")} {
		if err := os.WriteFile(path, []byte(secret), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return serverOf(t, Config{Runs: []string{dir}})
}

// raw sends a request whose path net/url need not like, and checks the answer.
func raw(t testing.TB, s *Server, method, path, query, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, "http://localhost/", strings.NewReader(body))
	r.URL = &url.URL{Path: path, RawQuery: query}
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r) // a panic ends the test
	if strings.Contains(w.Body.String(), secret) {
		t.Fatalf("%s %q?%s gives the secret", method, path, query)
	}
	if w.Code >= http.StatusInternalServerError {
		t.Errorf("%s %q?%s %q: %s", method, path, query, body, w.Body)
	}
	return w
}

func TestNoFileOutsideTheRun(t *testing.T) {
	s := secretive(t)
	for _, path := range []string{
		"/../secret.txt", "/secret.txt", "/assets/../secret.txt", "//secret.txt", "/..%2fsecret.txt", "/./app.js/../../secret.txt", "/assets", "/assets/app.js", "/server.go",
		"/api/runs/0/../../secret.txt", "/api/runs/../secret.txt/series", "/api/runs/0/games/../../secret.txt", "/api/runs/0/games/..%2f..%2fsecret.txt", "/api/runs/-1/series", "/api/runs/1/series",
		"/api/runs/99999999999999999999/series", "/api/runs/0/games/18446744073709551616",
	} {
		if w := raw(t, s, "GET", path, "", ""); w.Code < 300 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	for _, id := range []string{"0/../secret", "../secret.txt", "0/1/../../secret", "given", "0/00001x", "0/-1", "aei:touch x", "/etc/passwd", "random,label=x", "0/"} {
		body, _ := json.Marshal(map[string]any{"player": id, "level": "8", "side": "gold", "network": id, "visits": 1})
		for _, path := range []string{"/api/play", "/api/search"} {
			if w := raw(t, s, "POST", path, "", string(body)); w.Code != http.StatusNotFound {
				t.Errorf("%s of %s: %d %s", path, id, w.Code, w.Body)
			}
		}
	}
}

// Requests put together by chance give no panic, no failure of the program's own
// and no file outside the run.
func TestRandomRequests(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 5_000
	}
	s := secretive(t)
	s.runs[0].play(t, "gen-00001")
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(list []string) string { return list[rng.IntN(len(list))] }
	words := []string{"api", "runs", "0", "1", "-1", "games", "series", "play", "players", "analyse", "search", "enter", "..", ".", "", "secret.txt", "app.js", "assets", "18446744073709551615", "\x00", "%2e%2e", "ü", "undo", "hint", "reply", "why", "setup", "matches", "gen-00001", "gen-00001-gatekeeper", "levels", strings.Repeat("9", 400)}
	keys := []string{"generation", "winner", "reason", "opening", "shortest", "longest", "before", "from", "x"}
	values := []string{"", "0", "1", "-1", "gold", "goal", "random", "18446744073709551615", "9223372036854775808", "../secret.txt", "%00", "NaN", "1e9"}
	bodies := []string{"", "{", "null", "[]", `"x"`, `{"player":"random","side":"gold"}`, `{"player":"greedy","side":"silver","moves":"1g Ra1"}`, `{"player":"0/1","level":"1","side":"gold"}`,
		`{"moves":"1g Ra1 Rb1"}`, `{"moves":"` + strings.Repeat("1g ", 300) + `"}`, `{"moves":"\u0000"}`, `{"moves":null}`, `{"actions":[257,257],"network":"0/1","visits":2}`, `{"actions":[-1]}`, `{"actions":[257],"missing":[-1,64,99]}`, `{"actions":[257,257],"missing":[0],"network":"0/1"}`, `{"player":"random","side":"gold","control":"1/1/1/1/1/1"}`,
		`{"player":"random","side":"gold","control":"9e99","handicap":{"gold":"mmmm"}}`, `{"player":"random","side":"gold","control":"1","clock":{"control":"1","reserves":[-1,9223372036854775807]}}`, `{"moves":"1g Ra1 Rb1 Rc1 Rd1 Re1 Rf1 Rg1 Rh1\n1s ra8 rb8 rc8 rd8 re8 rf8 rg8 rh8"}`, `{"actions":[99999]}`, `{"from":3,"to":64}`, `{"from":12,"to":12}`, `{"visits":-1}`, `{"position":"g [` + strings.Repeat(".", 64) + `]"}`, `{"position":"s [E` + strings.Repeat(".", 62) + `r]","actions":[56],"from":56,"to":57}`, `{"token":"x"}`, strings.Repeat("[", 5000)}
	routes := []string{"/api/play", "/api/analyse", "/api/search", "/api/position", "/api/why", "/api/enter", "/api/play/x/play"}
	codes := map[int]int{}
	for range n {
		method, path := "GET", ""
		for range rng.IntN(6) + 1 {
			path += "/" + pick(words)
		}
		if rng.IntN(4) == 0 {
			method, path = "POST", pick(routes)
		} else if rng.IntN(3) == 0 {
			path = "/api/runs/" + pick(words) + "/" + pick([]string{"games", "series", "matches", "games/" + pick(words), "matches/" + pick(words), "matches/gen-00001/" + pick(words)})
		}
		if path == "/api/events" {
			continue // it does not end
		}
		query := pick(keys) + "=" + pick(values) + "&" + pick(keys) + "=" + pick(values)
		codes[raw(t, s, method, path, query, pick(bodies)).Code]++
	}
	if codes[200] == 0 || codes[400] == 0 || codes[404] == 0 {
		t.Errorf("the requests reach too little: %v", codes)
	}
	if len(s.open.all) > maxOpenGames {
		t.Errorf("%d boards are kept", len(s.open.all))
	}
	t.Logf("answers: %v", codes)
}

// Whatever is asked, the answer is not a failure of the program's own, gives no file from outside the
// run, and is JSON where the page expects it. {game} is a new game.
func FuzzRequests(f *testing.F) {
	s := secretive(f)
	f.Add("GET", "/api/runs/0/games", "generation=1", "")
	f.Add("POST", "/api/analyse", "", `{"moves":"1g Ra1 Rb1 Rc1 Dd1 De1 Rf1 Rg1 Rh1 Ra2 Hb2 Cc2 Md2 Ee2 Cf2 Hg2 Rh2"}`)
	const begin = `{"player":"random","side":"gold"}`
	f.Add("POST", "/api/play", "", begin)
	f.Add("GET", "/api/play/{game}", "", "")
	f.Add("POST", "/api/play/{game}/play", "", `{"actions":[257,257]}`)
	f.Add("POST", "/api/play/{game}/setup", "", `{"handicap":{"gold":"m"}}`)
	f.Add("POST", "/api/play/{game}/undo", "", `{}`)
	f.Add("POST", "/api/position", "", `{"position":"g [E......................................................r........]","actions":[120]}`)
	f.Fuzz(func(t *testing.T, method, path, query, body string) {
		if path == "/api/events" || method != "GET" && method != "POST" {
			t.Skip()
		}
		if strings.Contains(path, "{game}") {
			var opened struct{ ID string }
			if w := raw(t, s, "POST", "/api/play", "", begin); json.Unmarshal(w.Body.Bytes(), &opened) != nil || opened.ID == "" {
				t.Fatalf("a game cannot begin: %d %s", w.Code, w.Body)
			}
			path = strings.ReplaceAll(path, "{game}", opened.ID)
		}
		w := raw(t, s, method, path, query, body)
		if len(s.open.all) > maxOpenGames {
			t.Errorf("%d boards are kept", len(s.open.all))
		}
		if strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") && !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s %q?%s %q is answered with %q", method, path, query, body, w.Body)
		}
	})
}

// A request is read up to the length of the longest game.
func TestLongRequest(t *testing.T) {
	s := serverOf(t, Config{})
	for length, want := range map[int]int{maxBody - 100: http.StatusBadRequest, maxBody: http.StatusRequestEntityTooLarge} {
		if code, text := s.problemOf(t, "POST", "/api/analyse", map[string]string{"moves": strings.Repeat("x", length)}); code != want || text == "" {
			t.Errorf("a move list of %d bytes: %d %.80s, want %d", length, code, text, want)
		}
	}
}
