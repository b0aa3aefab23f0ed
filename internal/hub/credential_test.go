package hub

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
)

func TestCredentials(t *testing.T) {
	dir := t.TempDir()
	keys, err := OpenKeys(dir)
	if err != nil {
		t.Fatal(err)
	}
	authority, err := keys.Authority()
	if err != nil {
		t.Fatal(err)
	}
	file, err := keys.Add("laptop", 3, authority)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := jwt.ParseDecoratedUserNKey(file); err != nil {
		t.Errorf("the file has no key: %v", err)
	}
	if c, err := clientTLS(file); err != nil || c.ServerName != serverName {
		t.Errorf("the file has no authority: %v", err)
	}
	for _, name := range []string{"", "../x", "a b", "laptop", "-x", strings.Repeat("x", 64)} {
		if _, err := keys.Add(name, 1, nil); err == nil {
			t.Errorf("the name %q is accepted", name)
		}
		if err := keys.Free(name); err == nil {
			t.Errorf("the name %q is free", name)
		}
	}
	if err := keys.Remove("laptop", "lost"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"laptop", "nobody", "../keys"} {
		if err := keys.Remove(name, ""); err == nil {
			t.Errorf("%q is removed", name)
		}
	}
	before, err := keys.load("laptop")
	if err != nil {
		t.Fatal(err)
	}
	// The worker stays out even if its credential is from a later time than the removal, as it is when
	// the clock is set back in between.
	if claims := keys.workerAccount(before); !claims.Revocations.IsRevoked("any", time.Now().AddDate(10, 0, 0)) {
		t.Error("a credential of a later time is not revoked")
	}
	if err := keys.Free("laptop"); err != nil {
		t.Error(err)
	}
	if _, err := keys.Add("laptop", 1, authority); err != nil {
		t.Errorf("a name whose worker was removed is not free: %v", err)
	}
	again, err := OpenKeys(dir)
	if err != nil {
		t.Fatal(err)
	}
	list, err := again.List()
	if err != nil || len(list) != 1 || list[0].Removed != nil || list[0].Account == before.Account {
		t.Errorf("the list is %+v, %v", list, err)
	}
	if public(again.operator) != public(keys.operator) {
		t.Error("the keys are others when they are opened again")
	}
	if same, err := again.Authority(); err != nil || string(same) != string(authority) {
		t.Errorf("the authority is another when it is opened again: %v", err)
	}
}

// A certificate that workers know is not replaced when it is missing, unless all of them are removed.
func TestCertificateThatIsMissing(t *testing.T) {
	keys, err := OpenKeys(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	authority, err := keys.Authority()
	if err == nil {
		_, err = keys.Add("laptop", 1, authority)
	}
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(keys.dir, "tls")
	for _, lost := range []string{filepath.Join(dir, certFile), dir} {
		if err := os.RemoveAll(lost); err != nil {
			t.Fatal(err)
		}
		if _, err := keys.Authority(); err == nil || !strings.Contains(err.Error(), "do not recognize the hub: laptop;") {
			t.Errorf("without %s: %v", lost, err)
		}
		if _, err := os.Stat(lost); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is made anew: %v", lost, err)
		}
	}
	if err := keys.Remove("laptop", ""); err != nil {
		t.Fatal(err)
	}
	if other, err := keys.Authority(); err != nil || string(other) == string(authority) {
		t.Errorf("after all workers are removed: %v", err)
	}
}
