package mujoco

const remedy = "the page was built without it; open the notebook with nacre notebook"
