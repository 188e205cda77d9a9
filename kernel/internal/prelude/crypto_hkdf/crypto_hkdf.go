// Package hkdf is the source from which cells instantiate the generic functions of the standard package crypto/hkdf:
// RFC 5869.
package hkdf

import (
	"crypto/hmac"
	"errors"
	"hash"
)

func Extract[H hash.Hash](h func() H, secret, salt []byte) ([]byte, error) {
	if salt == nil {
		salt = make([]byte, h().Size())
	}
	m := hmac.New(func() hash.Hash { return h() }, salt)
	m.Write(secret)
	return m.Sum(nil), nil
}

func Expand[H hash.Hash](h func() H, pseudorandomKey []byte, info string, keyLength int) ([]byte, error) {
	size := h().Size()
	if keyLength > 255*size {
		return nil, errors.New("hkdf: requested key length too large")
	}
	m := hmac.New(func() hash.Hash { return h() }, pseudorandomKey)
	var out, block []byte
	for n := 1; len(out) < keyLength; n++ {
		m.Reset()
		m.Write(block)
		m.Write([]byte(info))
		m.Write([]byte{byte(n)})
		block = m.Sum(nil)
		out = append(out, block...)
	}
	return out[:keyLength], nil
}

func Key[Hash hash.Hash](h func() Hash, secret, salt []byte, info string, keyLength int) ([]byte, error) {
	if keyLength > 255*h().Size() {
		return nil, errors.New("hkdf: requested key length too large")
	}
	prk, err := Extract(h, secret, salt)
	if err != nil {
		return nil, err
	}
	return Expand(h, prk, info, keyLength)
}
