package controls

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"
)

// The digest is that of numpy.random.RandomState(1337).uniform(0, 3, 130) as little-endian doubles, NumPy 2.4.6.
func TestVelocitiesAreNumPys(t *testing.T) {
	list := publishedVelocities()
	h := sha256.New()
	if err := binary.Write(h, binary.LittleEndian, list); err != nil {
		t.Fatal(err)
	}
	if got := hex.EncodeToString(
		h.Sum(nil)); got != "50324908bd37d04c679e06e370db72781df6ec635adff9c826c3c002f8d20169" {
		t.Errorf("digest %s", got)
	}
	for i, want := range map[int]float64{0: 0x1.92784b6b9f286p-1, 1: 0x1.e77a2751a2372p-2, 100: 0x1.0685d5baf2724p+1,
		129: 0x1.1ddc6c5ede595p-1} {
		if list[i] != want {
			t.Errorf("velocity %d is %v, NumPy draws %v", i, list[i], want)
		}
	}
}

func TestVelocityTasks(t *testing.T) {
	list := publishedVelocities()
	for _, c := range []struct{ nTrain, nTest, train, test int }{{0, 0, 100, 30}, {100, 30, 100, 30}, {8, 4, 8, 4},
		{129, 1, 129, 1}} {
		train, test, err := cheetahVel().Tasks(99, c.nTrain, c.nTest)
		if err != nil || len(train) != c.train || len(test) != c.test {
			t.Fatalf("%+v: %d train, %d test, %v", c, len(train), len(test), err)
		}
		for i, task := range train {
			if task.ID != i || task.Params[0] != list[i] {
				t.Errorf("%+v: train task %d is %+v", c, i, task)
			}
		}
		for i, task := range test {
			if want := 130 - c.test + i; task.ID != want || task.Params[0] != list[want] {
				t.Errorf("%+v: test task %d is %+v", c, i, task)
			}
		}
	}
	for _, c := range [][2]int{{120, 11}, {-1, 30}, {100, -2}} {
		if _, _, err := cheetahVel().Tasks(0, c[0], c[1]); err == nil || !strings.Contains(err.Error(), "130") {
			t.Errorf("%v: error %v does not name the limit", c, err)
		}
	}
}

func TestDirectionTasks(t *testing.T) {
	train, test, err := cheetahDir().Tasks(3, 0, 2)
	if err != nil || len(train) != 2 || len(test) != 2 {
		t.Fatal(train, test, err)
	}
	for i, want := range []float64{-1, 1} {
		if train[i].Params[0] != want || test[i].Params[0] != want || train[i].ID != i || test[i].ID != i {
			t.Errorf("task %d: train %+v, test %+v", i, train[i], test[i])
		}
	}
	if _, _, err := cheetahDir().Tasks(0, 5, 2); err == nil || !strings.Contains(err.Error(), "5 train") {
		t.Errorf("5 train tasks: %v", err)
	}
}
