"""Steps environments in Python for nacre, which starts this program, one process for each of its workers.

File 3 brings requests, file 4 takes answers, file 5 is memory that both sides map, and file 6 ends when nacre does. A
request is the byte s, for a step of all active environments, whose numbers lie in the memory, or a length of four bytes
and a JSON object. An answer is the byte . after a step, or a length and a JSON object. Where numpy is missing, actions
are lists of numbers.
"""
import array, ast, base64, copy, faulthandler, hashlib, importlib, importlib.util, inspect, json, math, mmap, os, pickle
import random, re, select, signal, struct, sys, threading, traceback

try:
    import numpy as np
except ImportError:
    np = None

forked = False


class Refused(Exception):
    """What the class lacks, in a sentence of ours: it needs no traceback."""


# The target: what a name such as py:point.py:Point means.


def literals(text):
    try:
        call = ast.parse("f(%s)" % text, mode="eval").body
        return [ast.literal_eval(a) for a in call.args], {k.arg: ast.literal_eval(k.value) for k in call.keywords}
    except (SyntaxError, ValueError, AttributeError):
        raise Refused("the arguments (%s) are none; expected Python's literals such as 3, \"push-v3\" or n_tasks=100"
                      % text) from None


def module(target):
    path = target.get("file")
    if not path:
        sys.path.insert(0, os.getcwd())
        return importlib.import_module(target["module"])
    folder, file = os.path.split(os.path.abspath(path))
    sys.path.insert(0, folder)
    name = os.path.splitext(file)[0]
    with open(path, "rb") as f:
        relative = re.search(rb"^\s*from\s+\.", f.read(), re.M)
    while relative and os.path.exists(os.path.join(folder, "__init__.py")):  # it is a part of a package
        folder, part = os.path.split(folder)
        name = part + "." + name
    if "." in name:
        sys.path.insert(0, folder)
        return importlib.import_module(name)
    if name in sys.modules:
        name = "_" + name
    spec = importlib.util.spec_from_file_location(name, path)
    made = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


class Renamed:
    """Finds gymnasium where a program imports gym, for a Python that has no gym."""

    def find_spec(self, name, path=None, target=None):
        if name == "gym" or name.startswith("gym."):
            return importlib.util.spec_from_loader(name, self)
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, made):
        sys.modules[made.__name__] = importlib.import_module("gymnasium" + made.__name__[len("gym"):])

    @staticmethod
    def install():
        if importlib.util.find_spec("gym") is None and importlib.util.find_spec("gymnasium") is not None:
            sys.meta_path.insert(0, Renamed())


def find(env, name):
    """The attribute of an environment, or of the ones that it wraps."""
    seen = 0
    while env is not None and seen < 100:
        try:
            return object.__getattribute__(env, name) if forwards(env) else getattr(env, name)
        except AttributeError:
            env, seen = env.__dict__.get("env"), seen + 1
    return None


def forwards(env):
    """Whether it is an old wrapper of Gymnasium's, which asks the environment inside, and warns of each question."""
    asks = getattr(type(env), "__getattr__", None)
    return getattr(asks, "__module__", "").partition(".")[0] in ("gym", "gymnasium")


def named(f, name):
    """Whether a function has an argument of this name."""
    try:
        return name in inspect.signature(f).parameters
    except (TypeError, ValueError):
        return False


