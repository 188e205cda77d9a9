package browser

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"nacre/internal/heavy"
	"nacre/internal/rng"
	"nacre/sim"
	"nacre/sim/scene"
)

// drive runs MuJoCo's worker as the playback does, but with given actions, and returns the poses of the model's
// geometries.
const drive = `(async (frame, actions, steps) => {
	const { rollout } = document.querySelector('.rollout');
	const { model } = rollout.data.episodes[0];
	const packed = (await fetch(rollout.mujoco.wasm)).body.pipeThrough(new DecompressionStream('gzip'));
	const program = await WebAssembly.compile(await new Response(packed).arrayBuffer());
	const worker = new Worker(rollout.mujoco.worker, { type: 'module' });
	const ask = (r) => new Promise((done, failed) => {
		worker.onmessage = ({ data }) => data.kind === 'failed' ? failed(new Error(data.message)) : done(data);
		worker.onerror = (e) => failed(new Error(e.message));
		worker.postMessage(r);
	});
	const qpos = model.qpos.slice(frame * model.nq, (frame + 1) * model.nq);
	await ask({ kind: 'start', program, mjcf: model.mjcf, substeps: model.substeps, gain: model.gain, qpos, before: null, seed: 1 });
	const { poses } = await ask({ kind: 'act', actions: Float32Array.from(actions), steps });
	worker.terminate();
	return [...poses];
})`

// The browser's MuJoCo and this program's, from the same state at rest and with the same actions, arrive at the same
// poses. They are different versions on different arithmetic, so "the same" has a tolerance.
func TestSimulatesAsNatively(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	const frame, steps, tolerance = 4, 10, 1e-5
	for _, name := range []string{"ant-dir"} {
		t.Run(name, func(t *testing.T) {
			rec := recorded(t, name, 1, 6)
			s := newSite(t, map[string]any{"a.ipynb": withOutputs(output(t, rec))})
			p := s.open("/notebooks/a.ipynb")
			p.await("document.querySelector('.rollout[data-ready]')")
			if eval[bool](p, "(() => { try { return !document.querySelector('.rollout').rollout.mujoco; } catch { "+
				"return true; } })()") {
				t.Skip("the front end was built without @mujoco/mujoco, which npm fetches: run make web with a network")
			}
			family, err := sim.Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			spec := family.Spec()
			r := rand.New(rand.NewPCG(1, 2))
			actions := make([]float32, steps*spec.ActDim)
			for i := range actions {
				actions[i] = float32(2*r.Float64() - 1)
			}
			text, _ := json.Marshal(actions)
			got := eval[[]float64](p, fmt.Sprintf("%s(%d, %s, %d)", drive, frame, text, steps))

			film, err := rec[0].Film()
			if err != nil {
				t.Fatal(err)
			}
			want := native(t, family, rec[0].Params, rec[0].QPos[frame], actions)
			row, worst := len(got)/steps, 0.
			for k, poses := range want {
				for i, g := range film.Scene.Model.Geoms {
					if g < 0 {
						continue
					}
					worst = max(worst, apart(got[k*row+7*g:], poses[i]))
				}
			}
			t.Logf("largest difference of a coordinate in %d control steps: %.2g", steps, worst)
			if worst > tolerance {
				t.Errorf("poses differ by %v, more than %v", worst, tolerance)
			}

			// The playback goes on by itself.
			eval[any](p, player+".seek(2), "+player+".simulate(), null")
			p.await(player + ".live.episode.frames > 8 && document.querySelectorAll('.rollout .names span').length " +
				"=== 2")
			p.quiet()
		})
	}
}

// native is the poses after each control step from rest.
func native(t *testing.T, family sim.Family, params, qpos []float64, actions []float32) [][]scene.Pose {
	t.Helper()
	b, err := family.NewBatch(1)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	v, spec := b.(sim.Visible), family.Spec()
	obs, act := make([]float64, spec.ObsDim), make([]float64, spec.ActDim)
	out := sim.StepResult{Reward: make([]float64, 1), Done: make([]bool, 1), Success: make([]bool, 1),
		ContextReward: make([]float64, 1)}
	check := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	check(b.Reset(0, sim.Task{Params: params}, rng.New(0, rng.Reset), obs))
	state := v.State(0)
	clear(state.QVel)
	for i, q := range qpos { // as the front end has them
		state.QPos[i] = float64(float32(q))
	}
	check(v.SetState(0, state, obs))
	s, err := v.Scene(0)
	check(err)
	var poses [][]scene.Pose
	for len(actions) > 0 {
		for j := range act {
			act[j] = float64(actions[j])
		}
		actions = actions[spec.ActDim:]
		check(b.Step([]bool{true}, act, obs, &out))
		check(v.SetState(0, v.State(0), obs)) // poses are of the state before the last integration
		now := make([]scene.Pose, len(s.Solids))
		check(v.Poses(0, now))
		poses = append(poses, now)
	}
	return poses
}

// apart is the largest difference of two poses' coordinates; a quaternion and its negative are the same.
func apart(got []float64, want scene.Pose) float64 {
	worst, plus, minus := 0., 0., 0.
	for k, v := range want {
		if k < 3 {
			worst = max(worst, math.Abs(got[k]-float64(v)))
			continue
		}
		plus, minus = max(plus, math.Abs(got[k]-float64(v))), max(minus, math.Abs(got[k]+float64(v)))
	}
	return max(worst, min(plus, minus))
}
