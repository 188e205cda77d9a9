package contents

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

const savingFolder = "CONTENTS_TEST_FOLDER"

// TestSavingProcess is the process that TestKilledWhileSaving kills: it saves a notebook again and again, and says the
// number of each version that is saved. The versions' sizes differ widely.
func TestSavingProcess(t *testing.T) {
	dir := os.Getenv(savingFolder)
	if dir == "" {
		return // there is nothing to test: TestKilledWhileSaving runs it
	}
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, _ := strconv.Atoi(os.Getenv(savingFolder + "_FROM")); ; i++ {
		s.put(t, "n.ipynb", nb(strings.Replace(notebook, "x := 1",
			fmt.Sprintf("version %d %s", i, strings.Repeat("x", i*7919%300_000)), 1)))
		fmt.Printf("saved %d\n", i)
	}
}

// Killed with SIGKILL at any moment of saving, the server leaves the notebook whole, in the last version that it said
// it had saved or the one after it. A hundred kills, or as many as twenty seconds allow.
func TestKilledWhileSaving(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "n.ipynb")
	last, kills := 0, 0
	for began := time.Now(); kills < 100 && time.Since(began) < 20*time.Second; kills++ {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSavingProcess$")
		cmd.Env = append(os.Environ(), savingFolder+"="+dir, fmt.Sprintf("%s_FROM=%d", savingFolder, last+1))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		said := bufio.NewScanner(out)
		var timer *time.Timer
		for said.Scan() {
			number, ok := strings.CutPrefix(said.Text(), "saved ")
			if !ok {
				t.Fatalf("the process said %q", said.Text())
			}
			last, _ = strconv.Atoi(number)
			if timer == nil { // it is saving: from now on at any moment
				timer = time.AfterFunc(time.Duration(rand.Int64N(int64(15*time.Millisecond))), func() {
					_ = cmd.Process.Kill()
				})
			}
		}
		_ = cmd.Wait()
		if timer == nil {
			t.Fatal("the process saved nothing")
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var found struct{ Cells []struct{ Source any } }
		if err := json.Unmarshal(data, &found); err != nil || len(found.Cells) != 1 {
			t.Fatalf("after kill %d the file of %d bytes is torn: %v", kills, len(data), err)
		}
		source := fmt.Sprint(found.Cells[0].Source)
		version := 0
		if _, err := fmt.Sscanf(strings.Trim(source, "[]"), "version %d", &version); err != nil ||
			version != last && version != last+1 {
			t.Fatalf("after kill %d the file has version %d; %d was acknowledged", kills, version, last)
		}
		if want := fmt.Sprintf("version %d %s", version, strings.Repeat("x", version*7919%300_000)); strings.Trim(
			source, "[]") != want {
			t.Fatalf("after kill %d version %d has %d bytes, expected %d", kills, version, len(source), len(want))
		}
		last = version
	}
	t.Logf("%d kills, %d versions", kills, last)
}
