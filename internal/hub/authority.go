package hub

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"time"

	"warren/internal/durable"
)

// authorityName is the name of an authority that a hub has made.
const authorityName = "warren authority"

// serverName is the name in the certificate that the hub's own authority signs. A worker expects
// this name at any address, because it trusts only this authority.
const serverName = "warren-hub"

// Names of the certificate files, in the hub's directory tls.
const (
	authorityFile = "authority.pem" // absent if the user provides the certificate
	certFile      = "server.pem"
	keyFile       = "server.key"
)

// Authority returns the certificate that a worker trusts, in PEM. It returns nil if the user has put
// a certificate of another authority into the hub's directory, as tls/server.pem and tls/server.key.
// The first call makes an authority, signs one certificate with it and discards its key. It returns an error
// if workers know a certificate that is missing.
func (k *Keys) Authority() ([]byte, error) {
	dir := filepath.Join(k.dir, "tls")
	if _, err := os.Stat(filepath.Join(dir, certFile)); err == nil {
		authority, err := durable.ReadFile(filepath.Join(dir, authorityFile), durable.Document)
		switch {
		case err == nil:
			err = k.vouches(authority)
		case errors.Is(err, fs.ErrNotExist) && !k.ownAuthority():
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading the hub's authority, %s: %w; copy it from a backup, or delete the directory %s and add all workers again",
				filepath.Join(dir, authorityFile), err, dir)
		}
		return authority, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := k.recognized(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the hub's directory: %w", err)
	}
	authority, err := newAuthority(dir)
	if err != nil {
		return nil, fmt.Errorf("making the hub's certificate: %w", err)
	}
	return authority, nil
}

// ownAuthority reports whether an authority that the hub has made has signed its certificate.
func (k *Keys) ownAuthority() bool {
	cert, err := k.certificate()
	return err == nil && cert.Issuer.CommonName == authorityName
}

// certificate reads the hub's certificate.
func (k *Keys) certificate() (*x509.Certificate, error) {
	content, err := durable.ReadFile(filepath.Join(k.dir, "tls", certFile), durable.Document)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(content)
	if block == nil {
		return nil, fmt.Errorf("there is no certificate in %s beside it", certFile)
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s beside it: %w", certFile, err)
	}
	return cert, nil
}

// recognized returns an error if the hub's certificate, which is missing in dir, has been given to workers. They
// would not connect to a hub with another.
func (k *Keys) recognized(dir string) error {
	list, err := k.List()
	if err != nil {
		return err
	}
	var names []string
	for _, w := range list {
		if w.Removed == nil {
			names = append(names, w.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("the hub's certificate in %s is missing, and without it these workers do not recognize the hub: %s; copy the directory from a backup, or remove all of them and add them again",
		dir, strings.Join(names, ", "))
}

// vouches returns an error unless a worker that trusts this authority trusts the hub's certificate.
func (k *Keys) vouches(authority []byte) error {
	trusted, err := clientTLS(authority)
	if err != nil {
		return err
	}
	if trusted.RootCAs == nil {
		return errors.New("there is no certificate in it")
	}
	cert, err := k.certificate()
	if err != nil {
		return err
	}
	// Whether the certificate is valid today is another matter: this machine's clock may be wrong.
	_, err = cert.Verify(x509.VerifyOptions{Roots: trusted.RootCAs, DNSName: serverName, CurrentTime: cert.NotAfter})
	return err
}

// newAuthority makes an authority and a certificate signed by it.
func newAuthority(dir string) ([]byte, error) {
	now := time.Now()
	template := func(name string) *x509.Certificate {
		serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
		if err != nil {
			panic(err) // crypto/rand does not fail
		}
		return &x509.Certificate{
			SerialNumber: serial, Subject: pkix.Name{CommonName: name},
			NotBefore: now.Add(-24 * time.Hour), NotAfter: now.AddDate(20, 0, 0),
		}
	}
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	authority := template(authorityName)
	authority.IsCA, authority.BasicConstraintsValid, authority.MaxPathLenZero = true, true, true
	authority.KeyUsage = x509.KeyUsageCertSign
	signed, err := x509.CreateCertificate(rand.Reader, authority, authority, authorityKey.Public(), authorityKey)
	if err != nil {
		return nil, err
	}
	serverKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	server := template(serverName)
	server.DNSNames = []string{serverName}
	server.KeyUsage = x509.KeyUsageDigitalSignature
	server.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	cert, err := x509.CreateCertificate(rand.Reader, server, authority, serverKey.Public(), authorityKey)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(serverKey)
	if err != nil {
		return nil, err
	}
	block := func(kind string, b []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}) }
	text := block("CERTIFICATE", signed)
	// The certificate is written last. If a start is killed before that, the next one makes all anew.
	for _, f := range []struct {
		name    string
		content []byte
	}{{authorityFile, text}, {keyFile, block("PRIVATE KEY", private)}, {certFile, block("CERTIFICATE", cert)}} {
		if err := durable.WriteBytes(filepath.Join(dir, f.name), f.content); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// serverTLS returns the TLS configuration of the embedded server, with its certificate.
func (k *Keys) serverTLS() (*tls.Config, error) {
	if _, err := k.Authority(); err != nil {
		return nil, err
	}
	dir := filepath.Join(k.dir, "tls")
	var cert tls.Certificate
	chain, err := durable.ReadFile(filepath.Join(dir, certFile), durable.Document)
	key, keyErr := durable.ReadFile(filepath.Join(dir, keyFile), durable.Document)
	if err = cmp.Or(err, keyErr); err == nil {
		cert, err = tls.X509KeyPair(chain, key)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the hub's certificate in %s: %w; copy it from a backup, or delete the directory and add all workers again", dir, err)
	}
	return &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS13}, nil
}

// clientTLS returns the TLS configuration of a worker. It trusts the authority in the credential if
// there is one, and the authorities of the system otherwise.
func clientTLS(credential []byte) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS13}
	for rest := credential; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return c, nil
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		authority, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("reading the certificate of the hub's authority: %w", err)
		}
		if c.RootCAs == nil {
			c.RootCAs, c.ServerName = x509.NewCertPool(), serverName
		}
		c.RootCAs.AddCert(authority)
	}
}
