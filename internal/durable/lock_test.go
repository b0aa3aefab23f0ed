package durable

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func TestLockIsHeldByOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := Lock(path); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), path) {
		t.Errorf("a second lock gave %v, %v", second, err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Lock(path)
	if err != nil {
		t.Fatalf("after Close: %v", err)
	}
	again.Close()
	if _, err := Lock(filepath.Join(path, "x")); err == nil || errors.Is(err, ErrLocked) {
		t.Errorf("an impossible path gave %v", err)
	}
}

func TestLockDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	first, err := LockDir(dir, "it is taken: wait")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := LockDir(dir, "it is taken: wait"); err == nil || err.Error() != "it is taken: wait" {
		t.Errorf("a second lock gave the error %v", err)
	}
	first.Close()
	again, err := LockDir(dir, "")
	if err != nil {
		t.Fatalf("after Close: %v", err)
	}
	again.Close()
	if _, err := LockDir(filepath.Join(dir, "lock"), "it is taken"); err == nil || err.Error() == "it is taken" {
		t.Errorf("a file instead of the directory gave the error %v", err)
	}
}
