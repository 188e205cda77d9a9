package kernel

// cooperative: there is one thread, so the host must be asked, and give the browser a turn to deliver the interrupt.
const cooperative = true
