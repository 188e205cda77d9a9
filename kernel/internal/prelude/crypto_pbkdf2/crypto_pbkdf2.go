// Package pbkdf2 is the source from which cells instantiate the generic function of the standard package crypto/pbkdf2:
// RFC 8018.
package pbkdf2

import (
	"crypto/hmac"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"hash"
)

func Key[Hash hash.Hash](h func() Hash, password string, salt []byte, iter, keyLength int) ([]byte, error) {
	if keyLength <= 0 {
		return nil, errors.New("pkbdf2: keyLength must be larger than 0")
	}
	m := hmac.New(func() hash.Hash { return h() }, []byte(password))
	size := m.Size()
	if keyLength+size < keyLength || (int64(keyLength)+int64(size)-1)/int64(size) > 1<<32-1 {
		return nil, errors.New("pbkdf2: keyLength too long")
	}
	var key []byte
	for block := uint32(1); len(key) < keyLength; block++ {
		m.Reset()
		m.Write(salt)
		m.Write(binary.BigEndian.AppendUint32(nil, block))
		u := m.Sum(nil)
		sum := append([]byte{}, u...)
		for n := 2; n <= iter; n++ {
			m.Reset()
			m.Write(u)
			u = m.Sum(u[:0])
			subtle.XORBytes(sum, sum, u)
		}
		key = append(key, sum...)
	}
	return key[:keyLength], nil
}
