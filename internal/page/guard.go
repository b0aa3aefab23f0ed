package page

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// policy allows the page to load its own files and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// tokenFor returns the token that a server listening on l requires of visitors:
// none on a loopback address, and a new one, which nobody can guess, elsewhere.
func tokenFor(l net.Listener) string {
	if host, _, err := net.SplitHostPort(l.Addr().String()); err == nil && loopback(host) {
		return ""
	}
	return rand.Text()
}

// loopback reports whether a host is a loopback name or address, which always
// means the local machine.
func loopback(host string) bool {
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// guard passes on the allowed requests and refuses all others.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		control := http.NewResponseController(w)
		// Not every writer supports a deadline. One without it has no connection.
		control.SetReadDeadline(time.Now().Add(arrival))
		if why := s.refuse(r); why != "" {
			sendProblem(w, &problem{status: http.StatusForbidden, text: why})
			return
		}
		body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
		if err != nil {
			sendProblem(w, &problem{status: http.StatusBadRequest, text: "the request did not arrive completely"})
			return
		}
		if len(body) > maxBody {
			sendProblem(w, &problem{status: http.StatusRequestEntityTooLarge, text: fmt.Sprintf("more than %d bytes: longer than any game", maxBody)})
			return
		}
		control.SetReadDeadline(time.Time{}) // an answer may take longer
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// refuse returns the reason for refusing a request, or "" if it is allowed.
func (s *Server) refuse(r *http.Request) string {
	// Without a token, the host must be a loopback name. A foreign page whose name
	// is made to resolve to this machine has another host name.
	if s.config.Token == "" && !loopback(hostname(r.Host)) {
		return "this page answers only requests to localhost"
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		if origin := r.Header.Get("Origin"); origin != "" {
			if u, err := url.Parse(origin); err != nil || u.Host != r.Host {
				return "the request comes from another page"
			}
		}
		if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
			return "the request comes from another page"
		}
		if t, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); t != "application/json" {
			return "the request is not JSON"
		}
	}
	if strings.HasPrefix(r.URL.Path, "/api/") && r.URL.Path != "/api/enter" && !s.known(r) {
		return "open the address that the program printed, with its token"
	}
	return ""
}

func hostname(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		return h
	}
	return host
}

// cookie returns the name of the cookie that holds the token. It has the port in it,
// because browsers send a cookie to all ports of a host.
func cookie(r *http.Request) string {
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		return "warren-" + port
	}
	return "warren"
}

// known reports whether the visitor has presented the token, if one is
// required.
func (s *Server) known(r *http.Request) bool {
	if s.config.Token == "" {
		return true
	}
	c, err := r.Cookie(cookie(r))
	return err == nil && same(c.Value, s.config.Token)
}

// same compares a and b in a time that does not depend on their content.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// enter exchanges the token for the cookie.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	s.answer(w, r, func(r *http.Request) (any, error) {
		var key struct {
			Token string `json:"token"`
		}
		if err := read(r, &key); err != nil {
			return nil, err
		}
		if s.config.Token != "" {
			if !same(key.Token, s.config.Token) {
				return nil, &problem{status: http.StatusForbidden, text: "the token is wrong: open the address that the program printed"}
			}
			http.SetCookie(w, &http.Cookie{Name: cookie(r), Value: s.config.Token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
		}
		return struct{}{}, nil
	})
}
