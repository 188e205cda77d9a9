"""The part of a package that another one imports."""
import gym
from gym import spaces
from gym.spaces.box import Box


class Base(gym.Env):
    action_space = spaces.Box(-1, 1, (1,))
    observation_space = spaces.Dict({"at": Box(-9, 9, (1,)), "key": spaces.Discrete(2)})
