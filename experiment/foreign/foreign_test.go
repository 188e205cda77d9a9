package foreign

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"nacre/experiment/tfevents"
)

// put writes a file of a log.
func put(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// npz writes arrays of float64 as NumPy's archive.
func npz(t *testing.T, dir, name string, arrays map[string][][]float64) {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for key, rows := range arrays {
		w, err := z.Create(key + ".npy")
		if err != nil {
			t.Fatal(err)
		}
		shape := fmt.Sprintf("(%d, %d)", len(rows), len(rows[0]))
		if len(rows[0]) == 1 {
			shape = fmt.Sprintf("(%d,)", len(rows))
		}
		head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': %s, }", shape)
		head += strings.Repeat(" ", 63-(10+len(head))%64) + "\n"
		data := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
		data = append(data, head...)
		for _, row := range rows {
			for _, v := range row {
				data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
			}
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	put(t, dir, name, b.String())
}

// wandbFile returns what W&B's client writes for a run of a name, or project|group|name: its settings, then rows of
// history.
func wandbFile(name, config string, rows ...string) string {
	item := func(key, value string) []byte {
		b := protowire.AppendString(protowire.AppendTag(nil, itemNested, protowire.BytesType), key)
		return protowire.AppendString(protowire.AppendTag(b, itemJSON, protowire.BytesType), value)
	}
	message := func(field protowire.Number, content []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), content)
	}
	pairs := func(text string) (b []byte) {
		for _, pair := range strings.Split(text, ";") {
			key, value, _ := strings.Cut(pair, "=")
			b = append(b, message(items, item(key, value))...)
		}
		return b
	}
	parts := append([]string{"", ""}, strings.Split(name, "|")...)
	parts = parts[len(parts)-3:]
	run := message(runConfig, pairs(config))
	for k, field := range []protowire.Number{runProject, runGroup, runName} {
		run = append(run, message(field, []byte(parts[k]))...)
	}
	records := [][]byte{message(wandbRun, run)}
	for _, row := range rows {
		records = append(records, message(wandbHistory, pairs(row)))
	}
	b := []byte(wandbMagic + "\xe1\xbe\x00")
	for _, r := range records {
		for first := true; first || len(r) > 0; first = false {
			if left := wandbBlock - len(b)%wandbBlock; left < wandbPiece {
				b = append(b, make([]byte, left)...)
			}
			n := min(len(r), wandbBlock-len(b)%wandbBlock-wandbPiece)
			kind := byte(3)
			switch {
			case first && n == len(r):
				kind = 1
			case first:
				kind = 2
			case n == len(r):
				kind = 4
			}
			piece := append([]byte{kind}, r[:n]...)
			b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(piece))
			b = append(binary.LittleEndian.AppendUint16(b, uint16(n)), piece...)
			r = r[n:]
		}
	}
	return string(b)
}

