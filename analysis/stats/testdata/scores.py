"""Dumps what rliable makes of generated scores:

    python analysis/stats/testdata/scores.py > analysis/stats/testdata/rliable.json

Needs rliable==1.2.0 (and pandas<3 below it). Cases have 1 to 12 families and 2 to 12 runs, with scores below 0, above 1 and, in every third
case, ties. Scores are of two methods, families by runs. Intervals are percentiles of 20,000 stratified resamples.
"""

import json

import numpy as np
from rliable import library, metrics

rng = np.random.RandomState(23)
cases = []
for k in range(24):
    families, runs = rng.randint(1, 13), rng.randint(2, 13)
    centre = rng.uniform(-0.2, 1.1, (1, families))
    scores = {m: np.round(centre + shift + rng.normal(0, 0.3, (runs, families)), 1 if k % 3 == 0 else 3) for m, shift in (("a", 0), ("b", 0.1))}
    taus = np.round(np.linspace(-0.25, 1.25, 7), 2)
    points = lambda x: [metrics.aggregate_iqm(x), metrics.aggregate_median(x), metrics.aggregate_mean(x), metrics.aggregate_optimality_gap(x)]
    profile = library.create_performance_profile({"a": scores["a"]}, taus, reps=2)[0]["a"]
    case = {
        "a": scores["a"].T.tolist(), "b": scores["b"].T.tolist(),
        "iqm_median_mean_gap": points(scores["a"]),
        "b_over_a": metrics.probability_of_improvement(scores["b"], scores["a"]),
        "thresholds": taus.tolist(), "profile": profile.tolist(),
    }
    if k % 6 == 1:
        _, i = library.get_interval_estimates({"a": scores["a"]}, lambda x: np.array(points(x)), reps=20000, random_state=rng)
        case["intervals"] = i["a"].T.tolist()
        _, i = library.get_interval_estimates({"ab": [scores["b"], scores["a"]]}, lambda x, y: np.array([metrics.probability_of_improvement(x, y)]), reps=2000, random_state=rng)
        case["b_over_a_interval"] = i["ab"].T.tolist()[0]
    cases.append(case)
print(json.dumps(cases, separators=(",", ":")))
