package page

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
)

//go:embed assets
var files embed.FS

// types maps file extensions to media types.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// assets serves the page's own files. They are read once and sent with their
// hash as the ETag, so that a browser can cache them until they change.
func assets() http.Handler {
	type asset struct {
		content     []byte
		kind, label string
	}
	all := map[string]asset{}
	err := fs.WalkDir(files, "assets", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		all[name[len("assets"):]] = asset{content, types[path.Ext(name)], `"` + hex.EncodeToString(sum[:12]) + `"`}
		return nil
	})
	if err != nil {
		panic(err) // the files are part of the program
	}
	all["/"] = all["/index.html"]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, ok := all[r.URL.Path]
		if !ok {
			sendProblem(w, &problem{status: http.StatusNotFound, text: "there is no such page"})
			return
		}
		h := w.Header()
		h.Set("Content-Type", a.kind)
		h.Set("Cache-Control", "no-cache")
		h.Set("ETag", a.label)
		if r.Header.Get("If-None-Match") == a.label {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Write(a.content)
	})
}
