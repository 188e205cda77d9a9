package kernel

const cooperative = true
