package mql

import "nacre/rl/belief"

// Encoders are the recurrent units of the actor and of the critics, as encoders that a loss can be attached to: each
// reads context rows (o, a, r) from state zero, like a history.
func (n Networks) Encoders() (actor, critic belief.Recurrent) {
	return belief.Recurrent{Memory: n.actor.memory}, belief.Recurrent{Memory: n.critic.memory}
}