def takes(f, name):
    """Whether a function takes an argument of this name, if only to hand it on."""
    try:
        return named(f, name) or any(p.kind is p.VAR_KEYWORD for p in inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        return False


def none(f):
    """Whether a function has no argument."""
    try:
        return not inspect.signature(f).parameters
    except (TypeError, ValueError):
        return False


def optional(f):
    """Whether a function can be called without an argument."""
    try:
        return all(p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
                   for p in inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        return False


def seed_globals(seed):
    random.seed(seed)
    if np is not None:
        np.random.seed(seed)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(seed)


def seed_own(env, seed):
    """Seeds the generator that an environment of Gymnasium's draws from, and calls the seed of old ones."""
    own, old = find(env, "np_random"), find(env, "seed")
    if np is not None and isinstance(own, np.random.Generator):
        own.bit_generator.state = type(own.bit_generator)(seed).state
    elif np is not None and isinstance(own, np.random.RandomState):
        own.seed(seed)
    if callable(old) and not none(old):
        old(seed)


def modes(made):
    """The modes of render that a class or an environment says it has."""
    about = getattr(made, "metadata", None) or {}
    return about.get("render_modes") or about.get("render.modes") or []


class Family:
    """A target with the convention that it follows: how its tasks are made and how one is set."""

    def __init__(self, target, filmed=False):
        self.filmed = filmed
        if filmed:
            os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
            if not os.environ.get("DISPLAY"):
                os.environ.setdefault("MUJOCO_GL", "egl")
        self.options, self.notices = target.get("options") or {}, []
        args, kwargs = literals(target.get("args", ""))
        if target.get("make"):
            import gymnasium
            self.where, self.source = gymnasium, None
            given = {"disable_env_checker": True, **({"render_mode": "rgb_array"} if filmed else {}), **kwargs}
            self.make = lambda: gymnasium.make(*args, **given)
        else:
            Renamed.install()
            self.where = module(target)
            if "gym" in sys.modules and sys.modules["gym"] is sys.modules.get("gymnasium"):
                self.notices.append("there is no gym: its imports are given gymnasium")
            self.source = self.load(target["attr"], args, kwargs)
        self.env = self.new()
        self.convention()
        self.statistics()

    def statistics(self):
        env = self.env
        while env is not None:
            if type(env).__name__ in ("NormalizeObservation", "NormalizeReward"):
                self.notices.append("the wrapper %s learns from all episodes of its environment: runs cannot be "
                                    "repeated to the same bytes" % type(env).__name__)
            env = getattr(env, "__dict__", {}).get("env")

    def load(self, name, args, kwargs):
        if not hasattr(self.where, name):
            there = [n for n in dir(self.where) if inspect.isclass(getattr(self.where, n)) and n[0] != "_"]
            raise Refused("there is no %s in it; it has %s" % (name, ", ".join(there[:20]) or "no class"))
        made = getattr(self.where, name)
        if self.filmed and takes(made, "render_mode") and "rgb_array" in modes(made):
            kwargs = {"render_mode": "rgb_array", **kwargs}

        def call():
            try:
                return made(*args, **kwargs)
            except TypeError as e:
                if len(traceback.extract_tb(e.__traceback__)) > 1:
                    raise
                raise Refused("TypeError: %s; arguments follow the name, as in py:FILE.py:%s(3,key=\"x\")"
                              % (e, name)) from None

        if inspect.isclass(made):
            if not any(hasattr(made, n) for n in ("step", "make", "train_classes")):
                raise Refused("%s has no method step, make or train_classes; expected an environment, or a class that "
                              "makes some" % name)
        elif hasattr(made, "step"):
            raise Refused("%s is an environment, a %s; expected a class or a function that makes some, as each worker "
                          "has several" % (name, type(made).__name__))
        elif not callable(made) or inspect.isbuiltin(made):
            raise Refused("%s is a %s; expected a class or a function that makes an environment"
                          % (name, type(made).__name__))
        if hasattr(made, "step") or not inspect.isclass(made):
            self.make = call
            return None
        seed_globals(0)
        source = call()
        if hasattr(source, "train_classes"):  # a benchmark of Meta-World
            self.make = lambda: Several(source.train_classes)
        else:
            self.make = source.make
        return source

    def new(self):
        seed_globals(0)  # tasks that a constructor draws are then the same in every environment
        env = self.make()
        if inspect.isfunction(env):  # a function that makes a function that makes the environment, as for vectors
            env = env()
        if find(env, "single_observation_space") is not None:
            raise Refused("it makes a vector of environments, a %s; expected one environment, as each worker steps "
                          "several" % type(env).__name__)
        for name in ("step", "reset", "action_space", "observation_space"):
            if find(env, name) is None:
                raise Refused("an environment that was made, a %s, has no %s; expected what Gymnasium's have"
                              % (type(env).__name__, name))
        base = find(env, "unwrapped")
        if self.filmed and hasattr(base, "render_mode") and base.render_mode is None:
            base.render_mode = "rgb_array"
        return env

    def convention(self):
        def has(name):
            own = getattr(self.source, name, None)
            return find(self.env, name) if own is None else own

        self.setter = next((n for n in ("set_task", "reset_task") if find(self.env, n) is not None), None)
        self.hidden = [k for k in self.options.get("hide", "").split("+") if k]
        if has("get_all_task_idx"):
            self.kind, self.how = "listed", "get_all_task_idx and reset_task"
            self.train, self.test = list(has("get_all_task_idx")()), None
            self.setter = "reset_task"
        elif has("train_tasks") is not None:
            self.kind, self.how = "listed", "train_tasks and test_tasks"
            self.train, self.test = list(has("train_tasks")), list(has("test_tasks") or []) or None
        elif has("sample_tasks") and not none(has("sample_tasks")):  # Meta-World's wrappers have one that takes none
            self.kind, self.how, self.sample = "sampled", "sample_tasks", has("sample_tasks")
        elif has("sample_task"):
            self.kind, self.how, self.sample = "sampled", "sample_task", self.one_by_one(has("sample_task"))
        elif self.setter == "reset_task" and has("get_task") and optional(has("reset_task")):
            self.kind, self.how, self.sample = "sampled", "reset_task() and get_task", self.one_by_one(self.redrawn)
        elif isinstance(has("contexts"), dict) and has("context_selector") is not None:
            self.kind, self.how, self.setter = "listed", "CARL's contexts", "context"
            self.train, self.test = list(has("contexts").values()), None
            if not self.hidden:
                self.hidden = ["context"]
                self.notices.append("the key context is hidden from the agent")
        else:
            self.kind, self.how, self.train, self.test, self.setter = "one", "one task", [None], [None], "none"
        if self.kind != "one":
            self.how += {"context": "", "none": ""}.get(self.setter, ", set by " + (self.setter or
                                                                                   'reset(options={"task": …})'))

    def one_by_one(self, draw):
        return lambda n: [draw() for _ in range(n)]

    def redrawn(self):
        """A task that the environment itself draws."""
        find(self.env, "reset_task")()
        return copy.deepcopy(find(self.env, "get_task")())

    def tasks(self, seed, train, test):
        """The lists of train and test tasks, as the class has them."""
        if self.kind == "one" or self.kind == "listed" and self.test is None and len(self.train) == 1:
            if train > 1 or test > 1:
                raise Refused("%d train and %d test tasks were asked for; it is one task: set train_tasks=1 and "
                              "test_tasks=1" % (train, test))
            return self.train, self.train
        if self.kind == "sampled":
            return self.draw(seed, train, test)
        if self.test is None:
            n, all_ = len(self.train), self.train
            if not train and not test:
                test = max(1, n // 5)
            train, test = train or n - test, test or n - train
            if train + test > n or train < 1 or test < 1:
                raise Refused("%d train and %d test tasks were asked for; it has %d in all" % (train, test, n))
            return all_[:train], all_[n - test:]
        for what, n, there in (("train", train, self.train), ("test", test, self.test)):
            if n > len(there):
                raise Refused("%d %s tasks were asked for; it has %d" % (n, what, len(there)))
        return self.train[:train or None], self.test[:test or None]

    def draw(self, seed, train, test):
        wanted, distinct = (train or 40) + (test or 10), {}
        for more in range(4):  # some draw from few, and twice the same
            seed_globals((seed + more) % 2 ** 32)
            for owner in (self.source, self.env):
                if owner is not None:
                    seed_own(owner, (seed + more) % 2 ** 32)
            drawn = self.sample(wanted, **({"seed": (seed + more) % 2 ** 32} if named(self.sample, "seed") else {}))
            try:
                drawn = list(drawn)
            except TypeError:
                raise Refused("sample_tasks(%d) returned %s; expected a list or an array of %d tasks"
                              % (wanted, short(drawn), wanted)) from None
            if len(drawn) < wanted and not more:
                raise Refused("sample_tasks(%d) returned %d tasks; expected %d" % (wanted, len(drawn), wanted))
            for task in drawn:
                distinct.setdefault(pickled(task), task)
            if len(distinct) >= wanted:
                break
        all_ = list(distinct.values())
        if len(all_) >= wanted:
            return all_[:train or 40], all_[train or 40:wanted]
        if (train or len(all_)) == (test or len(all_)) == len(all_):
            return all_, all_  # both lists hold all there are
        raise Refused("%d train and %d test tasks were asked for; %s gives %d different ones: set train_tasks=%d and "
                      "test_tasks=%d for all of them in both"
                      % (train or 40, test or 10, self.how.partition(",")[0], len(all_), len(all_), len(all_)))

    def numbers(self, task):
        """The numbers a task consists of, None where it is something else."""
        if self.how.startswith("get_all_task_idx"):
            listed = find(self.env, "tasks")
            try:
                inside = flat(listed[task])
                if inside:
                    return inside
            except Exception:
                pass
        data = getattr(task, "data", None)
        if isinstance(data, bytes) and hasattr(task, "env_name"):  # Meta-World's
            try:
                return flat(pickle.loads(data)["rand_vec"])
            except Exception:
                return None
        return flat(task)


class Several:
    """An environment of each class of a benchmark, of which a task names one."""

    def __init__(self, classes):
        self.classes, self.made = classes, {}
        self.env = self.of(next(iter(classes)))

    def of(self, name):
        if name not in self.made:
            self.made[name] = self.classes[name]()
        return self.made[name]

    def set_task(self, task):
        self.env = self.of(task.env_name)
        self.env.set_task(task)

    def step(self, action):
        return self.env.step(action)

    def reset(self, **kwargs):
        return self.env.reset(**kwargs)

    def __getattr__(self, name):
        return getattr(self.__dict__["env"], name)


class Chosen:
    """A selector of CARL's contexts that selects the one it was given."""

    def __init__(self):
        self.context, self.context_id = None, 0

    def select(self):
        self.context_id += 1
        return self.context


def short(x):
    text = repr(x)
    return text if len(text) <= 80 else text[:77] + "..."


def pickled(task):
    try:
        return pickle.dumps(task, 4)
    except Exception as e:
        raise Refused("the task %s cannot be pickled (%s: %s); expected numbers, a dict, bytes or another value that "
                      "pickle takes" % (short(task), type(e).__name__, e)) from None


def flat(x):
    """The numbers in a value made of numbers, lists and dicts, in order; None if it has something else."""
    if isinstance(x, (bool, int, float)):
        return [float(x)]
    if hasattr(x, "tolist"):
        return flat(x.tolist())
    if isinstance(x, dict):
        x = [x[k] for k in sorted(x, key=str)]
    if isinstance(x, (list, tuple)):
        out = []
        for v in x:
            part = flat(v)
            if part is None:
                return None
            out += part
        return out
    return None


def like(x, numbers):
    """A value made as x is, of other numbers."""
    if isinstance(x, (bool, int, float)):
        return type(x)(next(numbers))
    if hasattr(x, "tolist"):
        return np.array([next(numbers) for _ in range(x.size)], x.dtype).reshape(x.shape)[()]
    if isinstance(x, dict):
        made = {k: like(x[k], numbers) for k in sorted(x, key=str)}
        return {k: made[k] for k in x}
    return type(x)([like(v, numbers) for v in x])


# Spaces: what Gymnasium calls them becomes one row of numbers.


def size(shape):
    n = 1
    for k in shape:
        n *= int(k)
    return n


def kind(space):
    return type(space).__name__


def toolkit(space):
    """The module that flattens a space: Gymnasium's, or gym's for one of gym's."""
    for c in type(space).__mro__:
        root = c.__module__.partition(".")[0]
        if root in ("gymnasium", "gym"):
            return importlib.import_module(root + ".spaces")
    return importlib.import_module("gymnasium.spaces")


def words(space):
    """Whether a space is one of texts."""
    if kind(space) in ("Box", "Dict", "Tuple") or choices(space) or not hasattr(space, "sample"):
        return False
    return kind(space) == "Text" or isinstance(space.sample(), str)


def unbounded(low, high):
    return not (math.isfinite(low) and math.isfinite(high)) or high - low > 1e30


def choices(space):
    """The numbers of choices of a space of whole numbers, the least number of each, and the shape; or None."""
    if kind(space) == "Discrete" and hasattr(space, "n"):
        return [int(space.n)], [int(getattr(space, "start", 0))], ()
    if kind(space) == "MultiDiscrete" and hasattr(space, "nvec"):
        n = [int(k) for k in flat(space.nvec)]
        start = getattr(space, "start", None)
        return n, [0] * len(n) if start is None else [int(k) for k in flat(start)], tuple(space.nvec.shape)
    if kind(space) == "MultiBinary":
        shape = tuple(space.shape)
        return [2] * size(shape), [0] * size(shape), shape
    return None


class Actions:
    """The actions of a space, as nacre has them: each number in [-1, 1], or a 1 at each choice and else 0."""

    def __init__(self, env, notices):
        space = find(env, "action_space")
        self.nested, self.choices = None, choices(space)
        if self.choices:
            self.choices, self.start, self.shape = self.choices
            self.n, self.dtype = sum(self.choices), getattr(space, "dtype", None)
            return
        if kind(space) in ("Dict", "Tuple"):
            spaces = toolkit(space)
            self.check(space, notices)
            self.nested, self.unflatten = space, spaces.unflatten
            space = spaces.flatten_space(space)
        if not hasattr(space, "low") or not hasattr(space, "high"):
            raise Refused("its actions are %s; expected a Box, a Discrete or a MultiDiscrete" % short(space))
        self.shape = tuple(space.shape)
        self.n = size(self.shape)
        if self.n < 1:
            raise Refused("its actions have no number: %s" % short(space))
        self.dtype = getattr(space, "dtype", None)
        if np is not None and np.dtype(self.dtype or float).kind != "f":
            raise Refused("its actions are whole numbers, %s; expected a Box of floats" % short(space))
        low, high = flat(space.low), flat(space.high)
        low, high = [v * self.n if len(v) == 1 else v for v in (low, high)]
        if any(map(unbounded, low, high)):
            low, high = self.inner(env, low, high)
        self.low, self.high, free = [], [], 0
        for a, b in zip(low, high):
            if unbounded(a, b):
                a, b, free = -1.0, 1.0, free + 1
            self.low.append(a)
            self.high.append(b)
        if free:
            notices.append("%d of the %d numbers of an action have no bounds: they are in [-1, 1]" % (free, self.n))
        self.mid = [a / 2 + b / 2 for a, b in zip(self.low, self.high)]
        self.half = [b / 2 - a / 2 for a, b in zip(self.low, self.high)]
        if np is not None:
            self.mid, self.half, self.low, self.high = map(np.array, (self.mid, self.half, self.low, self.high))

    def inner(self, env, low, high):
        """The bounds of the environment inside, where a wrapper that clips has taken them away."""
        while "env" in getattr(env, "__dict__", {}):
            env = env.env
            space = find(env, "action_space")
            if kind(space) == "Box" and tuple(space.shape) == self.shape:
                a, b = flat(space.low), flat(space.high)
                if not any(map(unbounded, a, b)):
                    return a, b
        return low, high

    def check(self, space, notices):
        inside = space.spaces.values() if kind(space) == "Dict" else space.spaces
        for s in inside:
            if kind(s) in ("Dict", "Tuple"):
                self.check(s, notices)
            elif kind(s) != "Box":
                raise Refused("its actions have a %s in them; expected Boxes alone, or a Discrete or MultiDiscrete by "
                              "itself" % kind(s))

    def chosen(self, rows):
        """The whole numbers that rows of a 1 at each choice stand for."""
        out = []
        for row in rows:
            row, taken = list(row), []
            for n, start in zip(self.choices, self.start):
                part, row = row[:n], row[n:]
                taken.append(start + part.index(max(part)))
            if self.shape == ():
                out.append(taken[0] if np is None else np.int64(taken[0]))
            else:
                out.append(taken if np is None else np.array(taken, self.dtype).reshape(self.shape))
        return out

    def scaled(self, rows):
        """What the environments are given for all rows: a list of actions."""
        if self.choices:
            return self.chosen(rows)
        if np is None:
            return [[min(max(m + min(max(v, -1.0), 1.0) * h, a), b)
                     for v, m, h, a, b in zip(row, self.mid, self.half, self.low, self.high)] for row in rows]
        out = np.clip(self.mid + np.clip(rows, -1, 1) * self.half, self.low, self.high)
        if self.dtype is not None:
            out = out.astype(self.dtype, copy=False)
        if self.nested is not None:
            return [self.unflatten(self.nested, row) for row in out]
        return list(out.reshape((len(out),) + self.shape))


class Observations:
    """The observations of a space, as rows of numbers."""

    def __init__(self, env, hidden, one_hot, notices):
        space = find(env, "observation_space")
        texts = [k for k, s in space.spaces.items() if k not in hidden and words(s)] if kind(space) == "Dict" else []
        for k in texts:
            notices.append("the key %s is text: it is hidden from the agent" % k)
        hidden = hidden + texts
        self.space, self.keys, self.choices = None, None, choices(space)
        if one_hot and not self.choices:
            raise Refused("observations=one-hot: its observations are %s; expected a Discrete or a MultiDiscrete"
                          % short(space))
        if self.choices and not hidden:
            self.choices, self.start, self.shape = self.choices
            self.one_hot, self.n = one_hot, sum(self.choices) if one_hot else len(self.choices)
            return
        self.choices = None
        if hidden:
            if kind(space) != "Dict":
                raise Refused("hide=%s: its observations are %s, which has no keys" % ("+".join(hidden), short(space)))
            for k in hidden:
                if k not in space.spaces:
                    raise Refused("hide=%s: its observations have no such key, but %s" % (k, ", ".join(space.spaces)))
        if kind(space) in ("Dict", "Tuple"):
            spaces = toolkit(space)
            if hidden:
                self.keys = [k for k in space.spaces if k not in hidden]
                space = spaces.Dict({k: space.spaces[k] for k in self.keys})
            self.images(space)
            if self.keys == []:
                raise Refused("all keys of its observations are hidden: %s; expected one that is not"
                              % ", ".join(hidden))
            self.space, self.flatten = space, spaces.flatten
            space = spaces.flatten_space(space)
        self.images(space)
        if not hasattr(space, "low"):
            raise Refused("its observations are %s; expected a Box of numbers, or a Dict or Tuple of such: hide=KEY "
                          "leaves a key of a Dict out" % short(space))
        self.shape = tuple(space.shape)
        self.n = size(self.shape)
        if self.n < 1:
            raise Refused("its observations have no number: %s" % short(space))

    def images(self, space):
        if kind(space) in ("Dict", "Tuple"):
            for s in space.spaces.values() if kind(space) == "Dict" else space.spaces:
                self.images(s)
        elif len(getattr(space, "shape", None) or ()) >= 3 and size(space.shape) > 1000:
            raise Refused("its observations are images of shape %s; expected at most 1000 numbers: a wrapper may "
                          "describe them, or hide=KEY leave out a key of a Dict" % (tuple(space.shape),))

    def whole(self, obs):
        """An observation of whole numbers: each counted from 0, or a 1 in its place."""
        numbers = flat(obs)
        if numbers is None or len(numbers) != len(self.choices) or not all(
                v == int(v) and 0 <= v - a < n for v, a, n in zip(numbers, self.start, self.choices)):
            raise Refused("an observation is %s; expected what observation_space says, %s of %s choices"
                          % (short(obs), "a whole number" if self.shape == () else "whole numbers",
                             " and ".join(map(str, self.choices))))
        row = []
        for v, a, n in zip(numbers, self.start, self.choices):
            if self.one_hot:
                row += [float(k == v - a) for k in range(n)]
            else:
                row.append(float(v - a))
        return array.array("d", row) if np is None else np.array(row)

    def row(self, obs):
        """One observation as something that can be copied into a row of the memory."""
        if self.choices:
            return self.whole(obs)
        if self.keys is not None:
            obs = {k: obs[k] for k in self.keys}
        if self.space is not None:
            obs = self.flatten(self.space, obs)
        if np is None:
            try:
                row = array.array("d", obs)
            except TypeError:
                raise Refused("an observation is %s; expected %d numbers" % (short(obs), self.n)) from None
            if len(row) != self.n:
                raise Refused("an observation has %d numbers; expected %d" % (len(row), self.n))
            return row
        if getattr(obs, "shape", None) != self.shape or obs.dtype.kind not in "fiub":
            try:
                made = np.asarray(obs)
            except ValueError:
                raise Refused("an observation is %s; expected numbers of shape %s" % (short(obs), self.shape)) from None
            if made.dtype.kind not in "fiub":
                raise Refused("an observation has the type %s: %s; expected numbers" % (made.dtype, short(obs)))
            if made.shape != self.shape:
                raise Refused("an observation has the shape %s; expected %s, as observation_space says"
                              % (made.shape, self.shape))
            obs = made
        return obs.reshape(-1)


def number(reward):
    """A reward, which may be an array of one."""
    try:
        return float(reward)
    except (TypeError, ValueError):
        if np is not None and isinstance(reward, np.ndarray) and reward.size == 1:
            return number(reward.item())
        raise Refused("the reward is %s; expected a number" % short(reward)) from None


def result(out, last=False):
    """What a step returned, in Gymnasium's order: observation, reward, terminated, truncated, info.

    Old environments have one word for both ends: in the last step of an episode it is no terminal state."""
    if isinstance(out, tuple):
        step = getattr(out, "step_type", None)
        if step is not None:  # garage's EnvStep
            name = getattr(step, "name", str(step))
            return out.observation, out.reward, name == "TERMINAL", name == "TIMEOUT", out.env_info
        if len(out) == 5:
            return out
        if len(out) == 4:  # gym before 0.26
            obs, reward, done, info = out
            cut = last or isinstance(info, dict) and bool(info.get("TimeLimit.truncated", False))
            return obs, reward, bool(done) and not cut, bool(done) and cut, info
    raise Refused("step returned %s; expected observation, reward, terminated, truncated and info"
                  % (short(out) if not isinstance(out, tuple) else "%d values" % len(out)))


# Where environments say how many steps an episode has.
lengths = ("_max_episode_steps", "max_path_length", "max_episode_steps", "max_steps", "max_episode_length")


class Worker:
    """The environments of this process."""

    def __init__(self):
        self.family, self.envs, self.at, self.during = None, [], -1, "its start"

    def open(self, q):
        self.seconds = q["seconds"]
        self.family = f = Family(q["target"], q.get("filmed", False))
        self.notices = f.notices
        self.actions, self.observations = Actions(f.env, self.notices), Observations(
            f.env, f.hidden, f.options.get("observations") == "one-hot", self.notices)
        self.spare, self.limit = f.env, self.horizon()
        self.seeded, self.optioned = self.passes("seed"), self.passes("options")
        if f.setter is None:
            if not self.optioned:
                raise Refused("it has tasks (%s) and no way to set one: expected set_task, reset_task, or a reset that "
                              "takes options" % f.how.partition(",")[0])
        if not q.get("describe"):
            return {}
        return self.describe()

    def passes(self, name):
        """Whether reset takes an argument, in the outermost environment or through all that it wraps."""
        env = self.family.env
        base = find(env, "unwrapped")
        if base is None or isinstance(env, Several):
            base = env
        return named(env.reset, name) or takes(env.reset, name) and takes(base.reset, name)

    def describe(self):
        f = self.family
        first = f.tasks(0, 0, 0)[0][0]
        self.during = "its first reset"
        self.restart(f.env, 0, first)
        action = self.actions.scaled([[0.0] * self.actions.n] if np is None else np.zeros((1, self.actions.n)))[0]
        self.during = "its first step"
        obs, _, _, _, info = result(f.env.step(action))
        self.observations.row(obs)
        info = info if isinstance(info, dict) else {}
        numbers = [] if f.kind == "one" else f.numbers(first)
        horizon, said = self.limit
        files, digest = self.files()
        whole = self.observations.choices and not self.observations.one_hot
        return {"obs": self.observations.n, "obs_choices": self.observations.choices if whole else None,
                "act": self.actions.n, "act_choices": self.actions.choices, "horizon": horizon, "horizon_from": said,
                "task": 0 if f.kind == "one" else len(numbers) if numbers else 1, "numbers": bool(numbers),
                "success": "success" in info or "is_success" in info, "convention": f.how, "notices": self.notices,
                "paths": files, "sha256": digest, "versions": self.versions()}

    def horizon(self):
        f = self.family
        if "horizon" in f.options:
            return int(f.options["horizon"]), "the option horizon"
        spec = find(f.env, "spec")
        for said, v in (("horizon", getattr(f.source, "horizon", None)), ("horizon", find(f.env, "horizon")),
                        *(("%s of its spec" % name, getattr(spec, name, None))
                          for name in ("max_episode_steps", "max_episode_length")),
                        *((name, find(f.env, name)) for name in lengths)):
            if isinstance(v, int) and v > 0:
                return v, said
        self.notices.append("it does not say how long an episode is: 200 steps are taken; the option horizon=… says it")
        return 200, "nothing"

    def files(self):
        """The sources that the class is made of: its own file, and what was loaded from the same folder."""
        main = getattr(self.family.where, "__file__", None)
        if not main or self.family.source is None and self.family.where.__name__ == "gymnasium":
            return [], ""
        folder, found = os.path.dirname(os.path.abspath(main)), {os.path.abspath(main)}
        for _ in range(self.family.where.__name__.count(".")):  # all of its package
            folder = os.path.dirname(folder)
        if "site-packages" not in folder and "dist-packages" not in folder:
            for m in list(sys.modules.values()):
                path = getattr(m, "__file__", None)
                if path and path.endswith(".py") and "-packages" not in path:
                    path = os.path.abspath(path)
                    if path.startswith(folder + os.sep):
                        found.add(path)
        h = hashlib.sha256()
        for path in sorted(found):
            with open(path, "rb") as f:
                h.update(hashlib.sha256(f.read()).digest())
        return sorted(found), h.hexdigest()

    def versions(self):
        """Python's version and those of the packages that are loaded."""
        out = ["Python %d.%d.%d" % sys.version_info[:3]]
        try:
            from importlib import metadata
        except ImportError:
            return out
        loaded, named = {n.partition(".")[0].lower() for n in sys.modules}, set()
        for d in metadata.distributions():
            name = d.metadata["Name"] or ""
            if name.lower().replace("-", "_") in loaded:
                named.add("%s %s" % (name, d.version))
        return out + sorted(named)

    def tasks(self, q):
        f = self.family
        self.during = "making tasks"
        out = {}
        lists = f.tasks(q["seed"], q["train"], q["test"])
        for name, tasks in zip(("train", "test"), lists):
            out[name] = []
            for i, task in enumerate(tasks):
                kept = pickled(task)
                numbers = [] if f.kind == "one" else f.numbers(task)
                if numbers is not None and not all(map(math.isfinite, numbers)):
                    raise Refused("%s task %d is %s; expected finite numbers" % (name, i, short(task)))
                if f.kind != "one" and not numbers:
                    numbers = [int.from_bytes(hashlib.sha256(kept).digest()[:6], "big") / 2.0 ** 48]
                out[name].append({"numbers": numbers, "pickle": base64.b64encode(kept).decode()})
        return out

    def memory(self, q):
        n = self.n = q["n"]
        a, o = self.actions.n, self.observations.n
        mem = memoryview(mmap.mmap(5, q["size"]))
        self.mem, at = mem, 0

        def part(k, code):
            nonlocal at
            bytes_ = k * struct.calcsize(code)
            at += bytes_
            return mem[at - bytes_:at].cast(code)

        self.beat, self.act, self.obs = part(1, "Q"), part(n * a, "d"), part(n * o, "d")
        self.reward, self.active = part(n, "d"), part(n, "B")
        self.done, self.cut, self.success = part(n, "B"), part(n, "B"), part(n, "B")
        if np is not None:
            self.rows = np.frombuffer(self.act, float).reshape(n, a)
            self.obs = np.frombuffer(self.obs, float).reshape(n, o)
        self.during = "making environments"
        self.steps = [0] * n
        self.envs = [self.spare if i == 0 and self.spare is not None else self.family.new() for i in range(n)]
        self.spare = None
        return {}

    def put(self, i, obs):
        row = self.observations.row(obs)
        if np is None:
            n = self.observations.n
            self.obs[i * n:(i + 1) * n] = row
        else:
            self.obs[i] = row

    def restart(self, env, seed, task):
        """Begins an episode of a task; everything that is drawn by the global generators follows from the seed."""
        f = self.family
        seed_globals(seed)
        seed_own(env, seed)
        given = {"seed": seed} if self.seeded else {}
        if f.setter is None:
            given["options"] = {"task": task}
        elif f.setter == "context":
            selector = find(env, "context_selector")
            if not isinstance(selector, Chosen):
                selector = Chosen()
                owner = env
                while "context_selector" not in vars(owner):
                    owner = owner.env
                owner.context_selector = selector
            selector.context = task
        elif f.setter != "none":
            find(env, f.setter)(task)
        out = env.reset(**given)
        if isinstance(out, tuple) and len(out) == 2 and isinstance(out[1], dict):
            return out[0]
        return out

    def task(self, q):
        if "task" in q:
            return pickle.loads(base64.b64decode(q["task"]))
        f = self.family
        if f.kind == "one":
            return None
        try:
            return like(f.tasks(0, 0, 0)[0][0], iter(q["numbers"]))
        except Exception:
            raise Refused("the task %s is none that the class made, and one like it cannot be made of its numbers"
                          % q["numbers"]) from None

    def reset(self, q):
        i = self.at = q["i"]
        self.during = "reset"
        task = self.task(q)
        self.beat[0] += 1
        self.steps[i] = 0
        self.put(i, self.restart(self.envs[i], q["seed"], task))
        return {}

    def step(self):
        self.during = "step"
        if np is None:
            a = self.actions.n
            acts = self.actions.scaled([self.act[i * a:(i + 1) * a] for i in range(self.n)])
        else:
            acts = self.actions.scaled(self.rows)
        for i in range(self.n):
            if not self.active[i]:
                continue
            self.at = i
            self.beat[0] += 1
            self.steps[i] += 1
            obs, reward, done, cut, info = result(self.envs[i].step(acts[i]), self.steps[i] >= self.limit[0])
            if forked:
                leave()
            self.put(i, obs)
            self.reward[i] = number(reward)
            self.done[i], self.cut[i] = bool(done), bool(cut)
            if type(info) is dict:
                self.success[i] = bool(info.get("success", info.get("is_success", False)))

    def picture(self, q):
        """What an environment's render returns, at most 320 pixels wide and high, as bytes."""
        i, self.during = q["i"], "render"
        env = self.envs[i]
        render = find(env, "render")
        if render is None or np is None:
            raise Refused("it has no method render" if render is None else "pictures need NumPy")
        seen = render(mode="rgb_array") if named(render, "mode") else render()
        if isinstance(seen, list) and seen:
            seen = seen[-1]
        if not isinstance(seen, np.ndarray) or seen.ndim != 3 or seen.shape[2] not in (3, 4):
            raise Refused("its render returned %s; expected an array of height, width and 3 colours, as by "
                          "render_mode=\"rgb_array\"" % short(seen))
        k = -(-max(seen.shape[:2]) // 320)
        high, wide = seen.shape[0] // k, seen.shape[1] // k
        seen = seen[:high * k, :wide * k, :3].reshape(high, k, wide, k, 3).mean((1, 3)) + 0.5
        fps = (find(env, "metadata") or {}).get("render_fps") or 0
        return {"width": wide, "height": high, "fps": float(fps),
                "pixels": base64.b64encode(seen.astype(np.uint8).tobytes()).decode()}

    def globals(self, q):
        """Whether a reset and steps draw from the global generators."""
        env, said = self.envs[0], {}
        state = lambda: hashlib.sha256(repr((random.getstate(), np.random.get_state()[1:] if np is not None else 0)
                                            ).encode() + (np.random.get_state()[1].tobytes() if np is not None
                                                          else b"")).hexdigest()
        task = self.task(q)
        seed_globals(q["seed"])
        before = state()
        self.restart(env, q["seed"], task)
        said["reset"] = state() != before
        before = state()
        zero = [[0.0] * self.actions.n] if np is None else np.zeros((1, self.actions.n))
        for _ in range(q["steps"]):
            _, _, done, cut, _ = result(env.step(self.actions.scaled(zero)[0]))
            if done or cut:
                break
        said["step"] = state() != before
        return said

    def close(self):
        for env in self.envs:
            close = find(env, "close")
            if close is not None:
                close()


# The protocol.


def leave():
    print("nacre: the environment forked and the child came back from it: the child was ended", file=sys.stderr,
          flush=True)
    os._exit(0)


def child():
    global forked
    forked = True
    threading.Thread(target=watch, args=(6, 30), daemon=True).start()  # the parent's did not come along


def watch(life, seconds):
    """Ends this process and all it started when nacre has ended, even if an environment never returns."""
    while True:
        if select.select([life], [], [], seconds)[0]:
            os.killpg(0, signal.SIGKILL)
        faulthandler.dump_traceback_later(10 * seconds, exit=True)  # for one that never lets this thread run


def place(error):
    """The innermost line of the user's own code."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith("<")]
    if not frames:
        return ""
    last = next((f for f in reversed(frames) if "-packages" not in f.filename and "/lib/python" not in f.filename),
                frames[-1])
    return "%s, line %d, in %s" % (near(last.filename), last.lineno, last.name)


def near(path):
    """A path as seen from here, if it is below, also where a link leads here."""
    real, here = os.path.realpath(path), os.path.realpath(os.getcwd())
    return os.path.relpath(real, here) if real.startswith(here + os.sep) else path


def trace(error):
    """The traceback without the lines of this program."""
    lines = traceback.format_exception(type(error), error, error.__traceback__)
    kept = "".join(l for l in lines if 'File "<' not in l).split("\n")
    return "\n".join(l for l in kept if l.strip(" ^~")).rstrip()


def receive(r, n):
    out = b""
    while len(out) < n:
        part = os.read(r, n - len(out))
        if not part:
            raise EOFError
        out += part
    return out


def send(x):
    body = json.dumps(x).encode()
    body = struct.pack("<I", len(body)) + body
    while body:
        body = body[os.write(4, body):]


def say(error):
    if isinstance(error, Refused):
        return {"error": str(error), "place": ""}
    if isinstance(error, SystemExit):
        return {"error": "it called exit(%s)" % ("" if error.code is None else short(error.code)),
                "place": place(error)}
    text = str(error).strip().replace("\n", " ")
    return {"error": type(error).__name__ + (": " + text if text else ""), "place": place(error),
            "trace": trace(error)}


def main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    faulthandler.register(signal.SIGUSR1, sys.stderr, all_threads=True)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=child)
    sys.stdin = open(os.devnull)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(line_buffering=True, errors="replace")
    for fd in (3, 4, 5, 6):
        os.set_inheritable(fd, False)
    threading.Thread(target=watch, args=(6, 30), daemon=True).start()
    w = Worker()
    asked = {"open": w.open, "tasks": w.tasks, "memory": w.memory, "reset": w.reset, "picture": w.picture,
             "globals": w.globals}
    while True:
        try:
            op = receive(3, 1)
            q = None if op == b"s" else json.loads(receive(3, struct.unpack("<I", receive(3, 4))[0]))
        except EOFError:
            break
        try:
            w.at = -1
            if q is None:
                w.step()
                os.write(4, b".")
                continue
            answer = asked[q["op"]](q)
        except BaseException as e:
            answer = dict(say(e), during=w.during, at=w.at)
        if forked:
            leave()
        if q is None:
            os.write(4, b"!")
        send(answer)
    w.close()


main()
