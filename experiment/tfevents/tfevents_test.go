package tfevents

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func Example() {
	dir, _ := os.MkdirTemp("", "events")
	defer os.RemoveAll(dir)
	w, err := Create(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(w.Scalars(120, map[string]float64{"loss/q": 0.5, "return/adapted": 212}))
	fmt.Println(w.Close())
	// Output:
	// <nil>
	// <nil>
}

// official was written by TensorBoard 2.21's own Python package for the three events of TestOfficialBytes.
const official = "1800000000000000a37f4b220900001040fc54d9411a0d627261696e2e4576656e743a32338d2fe9" +
	"100000000000000095fbfe180900001040fc54d94110ac023a0208016b3b88f1" +
	"2c00000000000000f4aecc450900001040fc54d94110ac022a1e0a0d0a066c6f73732f7115cdcccc3d" +
	"0a0d0a0672657475726e15008054c30f24b028"

func at(seconds int64) func() time.Time {
	return func() time.Time { return time.UnixMilli(seconds*1000 + 250) }
}

func TestOfficialBytes(t *testing.T) {
	dir := t.TempDir()
	w, err := create(dir, at(1700000000))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.start(300); err != nil {
		t.Fatal(err)
	}
	if err := w.Scalars(300, map[string]float64{"return": -212.5, "loss/q": 0.1}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "events.out.tfevents.1700000000.nacre"))
	if err != nil {
		t.Fatal(err)
	}
	if hex.EncodeToString(got) != official {
		t.Errorf("got  %x\nwant %s", got, official)
	}
}

// The CRC-32C of 32 zero bytes is 8a9136aa (RFC 3720, B.4). Rotated right by 15 bits that is 6d551522, and
// 6d551522 + a282ead8 = 0fd7fffa.
func TestMaskedCRC(t *testing.T) {
	if got := maskedCRC(make([]byte, 32)); got != 0x0fd7fffa {
		t.Errorf("masked CRC %08x, want 0fd7fffa", got)
	}
}

func TestResumedFileSortsLast(t *testing.T) {
	dir := t.TempDir()
	for i, seconds := range []int64{1700000000, 1700000000, 1600000000} {
		w, err := create(dir, at(seconds))
		if err != nil {
			t.Fatal(err)
		}
		w.Close()
		entries, _ := os.ReadDir(dir)
		last := entries[len(entries)-1].Name()
		if want := fmt.Sprintf("events.out.tfevents.%d.nacre", 1700000000+i); len(entries) != i+1 || last != want {
			t.Errorf("file %d: last of %d is %s, want %s", i, len(entries), last, want)
		}
	}
}

func TestResumeAndErrors(t *testing.T) {
	dir := t.TempDir()
	w, err := Resume(dir, 7)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Scalars(8, nil); err == nil {
		t.Error("writing to a closed file succeeded")
	}
	if err := w.Close(); err == nil {
		t.Error("closing twice succeeded")
	}
	if _, err := Create(filepath.Join(dir, "missing")); err == nil {
		t.Error("a missing folder was accepted")
	}
}
