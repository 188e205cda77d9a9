package mujoco

const remedy = "it does not run in the browser's kernel; open the notebook with nacre notebook"
