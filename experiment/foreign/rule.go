package foreign

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"nacre/analysis/frame"
	"nacre/analysis/stats"
	"nacre/internal/nearest"
	"nacre/internal/table"
)

// Known names of columns, the first that a log has counts. A * stands for any text.
var (
	stepNames = []string{
		"env_steps", "Number of env steps total", "TotalEnvSteps", "time/total_timesteps", "total_timesteps",
		"misc/total_timesteps", "TimestepsSoFar",
		"exploration/num steps total", "replay_buffer/size", "TotalEnvInteracts", "timesteps_total",
		"num_env_steps_sampled_lifetime", "num_env_steps_sampled",
		"timesteps", "global_step", "charts/global_step", "env_step", "environment_steps", "_step", "Step", "step",
		"steps", "timestep",
		"Iteration", "iteration", "Itr", "itr", "Epoch", "epoch", "training_iteration",
	}
	evaluationNames = []string{
		"adapted_return", "AverageReturn_all_test_tasks", "MetaTest/Average/AverageReturn",
		"MetaTest/__unnamed_task__/AverageReturn", "MetaTest/*/AverageReturn",
		"Evaluation/AverageReturn", "eval/mean_reward", "results", "evaluation/Average Returns",
		"evaluation/Returns Mean", "AverageTestEpRet",
		"evaluation/env_runners/episode_return_mean", "evaluation/episode_reward_mean", "eval/episodic_return",
		"eval/episode_return", "eval/return", "eval/reward",
		"evaluation/return", "test/return", "test/reward", "eval_return", "test_return",
	}
	trainingNames = []string{
		"AverageReturn_all_train_tasks", "Average/AverageReturn", "AverageReturn", "Training/AverageReturn",
		"rollout/ep_rew_mean", "charts/episodic_return",
		"charts/episode_return", "eprewmean", "EpRewMean", "exploration/Average Returns", "AverageEpRet",
		"env_runners/episode_return_mean", "episode_reward_mean",
		"r", "train/return", "train/reward", "train/episode_reward", "episodic_return", "episode_return",
		"episode_reward", "mean_reward", "avg_return", "return", "returns", "reward",
	}
	successNames = []string{
		"adapted_success", "MetaTest/Average/SuccessRate", "MetaTest/*/SuccessRate", "Evaluation/SuccessRate",
		"eval/success_rate", "successes",
		"rollout/success_rate", "Average/SuccessRate", "SuccessRate", "eval/success", "success_rate", "success",
	}
)

// choose finds the columns of step, return and success.
func (l *Log) choose(c Columns) (err error) {
	names, all := l.numeric(), l.frame.Names()
	if l.Step, err = chosen(names, all, c.Step, "step", stepNames); err != nil {
		return err
	}
	l.Return, err = chosen(names, all, c.Return, "return", slices.Concat(evaluationNames, trainingNames))
	if err != nil {
		return err
	}
	l.training = c.Return == "" && first([]string{l.Return}, evaluationNames) == ""
	l.Success = first(names, successNames)
	return nil
}

// numeric returns the columns of numbers that have at least one number. The columns results0, results1, …, which are
// the episodes of one evaluation, also give a column results.
func (l *Log) numeric() (names []string) {
	for _, name := range l.frame.Names() {
		if v, err := l.frame.Numbers(name); err == nil && slices.ContainsFunc(v, func(x float64) bool {
			return !math.IsNaN(x)
		}) {
			names = append(names, name)
		}
	}
	if !slices.Contains(names, results) && slices.ContainsFunc(names, episode.MatchString) {
		names = append(names, results)
	}
	return names
}

var episode = regexp.MustCompile(`^results_?\d+$`)

// returns are the values of the column of the return. If it is several episodes they are the means, and a mean is NaN
// if an episode's return is.
func (l *Log) returns() []float64 {
	if v, err := l.frame.Numbers(l.Return); err == nil {
		return v
	}
	return meanOfEpisodes(l.frame)
}

// results is the array, and the column, of the returns of evaluations.
const results = "results"

// meanOfEpisodes are the means of the columns results0, results1, …, or the column results of single episodes.
func meanOfEpisodes(f *frame.Frame) []float64 {
	if v, err := f.Numbers(results); err == nil {
		return v
	}
	out := make([]float64, f.Len())
	var episodes [][]float64
	for _, name := range f.Names() {
		if v, err := f.Numbers(name); err == nil && episode.MatchString(name) {
			episodes = append(episodes, v)
		}
	}
	for i := range out {
		row := make([]float64, len(episodes))
		for k, v := range episodes {
			row[k] = v[i]
		}
		if out[i] = stats.Mean(row); !slices.ContainsFunc(row, func(x float64) bool { return !table.IsBlank(x) }) {
			out[i] = table.Blank()
		}
	}
	return out
}

// chosen is the column that was asked for, or the first known one; one among all, without a number yet, where none has
// any.
func chosen(names, all []string, wanted, what string, known []string) (string, error) {
	if wanted != "" {
		if slices.Contains(names, wanted) {
			return wanted, nil
		}
		return "", fmt.Errorf("there is no column %q of numbers%s", wanted, nearest.Hint(wanted, names))
	}
	if found := first(names, known); found != "" {
		return found, nil
	}
	if found := first(all, known); found != "" {
		return found, nil
	}
	return "", fmt.Errorf("none of its columns is known to be the %s; choose one with --%s-column: %s", what, what,
		few(all))
}

// first is the first known name among names. A name that differs only in case counts if there is no exact one.
func first(names, known []string) string {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for _, k := range known {
			before, after, pattern := strings.Cut(k, "*")
			for _, name := range names {
				if same(name, k) || pattern && len(name) > len(k) && strings.HasPrefix(name, before) &&
					strings.HasSuffix(name, after) {
					return name
				}
			}
		}
	}
	return ""
}

// Rule is a line that names the columns of the points.
func (l *Log) Rule() string {
	text := fmt.Sprintf("steps from %q, return from %q", l.Step, l.Return)
	if l.training {
		text += ", of training episodes: it logs no evaluation that is known"
	}
	if l.Step == "Iteration" || strings.EqualFold(l.Step, "epoch") || strings.EqualFold(l.Step, "itr") ||
		l.Step == "training_iteration" || l.Step == "iteration" {
		text += "; it logs no environment steps that are known"
	}
	return text
}