func eventsOf(t *testing.T, dir string, tag string, steps []int64, values []float64) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w, err := tfevents.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range steps {
		if err := w.Scalars(s, map[string]float64{tag: values[i], "losses/q": 1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// eventFile writes an event file into a folder: steps and values of a tag, in turns.
func eventFile(t *testing.T, dir, name, number, tag string, pairs ...float64) {
	t.Helper()
	w := t.TempDir()
	e, err := tfevents.Create(w)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(pairs); i += 2 {
		if err := e.Scalars(int64(pairs[i]), map[string]float64{tag: pairs[i+1]}); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := tfevents.Files(w)
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, name+"/events.out.tfevents."+number, string(data))
}

const eventsTold = `tb (TensorBoard) on environment not named | steps from "step", return from "eval/return" | `

// oneRun is what is said of several event files whose steps go back.
func oneRun(n int) string {
	return fmt.Sprintf("its %d event files are read as one run, in the order of their names; if they are several "+
		"runs, move each file into a folder of its own", n)
}

// told returns what is known of a log, in a line.
func told(l *Log) string {
	var points []string
	for _, p := range l.Points {
		text := fmt.Sprintf("%g:%g", p.Steps, p.Return)
		if !math.IsNaN(p.Success) {
			text += fmt.Sprintf("/%g", p.Success)
		}
		points = append(points, text)
	}
	return fmt.Sprintf("%s | %s | %s", l.Title(), l.Rule(), strings.Join(points, " "))
}

const trained = ", of training episodes: it logs no evaluation that is known"

// Logs of every program, as they write them.
func TestLogs(t *testing.T) {
	for name, c := range map[string]struct {
		make  func(dir string)
		ref   string // below dir
		want  string
		notes string
	}{
		"oyster": {func(dir string) {
			put(t, dir, "cheetah-vel/2026_11_28_10_00_00/progress.csv",
				"AverageReturn_all_test_tasks,AverageReturn_all_train_tasks,Number of env steps total,Epoch\n"+
					"-100.5,-90,4000,0\n-50,-40,8000,1\n")
			put(t, dir, "cheetah-vel/2026_11_28_10_00_00/variant.json",
				`{"env_name": "cheetah-vel", "latent_size": 5, "util_params": {"seed": 3}}`)
		}, "cheetah-vel/2026_11_28_10_00_00", `oyster on cheetah-vel, seed 3 | steps from "Number of env steps total", return from "AverageReturn_all_test_tasks" | 4000:-100.5 8000:-50`, ""},
		"garage": {func(dir string) {
			put(t, dir, "pearl-ml1/progress.csv",
				"TotalEnvSteps,MetaTest/Average/AverageReturn,MetaTest/Average/SuccessRate,Iteration\n1000,1.5,0,0\n"+
					"2000,,,1\n3000,2.5,0.5,2\n")
			put(t, dir, "pearl-ml1/variant.json", `{"seed": 7, "env_name": "push-v2"}`)
		}, "pearl-ml1", `pearl-ml1 (garage) on push-v2, seed 7 | steps from "TotalEnvSteps", return from "MetaTest/Average/AverageReturn" | 1000:1.5/0 3000:2.5/0.5`, "the return is missing in 1 of 3 rows, first at step 2000: they are left out"},
		"a run that was resumed": {func(dir string) {
			put(t, dir, "a/progress.csv", "TotalEnvSteps,AverageReturn\n1000,1\n2000,2\n3000,3\n1500,20\n2500,30\n"+
				"3500,40\n")
		}, "a", `a (garage) on environment not named | steps from "TotalEnvSteps", return from "AverageReturn"` +
			trained + ` | 1000:1 1500:20 2500:30 3500:40`,
			"the steps go back once, first to 1500: the 2 rows above of that step and later ones are left out"},
		"rows in no order": {func(dir string) {
			put(t, dir, "a/progress.csv", "TotalEnvSteps,AverageReturn\n3000,3\n2000,2\n1000,1\n")
		}, "a", `a (garage) on environment not named | steps from "TotalEnvSteps", return from "AverageReturn"` +
			trained + ` | 1000:1 2000:2 3000:3`, "its rows are not in the order of their steps: they are sorted"},
		"returns that are no numbers": {func(dir string) {
			put(t, dir, "a/progress.csv", "TotalEnvSteps,AverageReturn\n1000,1\n2000,nan\n3000,inf\n4000,4\n")
		}, "a", `a (garage) on environment not named | steps from "TotalEnvSteps", return from "AverageReturn"` +
			trained + ` | 1000:1 4000:4`, "the return is infinite in 1 of 4 rows: they are left out; the return is " +
			"NaN in 1 of 4 rows, first at step 2000: they are left out"},
		"NaN in an event file": {func(dir string) {
			eventsOf(t, filepath.Join(dir, "tb"), "eval/return", []int64{1, 2, 3}, []float64{1, math.NaN(), 3})
		}, "tb", `tb (TensorBoard) on environment not named | steps from "step", return from "eval/return" | 1:1 3:3`,
			"the return is NaN in 1 of 3 rows, first at step 2: they are left out"},
		"NaN in W&B's": {func(dir string) {
			put(t, dir, "wandb/offline-run-20261128_1-ab/run-ab.wandb",
				wandbFile("a-seed6", "seed=6", `_step=0;eval/return="NaN"`, "_step=1;eval/return=2"))
		}, "wandb/offline-run-20261128_1-ab",
			`a (W&B) on environment not named, seed 6 | steps from "_step", return from "eval/return" | 1:2`,
			"the return is NaN in 1 of 2 rows, first at step 0: they are left out"},
		"monitors that began at other times": {func(dir string) {
			put(t, dir, "ppo/0.monitor.csv", "#{\"t_start\": 100.0}\nr,l,t\n1,10,0.1\n2,20,0.2\n")
			put(t, dir, "ppo/1.monitor.csv", "#{\"t_start\": 105.0}\nr,l,t\n3,30,0.05\n")
		}, "ppo", `ppo (Stable-Baselines3) on environment not named | steps from "timesteps", return from "r"` +
			trained + ` | 10:1 30:2 60:3`, "episodes of 2 environments, in the order in which they ended"},
		"a monitor with a name before it": {func(dir string) {
			put(t, dir, "ppo/eval_monitor.csv", "#{\"t_start\": 1.0}\nr,l,t\n1,10,0.1\n")
		}, "ppo", `ppo (Stable-Baselines3) on environment not named | steps from "timesteps", return from "r"` +
			trained + ` | 10:1`, ""},
		"garage with one task's name": {func(dir string) {
			put(t, dir, "x/progress.csv", "TotalEnvSteps,MetaTest/push-v2/AverageReturn\n10,1\n")
		}, "x", `x (garage) on environment not named | steps from "TotalEnvSteps", return from "MetaTest/push-v2/AverageReturn" | 10:1`, ""},
		"Stable-Baselines3's progress": {func(dir string) {
			put(t, dir, "logs/ppo/seed2/monitor.csv", "#{\"t_start\": 1.5, \"env_id\": \"Ant-v4\"}\nr,l,t\n1,1,1.0\n")
			put(t, dir, "logs/ppo/seed2/progress.csv",
				"rollout/ep_rew_mean,time/total_timesteps,eval/mean_reward,eval/success_rate\n20,2048,,\n"+
					",2500,30,0.25\n40,4096,,\n")
		}, "logs/ppo/seed2", `ppo (Stable-Baselines3) on Ant-v4, seed 2 | steps from "time/total_timesteps", return from "eval/mean_reward" | 2500:30/0.25`, "not read beside progress.csv: monitor.csv"},
		"evaluations before training returns": {func(dir string) {
			put(t, dir, "PPO_1/progress.csv", "rollout/ep_rew_mean,time/total_timesteps\n20,2048\n")
			npz(t, dir, "PPO_1/evaluations.npz", map[string][][]float64{"timesteps": {{1000}, {2000}},
				"results": {{1, 3}, {5, 9}}})
		}, "PPO_1", `PPO (Stable-Baselines3) on environment not named | steps from "timesteps", return from "results" | 1000:2 2000:7`, "not read beside evaluations.npz: progress.csv"},
		"monitors of two environments": {func(dir string) {
			put(t, dir, "ppo_s4/0.monitor.csv", "#{\"t_start\": 1.5, \"env_id\": \"CartPole-v1\"}\nr,l,t,is_success\n"+
				"10,10,1.0,True\n30,30,3.0,False\n")
			put(t, dir, "ppo_s4/1.monitor.csv",
				"#{\"t_start\": 1.5, \"env_id\": \"CartPole-v1\"}\r\nr,l,t,is_success\r\n20,20,2.0,True\r\n4")
		}, "ppo_s4", `ppo (Stable-Baselines3) on CartPole-v1, seed 4 | steps from "timesteps", return from "r"` +
			trained + ` | 10:10/1 30:20/1 60:30/0`, "1.monitor.csv: its last line is cut off and left out; episodes " +
			"of 2 environments, in the order in which they ended"},
		"CleanRL": {func(dir string) {
			eventsOf(t, filepath.Join(dir, "runs", "Hopper-v4__sac__5__1700000000"), "charts/episodic_return",
				[]int64{100, 250, 250, 400}, []float64{1, 2, 4, 8})
		}, "runs/Hopper-v4__sac__5__1700000000",
			`sac (CleanRL) on Hopper-v4, seed 5 | steps from "step", return from "charts/episodic_return"` + trained +
				` | 100:1 250:3 400:8`, "values at a step that another was told of count in its mean: 2"},
		"event files of a resumed run": {func(dir string) {
			eventsOf(t, filepath.Join(dir, "tb"), "eval/mean_reward", []int64{1, 2, 3}, []float64{1, 2, 3})
			w, err := tfevents.Resume(filepath.Join(dir, "tb"), 2)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if err := w.Scalars(2, map[string]float64{"eval/mean_reward": 20}); err != nil {
				t.Fatal(err)
			}
		}, "tb",
			`tb (Stable-Baselines3) on environment not named | steps from "step", return from "eval/mean_reward" | 1:1 2:20`,
			oneRun(2) + "; the steps go back once, first to 2: the 2 rows above of that step and later ones are left " +
				"out"},
		"a newer event file from the beginning": {func(dir string) {
			eventFile(t, dir, "tb", "1", "eval/return", 0, 1, 100, 2, 200, 3)
			eventFile(t, dir, "tb", "2", "eval/return", 0, 50, 100, 51)
		}, "tb", eventsTold + "0:50 100:51", oneRun(2) +
			"; the steps go back once, first to 0: the 3 rows above of that step and later ones are left out"},
		"three event files of a resumed run": {func(dir string) {
			eventFile(t, dir, "tb", "1", "eval/return", 0, 1, 100, 2, 200, 3)
			eventFile(t, dir, "tb", "2", "eval/return", 100, 20, 200, 30, 300, 40)
			eventFile(t, dir, "tb", "3", "eval/return", 300, 400, 400, 500)
		}, "tb", eventsTold + "0:1 100:20 200:30 300:400 400:500", oneRun(3) +
			"; the steps go back once, first to 100: the 2 rows above of that step and later ones are left out"},
		"an event file whose steps go back": {func(dir string) {
			eventFile(t, dir, "tb", "1", "eval/return", 0, 0, 100, 1, 200, 2, 300, 3, 400, 4, 100, 11, 200, 12)
		}, "tb", eventsTold + "0:0 100:11 200:12",
			"the steps go back once, first to 100: the 4 rows above of that step and later ones are left out"},
		"event files that follow each other": {func(dir string) {
			eventFile(t, dir, "tb", "1", "eval/return", 0, 1, 100, 2)
			eventFile(t, dir, "tb", "2", "eval/return", 200, 3)
		}, "tb", eventsTold + "0:1 100:2 200:3", "its 2 event files are read as one run, in the order of their names"},
		"event files of other tags": {func(dir string) {
			eventFile(t, dir, "tb", "1", "eval/return", 0, 1, 100, 2)
			eventFile(t, dir, "tb", "2", "train/loss", 0, 1, 50, 2, 100, 3, 50, 4)
		}, "tb", eventsTold + "0:1 100:2", oneRun(2) +
			`; column "train/loss": the steps go back once, first to 50: the 2 rows above of that step and later ones are left out`},
		"an event file in no order": {func(dir string) {
			eventFile(t, dir, "tb", "1", "eval/return", 300, 3, 200, 2, 100, 1)
		}, "tb", eventsTold + "100:1 200:2 300:3", "its rows are not in the order of their steps: they are sorted"},
		"an event file of NaN": {func(dir string) {
			eventFile(t, dir, "tb", "1", "eval/return", 0, math.NaN(), 100, math.NaN())
		}, "tb", eventsTold, `column "eval/return", the return, has no number: it is NaN or missing in all 2 rows with a step`},
		"rows without a step": {func(dir string) {
			put(t, dir, "a/progress.csv", "TotalEnvSteps,AverageReturn\n,1\n1000,2\n,3\n2000,4\n")
		}, "a", `a (garage) on environment not named | steps from "TotalEnvSteps", return from "AverageReturn"` +
			trained + ` | 1000:2 2000:4`, "2 of 4 rows without a step (first line 2): left out"},
		"a step that is not a number": {func(dir string) {
			put(t, dir, "a/progress.csv", "# comment\nTotalEnvSteps,AverageReturn\n1000,2\nNA,3\n\nnan,4\n")
		}, "a", `a (garage) on environment not named | steps from "TotalEnvSteps", return from "AverageReturn"` +
			trained + ` | 1000:2`, "read as: 1 line of comment (#) left out; 2 of 3 rows without a step (first line " +
			"4): left out"},
		"an episode of NaN": {func(dir string) {
			npz(t, dir, "PPO_1/evaluations.npz", map[string][][]float64{"timesteps": {{100}, {200}, {300}},
				"results": {{1, 2}, {3, math.NaN()}, {5, 8}}})
		}, "PPO_1",
			`PPO (Stable-Baselines3) on environment not named | steps from "timesteps", return from "results" | ` +
				`100:1.5 300:6.5`,
			"an evaluation in which an episode's return is NaN has no mean; the return is NaN in 1 of 3 rows, " +
				"first at step 200: they are left out"},
		"a single episode of NaN": {func(dir string) {
			npz(t, dir, "PPO_1/evaluations.npz", map[string][][]float64{"timesteps": {{100}, {200}, {300}},
				"results": {{1}, {math.NaN()}, {5}}})
		}, "PPO_1",
			`PPO (Stable-Baselines3) on environment not named | steps from "timesteps", return from "results" | ` +
				`100:1 300:5`,
			"an evaluation in which an episode's return is NaN has no mean; the return is NaN in 1 of 3 rows, " +
				"first at step 200: they are left out"},
		"an infinite episode": {func(dir string) {
			npz(t, dir, "PPO_1/evaluations.npz", map[string][][]float64{"timesteps": {{100}, {200}},
				"results": {{1, 2}, {3, math.Inf(-1)}}})
		}, "PPO_1",
			`PPO (Stable-Baselines3) on environment not named | steps from "timesteps", return from "results" | ` +
				`100:1.5`, "the return is infinite in 1 of 2 rows: they are left out"},
		"settings that are cut": {func(dir string) {
			put(t, dir, "a/progress.csv", "TotalEnvSteps,AverageReturn\n1000,2\n")
			put(t, dir, "a/variant.json", "{\n \"env_name\": \"push\",\n \"seed\":")
		}, "a", `a (garage) on environment not named | steps from "TotalEnvSteps", return from "AverageReturn"` +
			trained + ` | 1000:2`,
			"variant.json is left out, with what it says of environment and seed: it ends within a value, on line 3"},
		"a seed that is no number": {func(dir string) {
			put(t, dir, "a-seed4/progress.csv", "TotalEnvSteps,AverageReturn\n1000,2\n")
			put(t, dir, "a-seed4/params.json", `{"seed": "four"}`)
		}, "a-seed4",
			`a (garage) on environment not named, seed 4 | steps from "TotalEnvSteps", return from "AverageReturn"` +
				trained + ` | 1000:2`,
			`seed "four" of params.json is left out; expected a whole number from 0 to 18446744073709551615`},
		"a seed of 64 bits": {func(dir string) {
			put(t, dir, "a/progress.csv", "TotalEnvSteps,AverageReturn\n1000,2\n")
			put(t, dir, "a/params.json", `{"seed": 9007199254740993}`)
		}, "a",
			`a (garage) on environment not named, seed 9007199254740993 | steps from "TotalEnvSteps", return from ` +
				`"AverageReturn"` + trained + ` | 1000:2`, ""},
		"W&B off-line": {func(dir string) {
			put(t, dir, "wandb/offline-run-20261128_1-ab/run-ab.wandb",
				wandbFile("sac-seed6", `env_id="ant-dir";seed=6;net={"width":64}`,
					"_step=0;global_step=10;charts/episodic_return=1.5", "_step=1;global_step=20;losses/q=3",
					"_step=2;global_step=30;charts/episodic_return=2.5"))
		}, "wandb/offline-run-20261128_1-ab",
			`sac (W&B) on ant-dir, seed 6 | steps from "global_step", return from "charts/episodic_return"` + trained +
				` | 10:1.5 30:2.5`, ""},
		"W&B, a name that is a seed": {func(dir string) {
			put(t, dir, "wandb/offline-run-20261128_1-ab/run-ab.wandb",
				wandbFile("maze||s7", "lr=0.1", "_step=1;return=2"))
		}, "wandb/offline-run-20261128_1-ab",
			`maze (W&B) on environment not named, seed 7 | steps from "_step", return from "return"` + trained +
				` | 1:2`, ""},
		"W&B, no name": {func(dir string) {
			put(t, dir, "wandb/offline-run-20261128_1-ab/run-ab.wandb",
				wandbFile("maze||", "seed=3", "_step=1;return=2"))
		}, "wandb/offline-run-20261128_1-ab",
			`maze (W&B) on environment not named, seed 3 | steps from "_step", return from "return"` + trained +
				` | 1:2`, ""},
		"W&B, a group": {func(dir string) {
			put(t, dir, "wandb/offline-run-20261128_1-ab/run-ab.wandb",
				wandbFile("maze|sac-wide|lucky-moon-12", `seed=3;algo="sac"`, "_step=1;return=2"))
		}, "wandb/offline-run-20261128_1-ab",
			`sac-wide (W&B) on environment not named, seed 3 | steps from "_step", return from "return"` + trained +
				` | 1:2`, ""},
		"W&B, CleanRL's name": {func(dir string) {
			put(t, dir, "wandb/offline-run-20261128_1-ab/run-ab.wandb",
				wandbFile("maze||Ant-v4__sac__5__1764357000", "seed=5", "_step=1;charts/episodic_return=2"))
		}, "wandb/offline-run-20261128_1-ab",
			`sac (CleanRL) on Ant-v4, seed 5 | steps from "_step", return from "charts/episodic_return"` + trained +
				` | 1:2`, ""},
		"RLlib": {func(dir string) {
			put(t, dir, "PPO_hopper/progress.csv",
				"episode_reward_mean,timesteps_total,training_iteration\n1,4000,1\n2,8000,2\n")
			put(t, dir, "PPO_hopper/params.json", `{"env": "Hopper-v4", "seed": null}`)
		}, "PPO_hopper",
			`PPO_hopper (RLlib) on Hopper-v4 | steps from "timesteps_total", return from "episode_reward_mean"` +
				trained + ` | 4000:1 8000:2`, ""},
		"Baselines": {func(dir string) {
			put(t, dir, "ppo2/progress.csv", "eprewmean,misc/total_timesteps\n1,128\n")
		}, "ppo2",
			`ppo2 (Baselines) on environment not named | steps from "misc/total_timesteps", return from "eprewmean"` +
				trained + ` | 128:1`, ""},
		"only iterations": {func(dir string) { put(t, dir, "a/progress.csv", "Iteration,AverageReturn\n0,1\n1,2\n") },
			"a", `a (progress.csv) on environment not named | steps from "Iteration", return from "AverageReturn"` +
				trained + `; it logs no environment steps that are known | 0:1 1:2`, ""},
		"any table, named": {func(dir string) { put(t, dir, "mine.csv", "step,return,note\n1,5,a\n2,6,b\n") },
			"mine.csv", `mine (table) on environment not named | steps from "step", return from "return"` + trained +
				` | 1:5 2:6`, ""},
	} {
		dir := t.TempDir()
		c.make(dir)
		path := filepath.Join(dir, filepath.FromSlash(c.ref))
		refs, err := Find(path)
		if err != nil || len(refs) != 1 || refs[0] != path {
			t.Errorf("%s: found %q, %v", name, refs, err)
			continue
		}
		l, err := Open(path, Columns{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := told(l); got != c.want {
			t.Errorf("%s:\n     %s\nwant %s", name, got, c.want)
		}
		if got := strings.Join(l.Notes, "; "); got != c.notes {
			t.Errorf("%s: said %q, want %q", name, got, c.notes)
		}
		if f := l.Frame(); !f.Has("env_steps") || !f.Has("adapted_return") {
			t.Errorf("%s: columns %q", name, f.Names())
		}
	}
}

// An export of a chart has a column a run, beside its least and greatest value.
func TestExport(t *testing.T) {
	dir := t.TempDir()
	path := put(t, dir, "wandb_export_2026-11-28.csv", "\"Step\",\"ppo-seed1 - eval/return\",\"ppo-seed1 - "+
		"eval/return__MIN\",\"ppo-seed1 - eval/return__MAX\",\"ppo - seed2 - eval/return\",\"ppo - seed2 - "+
		"eval/return__MIN\",\"ppo - seed2 - eval/return__MAX\"\n0,1,1,1,,,\n10,2,2,2,5,5,5\n20,,,,6,6,6\n")
	for _, at := range []string{dir, path} {
		refs, err := Find(at)
		if err != nil || strings.Join(refs, " ") != path+"#ppo-seed1 "+path+"#ppo - seed2" {
			t.Errorf("in %s: %q, %v", at, refs, err)
		}
	}
	for run, want := range map[string]string{"ppo-seed1": "ppo (W&B) on environment not named, seed 1",
		"ppo - seed2": "ppo (W&B) on environment not named, seed 2"} {
		l, err := Open(path+"#"+run, Columns{})
		if err != nil || l.Title() != want || l.Return != "eval/return" || len(l.Points) != 2 {
			t.Errorf("%s: %+v, %v", run, l, err)
		}
	}
	if _, err := Open(path+"#sac", Columns{}); err == nil {
		t.Error("a run that the export has not was opened")
	}
	group := put(t, dir, "chart.csv",
		"Step,Group: ppo - eval/return,Group: ppo - eval/return__MIN,Group: ppo - eval/return__MAX\n0,1,0,2\n"+
			"10,2,1,3\n")
	refs, err := Find(group)
	if err != nil || len(refs) != 1 || refs[0] != group+"#Group: ppo" {
		t.Fatalf("an export of another name: %q, %v", refs, err)
	}
	if l, err := Open(refs[0], Columns{}); err != nil || len(l.Points) != 2 ||
		!strings.Contains(strings.Join(l.Notes, ""), "means that W&B made") {
		t.Errorf("a group: %+v, %v", l, err)
	}
}

// A table with a column of seeds is a run for each.
func TestSeedsInATable(t *testing.T) {
	path := put(t, t.TempDir(), "long.csv", "seed,step,return\n1,10,1\n1,20,2\n12345678901234567890,10,3\n"+
		"12345678901234567890,20,4\n")
	refs, err := Find(path)
	if err != nil || strings.Join(refs, " ") != path+"#seed1 "+path+"#seed12345678901234567890" {
		t.Fatalf("%q, %v", refs, err)
	}
	for k, want := range []string{"long (table) on environment not named, seed 1 | 10:1 20:2",
		"long (table) on environment not named, seed 12345678901234567890 | 10:3 20:4"} {
		l, err := Open(refs[k], Columns{})
		if err != nil {
			t.Fatal(err)
		}
		if parts := strings.Split(told(l), " | "); parts[0]+" | "+parts[2] != want {
			t.Errorf("%s, want %s", told(l), want)
		}
	}
	if _, err := Open(path+"#seed7", Columns{}); err == nil ||
		!strings.Contains(err.Error(),
			`there is no run "seed7" in it; expected one of seed1, seed12345678901234567890`) {
		t.Error(err)
	}
}

// Rows without a seed are left out; a number that is not whole is no seed; other words are no seeds but tell runs
// apart.
func TestOddSeeds(t *testing.T) {
	for name, c := range map[string]struct{ text, refs, told, note string }{
		"empty": {"step,return,seed\n0,1,\n100,2,1\n0,3,2\n100,4,2\n", "#seed1 #seed2", "seed 1 | 100:2",
			`1 of 4 rows without a value in column "seed" (first line 2): left out`},
		"one": {"seed,step,return\n7,0,1\nNA,0,2\n7,10,3\n", "#seed7", "seed 7 | 0:1 10:3",
			`1 of 3 rows without a value in column "seed" (first line 3): left out`},
		"texts": {"seed,step,return\nfour,0,1\nfive,0,2\n", "#seedfour #seedfive", "named | 0:1",
			`seed "four" of column "seed" is left out; expected a whole number`},
		"negative": {"seed,step,return\n-1,0,1\n2,0,2\n", "#seed-1 #seed2", "named | 0:1",
			`seed "-1" of column "seed" is left out; expected a whole number`},
		"large": {"seed,step,return\n9007199254740993,0,1\n9007199254740992,0,2\n",
			"#seed9007199254740993 #seed9007199254740992", "seed 9007199254740993 | 0:1", ""},
		"whole": {"seed,step,return\n1.0,0,1\n2.0,0,2\n", "#seed1 #seed2", "seed 1 | 0:1", ""},
	} {
		path := put(t, t.TempDir(), name+".csv", c.text)
		refs, err := Find(path)
		if got := strings.ReplaceAll(strings.Join(refs, " "), path, ""); err != nil || got != c.refs {
			t.Errorf("%s: %q, %v", name, got, err)
			continue
		}
		l, err := Open(refs[0], Columns{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		parts := strings.Split(told(l), " | ")
		if got := parts[0] + " | " + parts[2]; !strings.HasSuffix(got, c.told) {
			t.Errorf("%s: %s, want %s", name, got, c.told)
		}
		if said := strings.Join(l.Notes, "; "); !strings.Contains(said, c.note) || c.note == "" &&
			strings.Contains(said, "left") {
			t.Errorf("%s: said %q, want %q", name, said, c.note)
		}
	}
	for text, want := range map[string]string{
		"step,return,seed\n0,1,1\n0,2,1.5\n":        `column "seed" has 1.5 on line 3; expected whole numbers`,
		"# x\nseed,step,return\n0.1,0,1\n0.2,0,2\n": `column "seed" has 0.1 on line 3`,
	} {
		if _, err := Find(put(t, t.TempDir(), "a.csv", text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// A mean over episodes is numpy's: of every row of results, NaN where an episode is.
func TestMeanOfEpisodes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		n, episodes, odd := 3+r.IntN(5), 2+r.IntN(4), 0
		steps, rows := make([][]float64, n), make([][]float64, n)
		var want []string
		for i := range rows {
			steps[i], rows[i] = []float64{float64(100 * i)}, make([]float64, episodes)
			sum := 0.0
			for k := range rows[i] {
				rows[i][k] = float64(r.IntN(1000))
				if i > 0 && r.IntN(6) == 0 {
					rows[i][k] = math.NaN()
				}
				sum += rows[i][k]
			}
			if math.IsNaN(sum) {
				odd++
			} else {
				want = append(want, fmt.Sprintf("%d:%g", 100*i, sum/float64(episodes)))
			}
		}
		dir := t.TempDir()
		npz(t, dir, "evaluations.npz", map[string][][]float64{"timesteps": steps, "results": rows})
		l, err := Open(dir, Columns{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Split(told(l), " | ")[2]; got != strings.Join(want, " ") {
			t.Errorf("%v: %s, want %s", rows, got, strings.Join(want, " "))
		}
		if said := strings.Join(l.Notes, "; "); strings.Contains(said,
			fmt.Sprintf("the return is NaN in %d of %d rows", odd, len(rows))) != (odd > 0) {
			t.Errorf("%d evaluations of NaN: %q", odd, said)
		}
	}
	dir := t.TempDir()
	npz(t, dir, "evaluations.npz", map[string][][]float64{"timesteps": {{1}, {2}, {3}}, "results": {{1, 2}, {3, 4}}})
	if _, err := Open(dir, Columns{}); err == nil || !strings.Contains(err.Error(),
		"timesteps has 3 values but results has 2 rows; expected one row for each timestep") {
		t.Errorf("arrays of different lengths: %v", err)
	}
}

// An export whose columns are no runs over steps is named.
func TestExportOverTime(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "wandb_export_1.csv", "\"Relative Time (Process)\",\"ppo-seed1 - eval/return\"\n0,1\n1.5,2\n")
	if _, err := Open(dir, Columns{}); err == nil || !strings.Contains(err.Error(), "wandb_export_1.csv: none of its "+
		"columns is known to be the step; choose one with --step-column: Relative Time (Process), ppo-seed1 - "+
		"eval/return") {
		t.Error(err)
	}
}

func TestChosenColumnsAndErrors(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "x/progress.csv", "frames,score,eval/mean_reward,name\n10,1,2,a\n20,3,4,b\n")
	x := filepath.Join(dir, "x")
	if _, err := Open(x, Columns{}); err == nil ||
		!strings.Contains(err.Error(), "none of its columns is known to be the step; choose one with --step-column: "+
			"frames, score, eval/mean_reward, name") {
		t.Errorf("an unknown step: %v", err)
	}
	l, err := Open(x, Columns{Step: "frames", Return: "score"})
	if err != nil ||
		told(
			l) != `x (Stable-Baselines3) on environment not named | steps from "frames", return from "score" | 10:1 20:3` {
		t.Errorf("chosen: %v, %v", l, err)
	}
	// steps that no float64 is do not become one
	put(t, dir, "far.csv", "step,return\n9007199254740992,1\n9007199254740993,2\n\n9007199254740995,3\n")
	l, err = Open(filepath.Join(dir, "far.csv"), Columns{})
	if err != nil || !strings.HasSuffix(told(l), "0:1 1:2 3:3") ||
		!slices.Contains(l.Notes, "the steps, beyond 2^53, are counted from 9007199254740992, the first") {
		t.Errorf("steps beyond 2^53: %v, %v", l, err)
	}
	put(t, dir, "far.csv", "step,return\n0,1\n9007199254740993,2\n")
	if _, err := Open(filepath.Join(dir, "far.csv"), Columns{}); err == nil || !strings.Contains(err.Error(),
		`column "step", the step, has 9007199254740993 on line 3; expected whole numbers that differ by less`) {
		t.Errorf("steps too far apart: %v", err)
	}
	// nor in the files of W&B and TensorBoard, which keep steps as integers
	put(t, dir, "far/run-a.wandb", wandbFile("a", "seed=1", "_step=9007199254740992;r=1", "_step=9007199254740993;r=2",
		"_step=9007199254740995;r=3"))
	far := []int64{1<<53 + 1, 1<<53 + 2, 1<<53 + 4}
	eventsOf(t, filepath.Join(dir, "far-events"), "eval/return", far, []float64{1, 2, 3})
	for name, want := range map[string]string{"far": "0:1 1:2 3:3", "far-events": "0:1 1:2 3:3"} {
		if l, err := Open(filepath.Join(dir, name), Columns{}); err != nil || !strings.HasSuffix(told(l), want) {
			t.Errorf("steps beyond 2^53 in %s: %v, %v", name, l, err)
		}
	}
	for want, c := range map[string]Columns{`no column "frame" of numbers; did you mean "frames"?`: {Step: "frame"},
		`no column "name" of numbers`: {Step: "frames", Return: "name"}} {
		if _, err := Open(x, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	for name, c := range map[string][2]string{
		"m/monitor.csv":           {"#{\"env_id\": \"a\"}\nr,l\n1,2\n", "line 2: columns r,l; expected r, l and t"},
		"n/monitor.csv":           {"#{}\nr,l,t\n1,2,x\n", "line 3: t = \"x\"; expected a number"},
		"o/monitor.csv":           {"#{}\nr,l,t\n", "no episode has ended yet"},
		"w/run-a.wandb":           {"nothing", "does not begin as a .wandb file does"},
		"v/run-a.wandb":           {wandbFile("a", "seed=1"), "no history is in it"},
		"e/events.out.tfevents.1": {"nothing of the kind", "not an event file"},
		"t/progress.csv": {"TotalEnvSteps,AverageReturn\n1,2\n3,tensor(4.)\n",
			`column "AverageReturn", the return, has "tensor(4.)" on line 3; expected numbers`},
	} {
		path := put(t, dir, name, c[0])
		if _, err := Open(filepath.Dir(path), Columns{}); err == nil || !strings.Contains(err.Error(), c[1]) ||
			!strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: error %v, want %q", name, err, c[1])
		}
	}
	for text, want := range map[string]string{"": "has no value yet",
		"1,\n":        "has no number: it is NaN or missing in all 1 rows with a step",
		"1,nan\n2,\n": "has no number: it is NaN or missing in all 2 rows with a step"} {
		name := fmt.Sprintf("rows%d", len(text))
		put(t, dir, name+"/progress.csv", "TotalEnvSteps,Evaluation/AverageReturn\n"+text)
		if l, err := Open(filepath.Join(dir, name), Columns{}); err != nil || len(l.Points) != 0 || len(l.Notes) != 1 ||
			l.Notes[0] != `column "Evaluation/AverageReturn", the return, `+want {
			t.Errorf("%s: %+v, %v", name, l, err)
		}
	}
	if refs, err := Find(t.TempDir()); err != nil || len(refs) != 0 {
		t.Errorf("an empty folder holds %q, %v", refs, err)
	}
	ours := filepath.Join(dir, "ours[1]")
	eventsOf(t, ours, "eval/return", []int64{1}, []float64{2})
	if l, err := Open(ours, Columns{}); err != nil || len(l.Points) != 1 {
		t.Errorf("a folder whose name looks like a pattern: %v", err)
	}
	put(t, ours, "checkpoint.bin", "")
	if refs, err := Find(ours); err != nil || len(refs) != 0 {
		t.Errorf("a run folder that has lost its configuration is a log: %q, %v", refs, err)
	}
	if Refusal(t.TempDir()) != nil || Refusal(filepath.Join(dir, "x")) == nil {
		t.Error("an empty folder is refused, or a log is not")
	}
}

// Records of W&B lie in blocks; what is cut off or damaged is said, the rest kept.
func TestWandbBlocks(t *testing.T) {
	var rows []string
	for i := range 1500 {
		rows = append(rows, fmt.Sprintf("global_step=%d;eval/return=%d;text=\"%s\"", i, 2*i,
			strings.Repeat("x", i%100)))
	}
	rows[700] += ";long=\"" + strings.Repeat("y", 3*wandbBlock) + "\""
	whole := wandbFile("a", "seed=1", rows...)
	dir := t.TempDir()
	path := put(t, dir, "run-a.wandb", whole)
	l, err := Open(path, Columns{})
	if err != nil || len(l.Points) != 1500 || l.Points[1499].Return != 2998 || len(l.Notes) != 0 {
		t.Fatalf("%d points, %v", len(l.Points), err)
	}
	put(t, dir, "run-a.wandb", whole[:len(whole)-5])
	if l, err = Open(path, Columns{}); err != nil || len(l.Points) != 1499 ||
		!strings.Contains(strings.Join(l.Notes, ""), "its last record, number 1501, is cut off and left out") {
		t.Errorf("cut: %d points, %q, %v", len(l.Points), l.Notes, err)
	}
	damaged := []byte(whole)
	damaged[wandbBlock*2+100] ^= 1
	put(t, dir, "run-a.wandb", string(damaged))
	if l, err = Open(path, Columns{}); err != nil || len(l.Points) > 1000 ||
		!strings.Contains(strings.Join(l.Notes, ""), "is damaged: it and what follows are left out") {
		t.Errorf("damaged: %d points, %q, %v", len(l.Points), l.Notes, err)
	}
}

func FuzzWandb(f *testing.F) {
	f.Add([]byte(wandbFile("a", "seed=1", "global_step=1;r=2")))
	f.Fuzz(func(_ *testing.T, data []byte) {
		records, _, err := pieces(data)
		if err != nil {
			return
		}
		h := history{settings: map[string]string{}}
		for _, r := range records {
			if h.record(r) != nil {
				return
			}
		}
		h.table()
	})
}
